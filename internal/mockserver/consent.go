// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// PutConsent replaces a person's consent record (section 2), as if another client had
// done so.
func (s *Server) PutConsent(scope Scope, identity string, record ConsentRecord) {
	s.lockUpToDate()
	defer s.mu.Unlock()
	s.putConsent(person{scope, identity}, record.clone())
}

func (s *Server) putConsent(p person, record ConsentRecord) {
	if s.consents == nil {
		s.consents = map[person]ConsentRecord{}
	}
	s.consents[p] = record
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
	sent, ok := c.params.in(s.Wire.consentIn())
	if !ok {
		return malformed()
	}

	p := person{c.scope, c.vars["identityId"]}
	if len(sent) == 0 && len(c.params.sent) > 0 && s.IgnoreMisplaced {
		return s.unchanged(p)
	}

	change, wrong := readConsent(sent, s.Wire)
	if wrong != nil {
		return invalid(wrong)
	}

	s.mu.Lock()
	record := s.consents[p].merged(change, sent)
	s.putConsent(p, record)
	s.mu.Unlock()

	return success(record.fields())
}

// unchanged answers an update that changes nothing.
func (s *Server) unchanged(p person) Response {
	record, ok := s.Consent(p.scope, p.identity)
	if !ok {
		return success(map[string]any{})
	}
	return success(record.fields())
}

// getConsent is GET …/user/:identityId/consent (section 4).
func (s *Server) getConsent(c *call) Response {
	record, ok := s.Consent(c.scope, c.vars["identityId"])
	if !ok {
		return failure(http.StatusNotFound, "not_found", "Nothing is known of this user.")
	}

	return success(record.fields())
}

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

func clauseName(i int) string { return "clause_" + strconv.Itoa(i+1) + "_consent" }

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

// merged returns the record after an update. change holds its values, of which those
// that are nil change nothing; sent holds all of its parameters by name.
func (r ConsentRecord) merged(change ConsentRecord, sent map[string]any) ConsentRecord {
	r = r.clone()
	r.Clauses = change.Clauses

	if change.UserIPv6 != nil {
		r.UserIPv6 = change.UserIPv6
	}
	if change.AgreementTime != nil {
		r.AgreementTime = change.AgreementTime
	}
	if change.Manual != nil {
		r.Manual = change.Manual
	}

	for name := range sent {
		delete(r.Extra, name)
	}

	return r
}

// fields returns the record as it is answered.
func (r ConsentRecord) fields() map[string]any {
	m := map[string]any{}
	for i, agreed := range r.Clauses {
		m[clauseName(i)] = agreed
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

// readConsent returns the record that the parameters of an update describe, and what
// is wrong with them. All five clauses are required (section 2); that unknown
// parameters are refused is an assumption.
func readConsent(sent map[string]any, wire Wire) (record ConsentRecord, wrong []FieldError) {
	in := fieldReader{sent: sent, text: wire.consentIn() != InJSON, seen: map[string]bool{}}

	for i := range record.Clauses {
		if _, ok := sent[clauseName(i)]; !ok {
			in.refuse(clauseName(i), "is required")
			continue
		}

		if agreed := in.boolean(clauseName(i)); agreed != nil {
			record.Clauses[i] = *agreed
		}
	}

	record.UserIPv6 = in.ipv6("user_ipv6")
	record.AgreementTime = in.instant("agreement_time", wire.AgreementTimeFormat)
	record.Manual = in.boolean("manual")
	if record.Manual == nil && wire.RequireManual {
		in.refuse("manual", "is required")
	}
	in.refuseOthers()

	return record, in.wrong
}

// fieldReader reads typed fields from the parameters of a request and collects what
// is wrong with them. Its methods return nil for a field that is absent or wrong.
type fieldReader struct {
	sent  map[string]any
	text  bool // everything is text, as in a form or a query
	seen  map[string]bool
	wrong []FieldError
}

func (in *fieldReader) refuse(name, message string) {
	in.wrong = append(in.wrong, FieldError{Field: name, Message: message})
}

func (in *fieldReader) get(name string) (any, bool) {
	in.seen[name] = true
	v, ok := in.sent[name]
	return v, ok
}

func (in *fieldReader) boolean(name string) *bool {
	v, ok := in.get(name)
	if !ok {
		return nil
	}
	if in.text {
		v = booleanIn(v)
	}

	b, isBool := v.(bool)
	if !isBool {
		in.refuse(name, "must be true or false")
		return nil
	}

	return &b
}

// booleanIn returns true and false for the texts "true" and "false", and any other
// value as it is.
func booleanIn(v any) any {
	switch v {
	case "true":
		return true
	case "false":
		return false
	}
	return v
}

func (in *fieldReader) ipv6(name string) *string {
	v, ok := in.get(name)
	if !ok {
		return nil
	}
	text, _ := v.(string)
	if a, err := netip.ParseAddr(text); err != nil || !a.Is6() {
		in.refuse(name, "must be an IPv6 address; IPv4 is mapped into IPv6 space")
		return nil
	}

	return &text
}

// instant returns a time as it was sent. format is the one that is accepted,
// TimeRFC3339 or TimeUnixMS; empty is TimeRFC3339.
func (in *fieldReader) instant(name, format string) any {
	v, ok := in.get(name)
	if !ok {
		return nil
	}
	if format == TimeUnixMS {
		return in.milliseconds(name, v)
	}
	return in.rfc3339(name, v)
}

func (in *fieldReader) rfc3339(name string, v any) any {
	text, _ := v.(string)
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		in.refuse(name, "must be a time as RFC 3339 has it")
		return nil
	}
	return text
}

func (in *fieldReader) milliseconds(name string, v any) any {
	number, _ := v.(json.Number)
	if text, isText := v.(string); in.text && isText {
		number = json.Number(text)
	}

	if _, err := number.Int64(); err != nil {
		in.refuse(name, "must be a number of milliseconds since 1970")
		return nil
	}

	return number
}

func (in *fieldReader) refuseOthers() {
	for _, name := range slices.Sorted(maps.Keys(in.sent)) {
		if !in.seen[name] {
			in.refuse(name, "is not known")
		}
	}
}
