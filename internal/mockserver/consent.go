// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Clauses is the number of clauses of a consent record (section 2).
const Clauses = 5

// ConsentRecord is a person's consent as the service holds it (section 2). That it is
// read with the fields of the update is an assumption.
type ConsentRecord struct {
	Clauses       [Clauses]bool
	UserIPv6      *string
	AgreementTime any // a string or a json.Number, as it was sent; nil: none
	Manual        *bool
	// Extra are further fields of the answer. A field with the name of one above replaces
	// it, for tests of odd answers. An update that sends a field removes it from Extra.
	Extra map[string]any
}

// clauseNames are the parameters and fields of the clauses.
var clauseNames = [Clauses]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}

// PutConsent replaces a person's consent record (section 2), as if another client had
// done so.
func (s *Server) PutConsent(scope Scope, identity string, record ConsentRecord) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	put(&s.consents, person{scope, identity}, record.clone())
}

// Consent returns a copy of a person's consent record (section 2), and whether there
// is one.
func (s *Server) Consent(scope Scope, identity string) (ConsentRecord, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.consents[person{scope, identity}]
	return record.clone(), ok
}

// DeleteConsent removes a person's consent record; reading it is then a 404.
func (s *Server) DeleteConsent(scope Scope, identity string) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	delete(s.consents, person{scope, identity})
}

// updateConsent is PATCH …/user/:identityId/consent (section 4): the fields that are
// sent replace those of the record. That it creates the record of an unknown person,
// and that it answers with the record, are assumptions.
func (s *Server) updateConsent(c *call) Response {
	sent, ok := c.sentIn(s.Wire.ConsentParametersIn)
	if !ok {
		return malformed()
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	record, wrong := s.consents[c.person()].updated(sent, s.Wire)
	if len(wrong) > 0 {
		return invalid(wrong...)
	}
	put(&s.consents, c.person(), record)

	return success(record.fields())
}

// getConsent is GET …/user/:identityId/consent (section 4).
func (s *Server) getConsent(c *call) Response {
	record, ok := s.Consent(c.entry.Scope, c.entry.Identity)
	if !ok {
		return notFound()
	}
	return success(record.fields())
}

// clone returns a copy that shares nothing mutable with r.
func (r ConsentRecord) clone() ConsentRecord {
	if r.UserIPv6 != nil {
		r.UserIPv6 = new(*r.UserIPv6)
	}
	if r.Manual != nil {
		r.Manual = new(*r.Manual)
	}
	r.Extra = maps.Clone(r.Extra)

	return r
}

// fields returns the record as it is answered.
func (r ConsentRecord) fields() map[string]any {
	m := map[string]any{}
	for i, agreed := range r.Clauses {
		m[clauseNames[i]] = agreed
	}

	if r.UserIPv6 != nil {
		m["user_ipv6"] = *r.UserIPv6
	}
	if r.AgreementTime != nil {
		m["agreement_time"] = r.AgreementTime
	}
	if r.Manual != nil {
		m["manual"] = *r.Manual
	}

	maps.Copy(m, r.Extra)

	return m
}

// updated returns the record after an update, and what is wrong with its parameters. All
// five clauses are required (section 2); that unknown parameters are refused is an
// assumption.
func (r ConsentRecord) updated(sent map[string]any, wire Wire) (ConsentRecord, []fieldError) {
	r = r.clone()
	var wrong []fieldError
	for _, name := range clauseNames {
		if _, ok := sent[name]; !ok {
			wrong = append(wrong, fieldError{name, "is required"})
		}
	}

	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if objection := r.set(name, sent[name], wire); objection != "" {
			wrong = append(wrong, fieldError{name, objection})
		}
		delete(r.Extra, name)
	}

	return r, wrong
}

// set sets one field and returns what is wrong with the value, or "". In a form or a
// query, every value is text.
func (r *ConsentRecord) set(name string, v any, wire Wire) string {
	text, isText := v.(string)
	asText := isText && cmp.Or(wire.ConsentParametersIn, InJSON) != InJSON

	switch name {
	case "user_ipv6":
		r.UserIPv6 = &text
		if a, err := netip.ParseAddr(text); err != nil || !a.Is6() {
			return "must be an IPv6 address; IPv4 is mapped into IPv6 space"
		}
		return ""
	case "agreement_time":
		return r.setTime(v, asText, wire.AgreementTimeFormat)
	}

	clause := slices.Index(clauseNames[:], name)
	if clause < 0 && name != "manual" {
		return "is not known"
	}

	agreed, isBoolean := v.(bool)
	if asText {
		agreed, isBoolean = text == "true", text == "true" || text == "false"
	}
	if !isBoolean {
		return "must be true or false"
	}

	if name == "manual" {
		r.Manual = &agreed
	} else {
		r.Clauses[clause] = agreed
	}

	return ""
}

func (r *ConsentRecord) setTime(v any, asText bool, format string) string {
	text, _ := v.(string)
	if format != TimeUnixMS {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "must be a time as RFC 3339 has it"
		}
		r.AgreementTime = text

		return ""
	}

	number, _ := v.(json.Number)
	if asText {
		number = json.Number(text)
	}
	if _, err := number.Int64(); err != nil {
		return "must be a number of milliseconds since 1970"
	}
	r.AgreementTime = number

	return ""
}
