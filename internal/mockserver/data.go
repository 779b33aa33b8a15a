// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"maps"
	"time"
)

// defaultRetention is the default of Server.DataRetention, an assumption.
const defaultRetention = time.Hour

// allData is the result of a fulfilled getAllData: all data of a person at readyAt.
type allData struct {
	fields  map[string]any
	readyAt time.Time
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

	if s.data == nil {
		s.data = map[person]map[string]any{}
	}
	s.data[person{scope, identity}] = fields
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

// getAllData is GET …/user/:identityId/all-data (section 4), which is deferred. How
// the data reach the caller is not shown. Three assumptions: once they are ready, the
// same request answers with them; until then, each request queues another one; an
// unknown person is no error.
func (s *Server) getAllData(c *call) Response {
	now := s.lockUpToDate()
	prepared, ok := s.prepared[person{c.scope, c.vars["identityId"]}]
	s.mu.Unlock()

	if !ok || !now.Before(prepared.readyAt.Add(cmp.Or(s.DataRetention, defaultRetention))) {
		return s.enqueue(c, nil)
	}

	data, _ := readObject(encode(prepared.fields)) // a deep copy, which a hook may change

	return success(data)
}

// prepareData carries out getAllData. The fields are an assumption.
func (s *Server) prepareData(p person, at time.Time) {
	fields := map[string]any{
		"identity": p.identity,
		"profile":  nil,
		"consent":  nil,
		"sessions": []any{},
		"events":   []any{},
	}

	if profile, ok := s.profiles[p]; ok {
		fields["profile"] = profile
	}
	if consent, ok := s.consents[p]; ok {
		fields["consent"] = consent.fields()
	}
	maps.Copy(fields, s.data[p])

	if s.prepared == nil {
		s.prepared = map[person]allData{}
	}
	s.prepared[p] = allData{fields: fields, readyAt: at}
}

// deleteAllData is DELETE …/user/:identityId/all-data (section 4), which is
// deferred. That it is accepted for an unknown person is an assumption.
func (s *Server) deleteAllData(c *call) Response { return s.enqueue(c, nil) }

// eraseData carries out deleteAllData. The consent stays, since deleting data does not
// revoke it (section 4). That records of past days stay in an export is an assumption.
func (s *Server) eraseData(p person) {
	delete(s.profiles, p)
	delete(s.data, p)
	delete(s.prepared, p)
}
