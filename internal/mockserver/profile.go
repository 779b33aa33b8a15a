// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"maps"
	"time"
)

// PutProfile replaces a person's profile (section 2), as if another client had done so.
// It panics if object is not one JSON object without repeated names.
func (s *Server) PutProfile(scope Scope, identity, object string) {
	profile, ok := readObject([]byte(object))
	if !ok {
		panic("mockserver: a profile is one JSON object without repeated names")
	}

	s.lockUpToDate()
	defer s.mu.Unlock()
	put(&s.profiles, person{scope, identity}, profile)
}

// Profile returns a copy of a person's profile (section 2), its numbers as json.Number,
// and whether there is one. Outcomes that are due are applied first.
func (s *Server) Profile(scope Scope, identity string) (map[string]any, bool) {
	s.lockUpToDate()
	defer s.mu.Unlock()

	profile, ok := s.profiles[person{scope, identity}]
	return maps.Clone(profile), ok
}

// DeleteProfile removes a person's profile; their data and consent stay.
func (s *Server) DeleteProfile(scope Scope, identity string) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	delete(s.profiles, person{scope, identity})
}

// getProfile is GET …/user/:identityId/profile (section 4). That it answers with the
// profile itself is an assumption.
func (s *Server) getProfile(c *call) Response {
	profile, ok := s.Profile(c.entry.Scope, c.entry.Identity)
	if !ok {
		return notFound()
	}
	return success(profile)
}

// updateProfile is PATCH …/user/:identityId/profile (section 4), which is deferred.
// That the fields travel as one JSON object is an assumption.
func (s *Server) updateProfile(c *call) Response {
	if c.malformed || c.entry.Place != InJSON {
		return invalid(fieldError{"body", "must be one JSON object"})
	}
	return s.enqueue(c)
}

// PutData replaces the data that the service holds of a person beside profile and
// consent (section 4, all-data). The members of an object become members of what
// getAllData answers and replace its own of the same name; any other value becomes its
// member "data". PutData panics if data cannot be encoded as JSON.
func (s *Server) PutData(scope Scope, identity string, data any) {
	fields, ok := readObject(encode(data))
	if !ok {
		fields = map[string]any{"data": data}
	}

	s.lockUpToDate()
	defer s.mu.Unlock()
	put(&s.data, person{scope, identity}, fields)
}

// HasData reports whether the service holds a profile or data of a person: what
// deleteAllData removes (section 4).
func (s *Server) HasData(scope Scope, identity string) bool {
	s.lockUpToDate()
	defer s.mu.Unlock()

	p := person{scope, identity}
	_, profile := s.profiles[p]
	_, data := s.data[p]

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
// unknown person is no error.
func (s *Server) getAllData(c *call) Response {
	now := s.lockUpToDate()
	prepared, ok := s.prepared[c.person()]
	s.mu.Unlock()

	if !ok || !now.Before(prepared.readyAt.Add(cmp.Or(s.DataRetention, time.Hour))) {
		return s.enqueue(c)
	}

	data, _ := readObject(encode(prepared.fields)) // a deep copy, which a hook may change

	return success(data)
}

// takeEffect carries out the operation of a queued request. Server.mu is held. Three
// assumptions: each field of an update replaces that of the profile as a whole, a null
// removes it, and an unknown person gets a profile; the fields of all data; the records
// of past days stay in an export. The consent stays, since deleting data does not revoke
// it (section 4).
func (s *Server) takeEffect(e *queued) {
	p := person{e.Scope, e.Identity}
	switch e.Operation {
	case OpUpdateProfile:
		merged := map[string]any{}
		maps.Copy(merged, s.profiles[p])
		for name, value := range e.Body {
			merged[name] = value
			if value == nil {
				delete(merged, name)
			}
		}
		put(&s.profiles, p, merged)

	case OpGetAllData:
		fields := map[string]any{"identity": p.identity, "profile": nil, "consent": nil, "sessions": []any{}, "events": []any{}}
		if profile, ok := s.profiles[p]; ok {
			fields["profile"] = profile
		}
		if consent, ok := s.consents[p]; ok {
			fields["consent"] = consent.fields()
		}
		maps.Copy(fields, s.data[p])
		put(&s.prepared, p, allData{fields: fields, readyAt: e.FulfilledAt})

	case OpDeleteAllData:
		delete(s.profiles, p)
		delete(s.data, p)
		delete(s.prepared, p)
	}
}
