package mockserver

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Clauses is how many clauses a consent record has (section 2).
const Clauses = 5

// ConsentRecord is what the service holds of a person's consent (section 2). That
// reading gives back the fields of the update is an assumption.
type ConsentRecord struct {
	Clauses       [Clauses]bool
	UserIPv6      *string
	AgreementTime any // a string or a json.Number, as it was sent; nil: none
	Manual        *bool
	// Extra are further fields of the answer. One that has the name of a field above
	// takes its place, so that answers can be odd; an update that sends it ends that.
	Extra map[string]any
}

func clauseName(i int) string { return "clause_" + strconv.Itoa(i+1) + "_consent" }

// clone shares nothing that can be changed.
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

// merged is the record after a change, whose optional fields count where they are
// set; sent are all parameters by name.
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

// fields is the record as it is answered.
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

// readConsent checks the parameters of an update. All five clauses are required;
// that unknown parameters are refused is an assumption.
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
	in.refuseOthers()
	return record, in.wrong
}

// fieldReader takes typed fields out of what was sent and collects what is wrong.
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
	if in.text && (v == "true" || v == "false") {
		v = v == "true"
	}
	b, isBool := v.(bool)
	if !isBool {
		in.refuse(name, "must be true or false")
		return nil
	}
	return &b
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

// instant accepts the one format that the wire has, and keeps its spelling.
func (in *fieldReader) instant(name, format string) any {
	v, ok := in.get(name)
	if !ok {
		return nil
	}
	text, isText := v.(string)
	if format != TimeUnixMS {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			in.refuse(name, "must be a time as RFC 3339 has it")
			return nil
		}
		return text
	}
	number, isNumber := v.(json.Number)
	if in.text && isText {
		number, isNumber = json.Number(text), true
	}
	if _, err := number.Int64(); err != nil || !isNumber {
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
