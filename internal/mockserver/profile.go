// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"maps"
	"net/http"
	"sync"
	"time"
)

// scoped is the identity of a person, or a day, within a scope.
type scoped struct {
	scope Scope
	name  string
}

// merge returns an object with the members of another one on top.
func merge(object, other map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, object)
	maps.Copy(merged, other)
	return merged
}

// put replaces what the service holds of a person, as if another client had done so; nil removes it.
func (s *Server) put(held *sync.Map, p scoped, object map[string]any) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	held.Store(p, object)
}

// get returns a copy of what the service holds of a person after all outcomes that are due, or nil.
func (s *Server) get(held *sync.Map, p scoped) map[string]any {
	s.lockUpToDate()
	defer s.mu.Unlock()
	return maps.Clone(load(held, p))
}

// load returns what the service holds of a person, which must not be changed, or nil.
func load(held *sync.Map, p scoped) map[string]any {
	found, _ := held.Load(p)
	object, _ := found.(map[string]any)
	return object
}

// read is GET …/user/:identityId/consent and …/profile (section 4).
func (s *Server) read(c *Request) Response {
	held := map[string]*sync.Map{OpGetConsent: &s.consents, OpGetProfile: &s.profiles}[c.Operation]
	object := s.get(held, c.person())
	if object == nil {
		return failure(http.StatusNotFound, "not_found", "Nothing is known of this user.", nil)
	}
	return success(object)
}

// PutProfile replaces a person's profile by a JSON object without repeated names, as if another client had done so.
func (s *Server) PutProfile(scope Scope, identity, object string) {
	profile, _ := readObject([]byte(object))
	s.put(&s.profiles, scoped{scope, identity}, profile)
}

// Profile returns a copy of a person's profile, its numbers as json.Number, and whether there is one.
func (s *Server) Profile(scope Scope, identity string) (profile map[string]any, ok bool) {
	profile = s.get(&s.profiles, scoped{scope, identity})
	return profile, profile != nil
}

// DeleteProfile removes a person's profile; their data and consent stay.
func (s *Server) DeleteProfile(scope Scope, identity string) {
	s.put(&s.profiles, scoped{scope, identity}, nil)
}

// allData is the result of a fulfilled getAllData: all data of a person at readyAt.
type allData struct {
	fields  map[string]any
	readyAt time.Time
}

// getAllData is GET …/user/:identityId/all-data (section 4), which is deferred. Once the data are ready, the same
// request answers with them; until then, each request queues another one.
func (s *Server) getAllData(c *Request) Response {
	held, _ := s.prepared.Load(c.person())
	prepared, ok := held.(allData)
	if !ok || !s.now().Before(prepared.readyAt.Add(cmp.Or(s.DataRetention, time.Hour))) {
		return s.enqueue(c)
	}

	return success(maps.Clone(prepared.fields))
}

// takeEffect carries out the operation of a queued request at a time. Server.mu is held. A null removes a field of
// the profile. The consent stays, since deleting data does not revoke it (section 4), and so do past days.
func (s *Server) takeEffect(e *QueuedRequest, at time.Time) {
	p := scoped{e.Scope, e.Identity}
	profile := load(&s.profiles, p)
	switch e.Operation {
	case OpUpdateProfile:
		merged := merge(profile, e.Body)
		for name, value := range e.Body {
			if value == nil {
				delete(merged, name)
			}
		}
		s.profiles.Store(p, merged)

	case OpGetAllData:
		fields := map[string]any{"identity": p.name, "profile": profile, "consent": load(&s.consents, p), "sessions": []any{}, "events": []any{}}
		s.prepared.Store(p, allData{fields: merge(fields, load(&s.data, p)), readyAt: at})

	case OpDeleteAllData:
		s.profiles.Delete(p)
		s.data.Delete(p)
		s.prepared.Delete(p)
	}
}
