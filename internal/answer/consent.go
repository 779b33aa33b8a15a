// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Clauses is the number of clauses in a consent record (section 2).
const Clauses = 5

var (
	// ClauseNames are the parameters of the clauses.
	ClauseNames = [Clauses]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}
	// ConsentFields are the parameters of a consent record.
	ConsentFields = append(ClauseNames[:], "user_ipv6", "agreement_time", "manual")
)

// IsConsentMember reports whether a member of a consent record is recognised by its name.
func IsConsentMember(name string) bool {
	return slices.ContainsFunc(ConsentFields, func(field string) bool { return sameWord(field, name) })
}

// Consent is the latest consent state at the service. The interface does not show the
// fields of this answer: they are expected under the names of the update.
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

// IsUntimed reports whether the record has no agreement_time, null or absent: neither says
// when the person chose.
func (c Consent) IsUntimed() bool {
	_, timed := c.AgreementTime.Get()
	return !timed
}

// HasClauses reports whether the record has all five clauses, with these values.
func (c Consent) HasClauses(want [Clauses]bool) bool {
	for i, agreed := range want {
		if v, ok := c.Clauses[i].Get(); !ok || v != agreed {
			return false
		}
	}
	return true
}

// ReadConsent returns the consent record of an answer: the outermost object that has all
// five clauses. Objects inside of it, such as a history, are not looked at. The error is a
// *Error. It is Absent where the answer is null or empty, or all five clauses are null:
// the service knows of no choice.
func ReadConsent(v jsontext.Value) (Consent, error) {
	absent := &Error{Outcome: Absent, Why: "the service holds no consent of this person; its answer is empty"}
	top := Open(v)
	switch {
	case top.saysNo(outcomes):
		return Consent{}, refused()
	case isBlank(v):
		return Consent{}, absent
	case v.Kind() != '{':
		return Consent{}, wantObject(v)
	}

	o, problem := outermostConsent(top)
	if problem != nil {
		return Consent{}, problem
	}

	held := Consent{
		UserIPv6:      o.text("user_ipv6"),
		AgreementTime: o.instant("agreement_time"),
		Manual:        o.boolean("manual"),
		JSON:          v,
	}
	nulls := 0
	for i, name := range ClauseNames {
		held.Clauses[i] = o.boolean(name)
		if held.Clauses[i].IsNull() {
			nulls++
		}
	}

	if o.problem != nil {
		return Consent{}, o.problem
	}
	if nulls == Clauses {
		return Consent{}, absent
	}

	return held, nil
}

// isBlank reports whether a value is null, or an object of nothing but such values.
func isBlank(v jsontext.Value) bool {
	if v.Kind() != '{' {
		return isNull(v)
	}
	return !slices.ContainsFunc(Open(v).members, func(m member) bool { return !isBlank(m.value) })
}

// outermostConsent returns the outermost object with five clauses. An object with some of
// them, or several objects at one depth, are an Error: which of them is the latest state
// is not known.
func outermostConsent(top *Object) (*Object, *Error) {
	const levels = 8
	level := []*Object{top}
	for range levels {
		var found, next []*Object
		for _, o := range level {
			clauses := 0
			for _, name := range ClauseNames {
				if o.has(jsonvalue.Fold(name)) {
					clauses++
				}
			}

			switch clauses {
			case 0:
				next = append(next, o.objects("")...)
			case Clauses:
				found = append(found, o)
			default:
				return nil, &Error{Why: "an object of the answer has some of the five clauses and not all"}
			}
		}

		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, &Error{Why: "the answer has clauses in more than one object, so that the record of this person is not known"}
		}
		level = next
	}

	return nil, &Error{Why: "no object of the answer has the five clauses of a consent record, clause_1_consent to clause_5_consent"}
}
