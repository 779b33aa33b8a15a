// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"maps"
	"net/http"
	"time"
)

// person is whom a record is about: an identity within a scope.
type person struct {
	scope    Scope
	identity string
}

// shelf holds an object of each person: a consent, a profile or data. Server.mu guards it. An object is
// replaced and never changed.
type shelf map[person]map[string]any

// put replaces the object of a person; nil removes it.
func (h *shelf) put(p person, fields map[string]any) {
	if *h == nil {
		*h = shelf{}
	}
	(*h)[p] = fields
}

// get returns a copy of the object of a person, and whether there is one.
func (h shelf) get(p person) (map[string]any, bool) {
	return maps.Clone(h[p]), h[p] != nil
}

// merge returns an object with the members of another one on top.
func merge(object, other map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, object)
	maps.Copy(merged, other)
	return merged
}

// put replaces what the service holds of a person, as if another client had done so; nil removes it.
func (s *Server) put(list *shelf, p person, fields map[string]any) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	list.put(p, fields)
}

// get returns a copy of what the service holds of a person, and whether it holds something. Outcomes
// that are due are applied first.
func (s *Server) get(list *shelf, p person) (map[string]any, bool) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	return list.get(p)
}

// read is GET …/user/:identityId/consent and …/profile (section 4). That it answers with the
// record itself is an assumption.
func (s *Server) read(list *shelf, c *Request) Response {
	fields, ok := s.get(list, c.person())
	if !ok {
		return failure(http.StatusNotFound, "not_found", "Nothing is known of this user.")
	}
	return success(fields)
}

// PutProfile replaces a person's profile (section 2), as if another client had done so.
// It panics if object is not one JSON object without repeated names.
func (s *Server) PutProfile(scope Scope, identity, object string) {
	profile, ok := readObject([]byte(object))
	if !ok {
		panic("mockserver: a profile is one JSON object without repeated names")
	}
	s.put(&s.profiles, person{scope, identity}, profile)
}

// Profile returns a copy of a person's profile (section 2), its numbers as json.Number,
// and whether there is one.
func (s *Server) Profile(scope Scope, identity string) (map[string]any, bool) {
	return s.get(&s.profiles, person{scope, identity})
}

// DeleteProfile removes a person's profile; their data and consent stay.
func (s *Server) DeleteProfile(scope Scope, identity string) {
	s.put(&s.profiles, person{scope, identity}, nil)
}

// updateProfile is PATCH …/user/:identityId/profile (section 4), which is deferred.
// That the fields travel as one JSON object is an assumption.
func (s *Server) updateProfile(c *Request) Response {
	if c.ParametersIn != InJSON {
		return invalid(fieldError{"body", "must be one JSON object"})
	}
	return s.enqueue(c)
}

// HasData reports whether the service holds a profile or data of a person: what
// deleteAllData removes (section 4).
func (s *Server) HasData(scope Scope, identity string) bool {
	_, profile := s.Profile(scope, identity)
	_, data := s.get(&s.data, person{scope, identity})
	return profile || data
}

// allData is the result of a fulfilled getAllData: all data of a person at readyAt.
type allData struct {
	fields  map[string]any
	readyAt time.Time
}

// getAllData is GET …/user/:identityId/all-data (section 4), which is deferred. How
// the data reach the caller is not shown. Three assumptions: once they are ready, the
// same request answers with them; until then, each request queues another one; an
// unknown person is not an error.
func (s *Server) getAllData(c *Request) Response {
	held, _ := s.prepared.Load(c.person())
	prepared, ok := held.(allData)
	if !ok || !s.now().Before(prepared.readyAt.Add(cmp.Or(s.DataRetention, time.Hour))) {
		return s.enqueue(c)
	}

	data, _ := readObject(encode(prepared.fields)) // a deep copy, which a hook may change

	return success(data)
}

// takeEffect carries out the operation of a queued request at a time. Server.mu is held. Three
// assumptions: each field of an update replaces that of the profile as a whole, a null
// removes it, and an unknown person gets a profile; the fields of all data; the records
// of past days stay in an export. The consent stays, since deleting data does not revoke
// it (section 4).
func (s *Server) takeEffect(e *QueuedRequest, at time.Time) {
	p := person{e.Scope, e.Identity}
	switch e.Operation {
	case OpUpdateProfile:
		profile, _ := s.profiles.get(p)
		merged := merge(profile, e.Body)
		maps.DeleteFunc(merged, func(name string, _ any) bool {
			value, isSent := e.Body[name]
			return isSent && value == nil
		})
		s.profiles.put(p, merged)

	case OpGetAllData:
		fields := map[string]any{"identity": p.identity, "profile": s.profiles[p], "consent": s.consents[p], "sessions": []any{}, "events": []any{}}
		s.prepared.Store(p, allData{fields: merge(fields, s.data[p]), readyAt: at})

	case OpDeleteAllData:
		s.profiles.put(p, nil)
		s.data.put(p, nil)
		s.prepared.Delete(p)
	}
}
