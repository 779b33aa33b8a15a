package mockserver

import (
	"cmp"
	"maps"
	"time"
)

// defaultRetention is how long data can be fetched once it is ready; an assumption.
const defaultRetention = time.Hour

// allData is what a fulfilled getAllData has put together: the person as they were
// then, until it expires.
type allData struct {
	fields  map[string]any
	readyAt time.Time
}

// PutData sets what the service holds of a person beside profile and consent, as
// JSON. The members of an object become members of what getAllData answers, in
// place of its own where they have the same names; any other value becomes its
// member "data". It panics on what is not JSON.
func (s *Server) PutData(scope Scope, identity string, data any) {
	fields, ok := readObject(encode(data))
	if !ok {
		fields = map[string]any{"data": data}
	}
	s.lockSettled()
	defer s.mu.Unlock()
	if s.data == nil {
		s.data = map[person]map[string]any{}
	}
	s.data[person{scope, identity}] = fields
}

// HasData reports whether the service holds a profile or data of a person, which
// deleteAllData removes.
func (s *Server) HasData(scope Scope, identity string) bool {
	s.lockSettled()
	defer s.mu.Unlock()
	p := person{scope, identity}
	_, profile := s.profiles[p]
	_, data := s.data[p]
	return profile || data
}

// getAllData is GET …/user/:identityId/all-data (section 4), which is deferred. How
// the data reaches the caller is not shown: that the same request answers with it
// once it is ready, and queues another one as long as it is not, is an assumption,
// and so is that unknown people are no error.
func (s *Server) getAllData(c *call) answer {
	now := s.lockSettled()
	prepared, ok := s.prepared[person{c.scope, c.vars["identityId"]}]
	s.mu.Unlock()
	if !ok || !now.Before(prepared.readyAt.Add(cmp.Or(s.DataRetention, defaultRetention))) {
		return s.enqueue(c, nil)
	}
	if s.DataAnswer != nil {
		data, _ := readObject(encode(prepared.fields)) // the hook's own, all the way down
		return success(s.DataAnswer(data))
	}
	return success(prepared.fields)
}

// prepareData is the effect of getAllData. The fields are an assumption.
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
// deferred. That it is accepted for unknown people too is an assumption.
func (s *Server) deleteAllData(c *call) answer { return s.enqueue(c, nil) }

// eraseData is the effect of deleteAllData on all that is held of a person: their
// consent stays, since deleting data does not revoke it (section 4). That
// records of days that are over stay in an export is an assumption.
func (s *Server) eraseData(p person) {
	delete(s.profiles, p)
	delete(s.data, p)
	delete(s.prepared, p)
}
