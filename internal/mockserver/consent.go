// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"encoding/json"
	"maps"
	"net/netip"
	"time"
)

// Clauses is the number of clauses of a consent record (section 2).
const Clauses = 5

// ConsentRecord is a person's consent as the service holds it (section 2).
type ConsentRecord struct {
	Clauses       [Clauses]bool
	UserIPv6      *string
	AgreementTime any // a string or a json.Number, as it was sent; nil: none
	Manual        *bool
	// Extra are further fields of the answer, and may replace one above until an update sends that.
	Extra map[string]any
}

// clauseNames are the parameters and fields of the clauses.
var clauseNames = [Clauses]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}

// PutConsent replaces a person's consent record, as if another client had done so.
func (s *Server) PutConsent(scope Scope, identity string, record ConsentRecord) {
	fields := map[string]any{}
	for i, agreed := range record.Clauses {
		fields[clauseNames[i]] = agreed
	}
	if record.UserIPv6 != nil {
		fields["user_ipv6"] = *record.UserIPv6
	}
	if record.AgreementTime != nil {
		fields["agreement_time"] = record.AgreementTime
	}
	if record.Manual != nil {
		fields["manual"] = *record.Manual
	}

	s.put(&s.consents, person{scope, identity}, merge(fields, record.Extra))
}

// Consent returns a copy of a person's consent record without Extra, and whether there is one.
func (s *Server) Consent(scope Scope, identity string) (record ConsentRecord, ok bool) {
	fields := s.get(&s.consents, person{scope, identity})
	for i, name := range clauseNames {
		record.Clauses[i], _ = fields[name].(bool)
	}
	if address, isText := fields["user_ipv6"].(string); isText {
		record.UserIPv6 = &address
	}
	if manual, isFlag := fields["manual"].(bool); isFlag {
		record.Manual = &manual
	}
	record.AgreementTime = fields["agreement_time"]

	return record, fields != nil
}

// DeleteConsent removes a person's consent record; reading it is then a 404.
func (s *Server) DeleteConsent(scope Scope, identity string) {
	s.put(&s.consents, person{scope, identity}, nil)
}

// getConsent is GET …/user/:identityId/consent (section 4).
func (s *Server) getConsent(c *Request) Response {
	return s.read(&s.consents, c)
}

// updateConsent is PATCH …/user/:identityId/consent (section 4): the fields that are sent replace those of the
// record. All five clauses are required (section 2).
func (s *Server) updateConsent(c *Request) Response {
	wrong, fields := map[string]string{}, map[string]any{}
	for _, name := range clauseNames {
		wrong[name] = "is required"
	}
	for name, value := range c.sentIn(s.Wire.Consent.ParametersIn) {
		if text, ok := value.(string); ok && c.place != InJSON {
			value = decodeText(name, text, s.Wire.Consent.TimeFormat)
		}
		fields[name] = value
		delete(wrong, name)
		_, isTime := timeForms[s.Wire.Consent.TimeFormat].parse(value)
		if !isRight(name, value, isTime) {
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
func decodeText(name, text, timeFormat string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	if name == "agreement_time" && timeForms[timeFormat].unit > 0 {
		return json.Number(text)
	}
	return text
}

// isRight reports whether a parameter is known and has a right value. isTime reports whether that is a time.
func isRight(name string, value any, isTime bool) bool {
	text, _ := value.(string)
	_, isFlag := value.(bool)
	switch name {
	case "user_ipv6":
		a, _ := netip.ParseAddr(text) // the zero Addr is no address
		return a.Is6() && a.Zone() == ""
	case "agreement_time":
		return isTime
	case "manual", clauseNames[0], clauseNames[1], clauseNames[2], clauseNames[3], clauseNames[4]:
		return isFlag
	}

	return false
}

// timeForm is a form of a time: a text of a layout, or a number of units since 1970.
type timeForm struct {
	layout string
	unit   time.Duration
}

var timeForms = map[string]timeForm{
	"":          {layout: time.RFC3339},
	TimeRFC3339: {layout: time.RFC3339},
	TimeUTC:     {layout: "2006-01-02T15:04:05.999999999"},
	TimeDate:    {layout: time.DateOnly},
	TimeUnixMS:  {unit: time.Millisecond},
	TimeUnixS:   {unit: time.Second},
}

// parse returns the time that a value in the form means, and whether it is in the form.
func (f timeForm) parse(value any) (time.Time, bool) {
	if f.layout != "" {
		text, _ := value.(string)
		at, err := time.Parse(f.layout, text)
		return at, err == nil
	}

	number, _ := value.(json.Number)
	n, err := number.Int64()
	isSeconds := n < 100_000_000_000

	return time.UnixMilli(n * f.unit.Milliseconds()), err == nil && isSeconds == (f.unit == time.Second)
}

// parseTime returns the time that a value in any form means; zero if it is in none.
func parseTime(value any) time.Time {
	for _, form := range timeForms {
		if at, ok := form.parse(value); ok {
			return at
		}
	}
	return time.Time{}
}
