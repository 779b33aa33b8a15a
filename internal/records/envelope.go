// SPDX-License-Identifier: MPL-2.0

package records

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// envelope is an object around records, while it is read.
type envelope struct {
	place

	members int
	stated  []statement
}

// statement is a member that counts records.
type statement struct {
	name  string
	kind  Kind // Unknown: records of all kinds
	count string
}

// readEnvelope reads the object that is the whole answer.
func (x *reader) readEnvelope() error {
	if _, err := x.readObject(place{}); err != nil {
		return err
	}

	asked := x.options.Asked
	if x.lists.Total() > 0 {
		if asked != Unknown && x.lists.Of(asked)+x.lists.Of(Unknown) == 0 {
			return &answer.Error{Why: otherKind + ": there are only lists of other kinds than " + asked.String(), Advice: KindSettings}
		}
		return nil
	}

	described := ""
	if len(x.strange) > 0 {
		described = " (its members are " + answer.Shown(x.strange) + ")"
	}

	return &answer.Error{Why: noList + ": the answer is an object, and " + nothingShows + described, Advice: namesMember}
}

// readObject reads an object around records. Without a list of records it is itself what is
// not recognised, which its caller has to say.
func (x *reader) readObject(in place) (isEmpty bool, err error) {
	e, before, lists := &envelope{place: in}, x.counts, x.lists.Total()
	_, _ = x.dec.ReadToken() // an error comes again

	for x.dec.PeekKind() == '"' {
		if e.members++; e.members > LimitMembers {
			return false, fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}
		if err := x.readMember(e); err != nil {
			return false, err
		}
	}
	if _, err := x.dec.ReadToken(); err != nil || lists == x.lists.Total() {
		return e.members == 0, err
	}

	// What it counts has to be what it has.
	for _, s := range e.stated {
		has := x.counts.Of(s.kind) - before.Of(s.kind)
		if s.kind == Unknown {
			has = x.counts.Total() - before.Total()
		}
		if s.count != strconv.FormatInt(has, 10) {
			return false, answer.Beside(wrongCount+": ", ignoredMembers, []string{s.name})
		}
	}

	return false, x.refuseStrange()
}

// readMember reads a member of an object around records.
func (x *reader) readMember(e *envelope) error {
	token, err := x.dec.ReadToken()
	if err != nil {
		return err
	}

	in := place{name: token.String()}
	in.kind = nameKind(in.name)
	in.named = in.kind != Unknown
	in.shows = in.named || e.shows && isList(in.name)
	in.kind = cmp.Or(in.kind, e.kind)

	value := x.dec.PeekKind()
	switch {
	case (value == '[' || value == '{') && !in.named && x.ignores(in.name, ""):
		return x.dec.SkipValue()
	case value == '[':
		return x.readContainer(in)
	case value == '{':
		return x.readWrapper(in)
	}

	return x.readRemark(e, in)
}

// readContainer reads an array in an object.
func (x *reader) readContainer(in place) error {
	_, _ = x.dec.ReadToken() // an error comes again
	if x.dec.PeekKind() == ']' && !in.named && !isList(in.name) && x.options.RecordMember == "" {
		x.addStrange(in.name, "[]")
	} else if err := x.found(in); err != nil {
		return err
	}

	return x.readRecords(in)
}

// found notes a list of records. The members in front of it have to be recognised.
func (x *reader) found(in place) error {
	x.lists[in.kind]++
	return x.refuseStrange()
}

// readWrapper reads an object in an object.
func (x *reader) readWrapper(in place) error {
	strange, lists := len(x.strange), x.lists.Total()
	isEmpty, err := x.readObject(in)
	if err != nil || lists < x.lists.Total() {
		return err
	}

	x.strange = x.strange[:strange]
	if in.named {
		return &answer.Error{Why: noList + ": " + answer.Shown([]string{in.name}) + " is an object without one", Advice: namesMember}
	}

	value := ""
	if isEmpty {
		value = "{}"
	}
	x.addStrange(in.name, value)

	return nil
}

// readRemark reads a member that is neither an array nor an object.
func (x *reader) readRemark(e *envelope, in place) error {
	v, err := x.dec.ReadValue()
	if err != nil {
		return err
	}

	kind, isCount := counted(in.name)
	switch {
	case v.Kind() == 'n' && in.named:
		return x.found(in)
	case v.Kind() == '0' && isCount && !x.ignores(in.name, ""):
		e.stated = append(e.stated, statement{in.name, kind, string(v)})
	case v.Kind() == 'n' || v.Kind() == 't' || v.Kind() == 'f':
		x.addStrange(in.name, string(v))
	default:
		x.addStrange(in.name, "")
	}

	return nil
}

// addStrange notes a member that is not recognised, unless it is ignored with its value.
func (x *reader) addStrange(name, value string) {
	const limit = 12
	if !x.ignores(name, value) && len(x.strange) < limit {
		x.strange = append(x.strange, strings.TrimSuffix(name+"="+value, "="))
	}
}

// ignores reports whether a member with the value is ignored.
func (x *reader) ignores(name, value string) bool {
	return slices.ContainsFunc(x.options.Ignored, func(entry string) bool {
		ignored, only, _ := strings.Cut(entry, "=")
		return jsonvalue.Fold(ignored) == jsonvalue.Fold(name) && (only == "" || only == value)
	})
}

// refuseStrange refuses the members that stand beside the records, if there are any.
func (x *reader) refuseStrange() error {
	if len(x.strange) == 0 {
		return nil
	}

	refusal := answer.Beside(strangeMember+": ", ignoredMembers, slices.Clone(x.strange))
	refusal.Advice += "; " + namesMember

	return refusal
}
