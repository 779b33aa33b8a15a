// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	jsonv1 "encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
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

// Clauses is the number of clauses of a consent record (section 2).
const Clauses = 5

// ConsentRecord is a person's consent as the service holds it (section 2).
type ConsentRecord struct {
	Clauses       [Clauses]bool `json:"-"`
	UserIPv6      *string       `json:"user_ipv6,omitempty"`
	AgreementTime any           `json:"agreement_time,omitempty"` // a string or a json.Number, as it was sent
	Manual        *bool         `json:"manual,omitempty"`
	// Extra are further fields of the answer, and may replace one above until an update sends that.
	Extra map[string]any `json:"-"`
}

// clauseNames are the parameters and fields of the clauses.
var clauseNames = [Clauses]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}

// PutConsent replaces a person's consent record, as if another client had done so.
func (s *Server) PutConsent(scope Scope, identity string, record ConsentRecord) {
	fields, _ := readObject(encode(record))
	for i, agreed := range record.Clauses {
		fields[clauseNames[i]] = agreed
	}
	s.put(&s.consents, scoped{scope, identity}, merge(fields, record.Extra))
}

// Consent returns a copy of a person's consent record without Extra, and whether there is one.
func (s *Server) Consent(scope Scope, identity string) (record ConsentRecord, ok bool) {
	fields := s.get(&s.consents, scoped{scope, identity})
	_ = json.Unmarshal(encode(fields), &record, exactNumbers)
	for i, name := range clauseNames {
		record.Clauses[i], _ = fields[name].(bool)
	}

	return record, fields != nil
}

// DeleteConsent removes a person's consent record; reading it is then a 404.
func (s *Server) DeleteConsent(scope Scope, identity string) {
	s.put(&s.consents, scoped{scope, identity}, nil)
}

// updateConsent is PATCH …/user/:identityId/consent (section 4): the fields that are sent replace those of the
// record. All five clauses are required (section 2).
func (s *Server) updateConsent(c *Request) Response {
	wrong, fields := map[string]string{}, map[string]any{}
	for _, name := range clauseNames {
		wrong[name] = "is required"
	}
	for name, value := range c.sentIn(s.Wire.Consent.ParametersIn) {
		if c.place != InJSON {
			value = decodeText(name, fmt.Sprint(value))
		}
		fields[name] = value
		delete(wrong, name)
		if !isRight(name, value, cmp.Or(s.Wire.Consent.TimeFormat, TimeRFC3339)) {
			wrong[name] = "is wrong, or is not known"
		}
	}
	if len(wrong) > 0 {
		return invalid(wrong)
	}

	s.lockUpToDate()
	defer s.mu.Unlock()
	merged := merge(load(&s.consents, c.person()), fields)
	s.consents.Store(c.person(), merged)

	return success(maps.Clone(merged))
}

// decodeText returns the value that JSON would have for the text of a parameter in a form or a query.
func decodeText(name, text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && name == "agreement_time" {
		return jsonv1.Number(text)
	}
	return text
}

// isRight reports whether a parameter is known and has a right value: a time of that format, any if it is empty.
func isRight(name string, value any, timeFormat string) bool {
	switch name {
	case "user_ipv6":
		text, _ := value.(string)
		a, _ := netip.ParseAddr(text) // the zero Addr is not an IPv6 address
		return a.Is6() && a.Zone() == ""
	case "agreement_time":
		_, format := readTime(value)
		return format != "" && format == cmp.Or(timeFormat, format)
	case "manual", clauseNames[0], clauseNames[1], clauseNames[2], clauseNames[3], clauseNames[4]:
		_, isFlag := value.(bool)
		return isFlag
	}

	return false
}

// timeLayouts are those of the formats of a time that are texts.
var timeLayouts = map[string]string{TimeRFC3339: time.RFC3339, TimeUTC: "2006-01-02T15:04:05.999999999", TimeDate: time.DateOnly}

// readTime returns the time that a value means, and its format; zero if it is not a time.
func readTime(value any) (at time.Time, format string) {
	if number, ok := value.(jsonv1.Number); ok {
		n, err := number.Int64()
		switch {
		case err != nil:
			return time.Time{}, ""
		case n < 100_000_000_000:
			return time.Unix(n, 0), TimeUnixS
		default:
			return time.UnixMilli(n), TimeUnixMS
		}
	}

	text, _ := value.(string)
	for format, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, format
		}
	}

	return time.Time{}, ""
}
