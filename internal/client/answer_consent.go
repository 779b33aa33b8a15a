package client

import (
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Clauses is the number of clauses in a consent record (section 2).
const Clauses = 5

var (
	clauseNames     = [Clauses]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}
	consentFields   = append(clauseNames[:], "user_ipv6", "agreement_time", "manual")
	consentWrappers = []string{"consent", "data", "result", "record", "attributes"}
)

// IsConsentMember reports whether a member of a consent record is recognised by its name.
func IsConsentMember(name string) bool { return slices.Contains(consentFields, name) }

// clauseName returns the parameter of clause i, counted from 0.
func clauseName(i int) string { return clauseNames[i] }

// Consent is the latest consent state at the service. The interface does not show the
// fields of this answer: they are expected under the names of the update, at the top or
// under wrappers. Any of them may be absent.
type Consent struct {
	Clauses       [Clauses]Optional[bool]
	UserIPv6      Optional[string]
	AgreementTime Optional[time.Time]
	Manual        Optional[bool]
	JSON          []byte // the complete answer
}

// LaterThan reports whether the record has an agreement_time after t, to the millisecond.
func (c Consent) LaterThan(t time.Time) bool {
	held, ok := c.AgreementTime.Get()
	return ok && held.UnixMilli() > t.UnixMilli()
}

// isUntimed reports whether the record has no agreement_time, null or absent: neither says
// when the person chose.
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

// consent returns the consent record of the answer. An answer of another form is an error:
// taken for "no consent", it would switch off what protects a person's choice.
func (a answer) consent() (Consent, error) {
	r, err := findConsent(a.json)
	if err != nil {
		return Consent{}, a.withoutConsent(r, err)
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

// withoutConsent returns the error of an answer without a consent record: of ClassNotFound
// where the answer is null or empty, which means that the service knows of none. r is the
// innermost object of the answer.
func (a answer) withoutConsent(r *record, why error) error {
	if err := a.complaint(); err != nil {
		return err
	}

	kind := a.json.Kind()
	if kind != 'n' && kind != '{' {
		return a.unexpected("$: expected an object, found " + jsonvalue.KindName(kind))
	}
	if r.isEmpty(consentWrappers) {
		return a.call.fail(ClassNotFound, a.status, "the service holds no consent of this person; its answer is empty")
	}

	return a.unexpected(why.Error())
}

// consentLevels is how deep a consent record may be: at the top, or under one or two
// wrappers.
const consentLevels = 3

var (
	errNoConsentFields = errors.New("no field of a consent record was recognised in the answer")
	errManyConsents    = errors.New("the answer has clauses in more than one object, so that the record of this person is not known")
)

// findConsent returns the one object with clauses, under any wrappers, or else one with
// other fields of a record, under the usual wrappers. Without one it returns the innermost
// object and an error.
func findConsent(v jsontext.Value) (*record, error) {
	found := recordsWithClauses(newRecord("$", v), consentLevels)
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

// recordsWithClauses returns those of an object and the objects inside of it that have
// clauses, to a depth of so many levels.
func recordsWithClauses(r *record, levels int) (found []*record) {
	if r.hasAny(consentFields[:Clauses]) {
		found = append(found, r)
	}
	if levels == 1 {
		return found
	}

	for _, name := range jsonvalue.Names(r.members) {
		if name == "error" || name == "errors" {
			continue // they may name clauses
		}
		if r.members[name].Kind() == '{' {
			found = append(found, recordsWithClauses(r.inner(name), levels-1)...)
		}
	}

	return found
}
