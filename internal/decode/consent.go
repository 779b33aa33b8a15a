// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"cmp"
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
)

// Optional is a field of an answer: absent, null or a value. The zero Optional is absent.
type Optional[T any] struct {
	Value T // zero unless it is Given
	Given bool
	Null  bool
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Given: true} }

// Consent is the latest consent state at the service, whose fields are expected under the names of the update.
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

var errNoConsent error = &Error{Outcome: Absent, Why: "the service holds no consent of this person; there is nothing in its answer"}

// ConsentCall is a call that answers with a consent record, and the settings for it.
type ConsentCall struct {
	Envelope   Envelope
	At         jsontext.Pointer // wire.consent.at: where the record is; empty finds it
	OmitsFalse bool             // wire.consent.omits_false: a clause that the object where At says does not have is false
	TimeFormat string           // a form of times that is read beside RFC 3339 and milliseconds
}

// Read returns the consent record of an answer. The error is an *Error, which is Absent where the answer is null or
// empty, or all five clauses are null: the service knows of no choice.
func (c ConsentCall) Read(v jsontext.Value) (Consent, error) {
	answer := c.Envelope.decode(v)
	found, err := c.Envelope.content(answer, c.At)
	switch {
	case err != nil:
		return Consent{}, err
	case found.says(refusalNames, Failed):
		return Consent{}, refused()
	case found.isBlank():
		return Consent{}, cmp.Or(unexplained(answer, found), errNoConsent)
	}

	object, err := c.object(found)
	if err != nil {
		return Consent{}, err
	}

	return c.record(answer, object)
}

// object returns the outermost object with clauses in a value. Objects inside of it, such as a history, are not looked at.
func (c ConsentCall) object(found *node) (*node, error) {
	if c.OmitsFalse && len(found.named(consentNames...)) > 0 {
		return found, nil
	}

	objects := found.outermost(func(n *node) bool { return len(n.named(clauseNames...)) > 0 })
	if len(objects) == 0 {
		return nil, &Error{Why: "no object of the answer has the five clauses of a consent record, clause_1_consent to clause_5_consent; it is " + Structure(found.Value)}
	}
	if len(objects) > 1 || len(objects[0].named(clauseNames...)) < Clauses {
		return nil, &Error{
			Why:    "an object of the answer has some of the five clauses and not all, or several objects have clauses, so that the record of this person is not known",
			Advice: "wire.consent.at points to the record",
		}
	}

	return objects[0], nil
}

// record returns the record that an object of an answer is, with those around it.
func (c ConsentCall) record(answer, object *node) (Consent, error) {
	f := &fields{object: object}
	truth := func(n *node) (isTrue, ok bool) {
		isTrue, ok = truths[strings.ToLower(cmp.Or(n.text, string(n.Value)))]
		return isTrue, ok
	}
	consent := Consent{JSON: answer.Value}
	for i, name := range ClauseNames {
		consent.Clauses[i] = take(f, name, "a boolean", truth)
		if c.OmitsFalse && consent.Clauses[i] == (Optional[bool]{}) {
			consent.Clauses[i] = Some(false)
		}
	}
	consent.Manual = take(f, "manual", "a boolean", truth)
	consent.UserIPv6 = take(f, "user_ipv6", "a string", func(n *node) (string, bool) { return n.text, n.Kind() == '"' })
	consent.Identity = take(f, "identityId", "", func(n *node) (string, bool) { return n.text, true }).Value
	consent.AgreementTime = take(f, "agreement_time", "an RFC 3339 time or milliseconds since 1970", func(n *node) (time.Time, bool) { return n.instant(c.TimeFormat) })
	consent.AgreementTime.Given = !consent.AgreementTime.Value.IsZero()

	null := Optional[bool]{Null: true}
	if consent.Clauses == [Clauses]Optional[bool]{null, null, null, null, null} {
		f.problem = cmp.Or(f.problem, unexplained(answer, object), errNoConsent)
	}
	if f.problem != nil {
		return Consent{}, f.problem
	}

	return consent, nil
}

// fields are those of a record and of the objects around it.
type fields struct {
	object  *node
	problem error // of the first field that is not what it should be
}

// take returns a field of the record, or else that of the closest object around it. A value that convert does not
// accept is a problem, and so are two spellings of a name, which two readers would understand differently.
func take[T any](f *fields, name, expected string, convert func(*node) (T, bool)) Optional[T] {
	var found []*node
	for object := f.object; object != nil && len(found) == 0; object = object.around {
		found = object.named(jsonvalue.Fold(name))
	}

	switch {
	case len(found) == 0:
		return Optional[T]{}
	case len(found) > 1:
		f.problem = cmp.Or(f.problem, error(&Error{Why: "the answer has " + name + " twice, in different spellings"}))
	case found[0].Kind() == 'n':
		return Optional[T]{Null: true}
	}

	value, isValid := convert(found[0])
	if !isValid {
		f.problem = cmp.Or(f.problem, error(&Error{Why: name + ": expected " + expected + ", found " + jsonvalue.KindName(found[0].Kind())}))
	}

	return Optional[T]{Value: value, Given: true}
}
