// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"cmp"
	"slices"
	"strings"
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

	foldedClauses = strings.Fields("clause1consent clause2consent clause3consent clause4consent clause5consent")
)

// Consent is the latest consent state at the service. The interface does not show the
// fields of this answer: they are expected under the names of the update.
type Consent struct {
	Clauses       [Clauses]Optional[bool]
	UserIPv6      Optional[string]
	AgreementTime Optional[time.Time]
	Manual        Optional[bool]
	Identity      string // the person whom the record names, by the interface's own name; empty if it names none
	JSON          []byte // the complete answer
}

// HasClauses reports whether the record has all five clauses, with these values.
func (c Consent) HasClauses(want [Clauses]bool) bool {
	for i, agreed := range want {
		if c.Clauses[i] != Some(agreed) {
			return false
		}
	}
	return true
}

// ConsentCall is a call that answers with a consent record, and the settings for it.
type ConsentCall struct {
	Envelope Envelope
	At       jsontext.Pointer // wire.consent.at: where the record is; empty finds it
	// TimeFormat is wire.consent.time_answered, or else wire.consent.time_format: a form of times that is read beside RFC 3339 and
	// milliseconds.
	TimeFormat string
}

// Read returns the consent record of an answer: the object where At says, or else the outermost one
// that has all five clauses. Objects inside of it, such as a history, are not looked at. A field
// that is not beside the clauses is that of the closest object around them. The error is an *Error.
// It is Absent where the answer is null or empty, or all five clauses are null: the service knows
// of no choice.
func (c ConsentCall) Read(v jsontext.Value) (Consent, error) {
	answer := c.Envelope.decode(v)
	found, err := c.Envelope.content(answer, "wire.consent.at", c.At)
	if err != nil {
		return Consent{}, err
	}

	var none error = &Error{Outcome: Absent, Why: "the service holds no consent of this person; its answer is empty"}
	switch {
	case found.saysNo(outcomeFields):
		return Consent{}, refused()
	case found.isBlank() || found.isEmptyList():
		return Consent{}, cmp.Or(unexplained(answer, c.Envelope.At+c.At), none)
	case found.Kind() != '{':
		return Consent{}, wantObject(found)
	}

	object, err := outermostConsent(found)
	if err != nil {
		return Consent{}, err
	}
	consent, problem := c.record(object)
	if problem != nil {
		return Consent{}, problem
	}
	consent.JSON = v

	return consent, nil
}

// outermostConsent returns the outermost object with five clauses in an object. One with some of them,
// or several objects at one depth, are an Error: which of them is the latest state is not known.
func outermostConsent(top *node) (*node, error) {
	for level := []*node{top}; len(level) > 0; {
		var found, next []*node
		for _, object := range level {
			switch object.clauses() {
			case Clauses:
				found = append(found, object)
			case 0:
				next = append(next, object.members...)
			default:
				return nil, &Error{Why: "an object of the answer has some of the five clauses and not all"}
			}
		}

		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, &Error{
				Why:    "the answer has clauses in more than one object, so that the record of this person is not known",
				Advice: "wire.consent.at points to the record",
			}
		}
		level = next
	}

	return nil, &Error{Why: "no object of the answer has the five clauses of a consent record, clause_1_consent to clause_5_consent; it is " + Structure(top.Value)}
}

// clauses returns how many of the five clauses the object has.
func (n *node) clauses() (count int) {
	for _, name := range foldedClauses {
		if slices.ContainsFunc(n.members, func(m *node) bool { return m.name == name && !m.ignored }) {
			count++
		}
	}
	return count
}

// record returns the record that an object with five clauses is, with those around it.
func (c ConsentCall) record(object *node) (consent Consent, problem *Error) {
	nulls := 0
	for i, name := range ClauseNames {
		if consent.Clauses[i], problem = read(object, name, "a boolean", (*node).truth); problem != nil {
			return Consent{}, problem
		}
		if consent.Clauses[i].Null {
			nulls++
		}
	}
	if consent.UserIPv6, problem = read(object, "user_ipv6", "a string", (*node).string); problem != nil {
		return Consent{}, problem
	}
	if consent.AgreementTime, problem = c.agreementTime(object); problem != nil {
		return Consent{}, problem
	}
	if consent.Manual, problem = read(object, "manual", "a boolean", (*node).truth); problem != nil {
		return Consent{}, problem
	}
	if nulls == Clauses {
		return Consent{}, &Error{Outcome: Absent, Why: "the service holds no consent of this person; all its clauses are null"}
	}

	identity, problem := closest(object, "identityId")
	consent.Identity = identity.scalar()

	return consent, problem
}

// closest returns a field of an object, or of the closest object around it that has the field; an
// empty node where none does. Two members that are spelled differently and are the same field are an Error, because two
// readers would understand them differently.
func closest(object *node, name string) (*node, *Error) {
	folded := jsonvalue.Fold(name)
	isOther := func(m *node) bool { return m.name != folded || m.ignored }
	for ; object != nil; object = object.parent {
		found := slices.DeleteFunc(slices.Clone(object.members), isOther)
		if len(found) > 1 {
			return &node{}, &Error{Why: "the answer has " + name + " twice, in different spellings"}
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}

	return &node{}, nil
}

// read returns a field of a record. expected says what convert accepts, for the Error of any other
// value.
func read[T any](object *node, name, expected string, convert func(*node) (T, bool)) (Optional[T], *Error) {
	n, problem := closest(object, name)
	value, ok := convert(n)
	switch {
	case problem != nil || n.Value == nil:
		return Optional[T]{}, problem
	case n.isNull():
		return Optional[T]{Null: true}, nil
	case ok:
		return Some(value), nil
	}

	return Optional[T]{}, &Error{Why: name + ": expected " + expected + ", found " + jsonvalue.KindName(n.Kind())}
}

// agreementTime returns the time of a record, which may have a form of times that is told. One before
// the year 2000 is absent, since programs write such instants for none, and so is an empty text. The
// Error names the form that the value has.
func (c ConsentCall) agreementTime(object *node) (Optional[time.Time], *Error) {
	readIn := func(form string) (Optional[time.Time], *Error) {
		return read(object, "agreement_time", "an RFC 3339 time or milliseconds since 1970", func(n *node) (time.Time, bool) {
			at, ok := n.instant(form)
			return at, ok || string(n.Value) == `""`
		})
	}
	agreed, problem := readIn(c.TimeFormat)
	if agreed.Given && agreed.Value.Before(earliestInstant) {
		return Optional[time.Time]{}, nil
	}
	if problem == nil {
		return agreed, nil
	}

	for _, form := range []string{TimeUnixS, TimeUTC, TimeDate} {
		if _, other := readIn(form); other == nil {
			problem.Advice = Admits(`wire.consent.time_format = "` + form + `"`)
			break
		}
	}

	return agreed, problem
}
