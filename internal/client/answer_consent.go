package client

import (
	"errors"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Clauses is the number of clauses in a consent record (section 2).
const Clauses = 5

var (
	consentFields   = []string{clauseName(0), clauseName(1), clauseName(2), clauseName(3), clauseName(4), "user_ipv6", "agreement_time", "manual"}
	consentWrappers = []string{"consent", "data", "result", "record", "attributes"}
)

// clauseName returns the parameter of clause i, counted from 0.
func clauseName(i int) string { return "clause_" + strconv.Itoa(i+1) + "_consent" }

// Consent is the latest consent state at the service. The interface does not show the
// fields of this answer: they are expected under the names of the update, at the top or
// under wrappers, and any of them may be absent.
type Consent struct {
	Clauses       [Clauses]Optional[bool]
	UserIPv6      Optional[string]
	AgreementTime Optional[time.Time]
	Manual        Optional[bool]
	JSON          []byte // the complete answer
}

// LaterThan reports whether the service holds an agreement_time after t, to the
// millisecond.
func (c Consent) LaterThan(t time.Time) bool {
	held, ok := c.AgreementTime.Get()
	return ok && held.UnixMilli() > t.UnixMilli()
}

// isUntimed reports whether the record has no agreement_time. Null and absent are alike:
// neither says when the person chose.
func (c Consent) isUntimed() bool {
	_, timed := c.AgreementTime.Get()
	return !timed
}

// hasClauses reports whether the record has all five clauses, with these values.
func (c Consent) hasClauses(want [Clauses]bool) bool {
	for i, agreed := range want {
		if v, ok := c.Clauses[i].Get(); !ok || v != agreed {
			return false
		}
	}

	return true
}

// consent reads the fields of a consent record. An answer of another form is an error:
// taken for "no consent", it would switch off what protects a person's choice.
func (a answer) consent() (Consent, error) {
	r, err := findConsent(a.json)
	if err != nil {
		return Consent{}, a.noConsent(r, err)
	}

	held := Consent{
		UserIPv6:      r.text("user_ipv6"),
		AgreementTime: r.instant("agreement_time"),
		Manual:        r.boolean("manual"),
		JSON:          a.json,
	}
	for i := range held.Clauses {
		held.Clauses[i] = r.boolean(clauseName(i))
	}
	if r.err != nil {
		return Consent{}, a.unexpected(r.err.Error())
	}

	return held, nil
}

// noConsent returns the error of an answer without a consent record: of ClassNotFound where
// the answer is null or empty, since the service knows of none then.
func (a answer) noConsent(r *record, why error) error {
	if err := a.complaint(); err != nil {
		return err
	}

	if a.json.Kind() == 'n' || a.json.Kind() == '{' && r.isEmpty(consentWrappers) {
		return a.call.fail(ClassNotFound, a.status, "the service holds no consent of this person; its answer is empty")
	}
	if a.json.Kind() != '{' {
		return a.unexpected("$: expected an object, found " + jsonvalue.KindName(a.json.Kind()))
	}
	return a.unexpected(why.Error())
}

// consentLevels is how deep a consent record is looked for: at the top, and under one or
// two wrappers.
const consentLevels = 3

var (
	errNoConsentFields = errors.New("no field of a consent record was recognised in the answer")
	errManyConsents    = errors.New("the answer has clauses in more than one object, so that the record of this person is not known")
)

// findConsent returns the one object with clauses, under any wrappers. Without one it
// looks for the other fields of a record, under the usual wrappers, and returns the
// innermost object beside an error.
func findConsent(v jsontext.Value) (*record, error) {
	found := recordsWithClauses(&record{path: "$", members: jsonvalue.Members(v)}, consentLevels)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return found[0], errManyConsents
	}

	r, ok := findRecord(v, consentFields, consentWrappers)
	if !ok {
		return r, errNoConsentFields
	}
	return r, nil
}

// recordsWithClauses returns the objects with clauses among an object and those inside it,
// to a depth of so many levels.
func recordsWithClauses(r *record, levels int) (found []*record) {
	if r.hasAny(consentFields[:Clauses]) {
		found = append(found, r)
	}
	if levels == 1 {
		return found
	}

	for _, name := range jsonvalue.Names(r.members) {
		isComplaint := name == "error" || name == "errors" // which may name clauses
		if r.members[name].Kind() == '{' && !isComplaint {
			inner := &record{path: r.path + "." + name, members: jsonvalue.Members(r.members[name])}
			found = append(found, recordsWithClauses(inner, levels-1)...)
		}
	}
	return found
}
