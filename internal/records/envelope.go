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

	before  Counts
	members int
	found   bool // it has a container of records
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
	e, err := x.readObject(place{})
	if err != nil {
		return err
	}
	if e.found && !x.wanted {
		return &answer.Error{Why: otherKind + ": there are only lists of other kinds than " + x.options.Asked.String(), Advice: KindSettings}
	}
	if e.found {
		return nil
	}

	var names []string
	for _, entry := range x.strange {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	for _, s := range e.stated {
		names = append(names, s.name)
	}
	described := ""
	if len(names) > 0 {
		described = " (its members are " + answer.Shown(names) + ")"
	}

	return &answer.Error{Why: noList + ": the answer is an object, and " + nothingShows + described, Advice: namesMember}
}

// readObject reads an object around records. Without a container of records it is itself
// what is not recognised, which its caller has to say.
func (x *reader) readObject(in place) (*envelope, error) {
	e := &envelope{place: in, before: x.counts}
	if _, err := x.dec.ReadToken(); err != nil {
		return nil, x.failure(err)
	}

	for x.dec.PeekKind() == '"' {
		if e.members++; e.members > LimitMembers {
			return nil, fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}
		if err := x.readMember(e); err != nil {
			return nil, err
		}
	}
	if _, err := x.dec.ReadToken(); err != nil {
		return nil, x.failure(err)
	}

	if !e.found {
		return e, nil
	}
	if err := x.refuseStrange(); err != nil {
		return nil, err
	}

	// What it counts has to be what it has.
	for _, s := range e.stated {
		has := x.counts.Of(s.kind) - e.before.Of(s.kind)
		if s.kind == Unknown {
			has = x.counts.Total() - e.before.Total()
		}
		if s.count != strconv.FormatInt(has, 10) {
			return nil, answer.Beside(wrongCount+": ", ignoredMembers, []string{s.name})
		}
	}

	return e, nil
}

func (x *reader) readMember(e *envelope) error {
	token, err := x.dec.ReadToken()
	if err != nil {
		return x.failure(err)
	}

	name := token.String()
	in := place{name: name, kind: nameKind(name)}
	in.named = in.kind != Unknown
	in.shows = in.named || e.shows && isList(name)
	in.kind = cmp.Or(in.kind, e.kind)

	value := x.dec.PeekKind()
	switch {
	case (value == '[' || value == '{') && !in.named && x.ignores(name, ""):
		return x.failure(x.dec.SkipValue())
	case value == '[':
		return x.readContainer(e, in)
	case value == '{':
		return x.readWrapper(e, in)
	}

	return x.readRemark(e, in)
}

// readContainer reads an array in an object.
func (x *reader) readContainer(e *envelope, in place) error {
	if _, err := x.dec.ReadToken(); err != nil {
		return x.failure(err)
	}

	isEmpty := x.dec.PeekKind() == ']'
	if isEmpty && !in.named && !isList(in.name) && x.options.RecordMember == "" {
		x.addStrange(in.name, "[]")
	} else if err := x.found(e, in); err != nil {
		return err
	}

	return x.readRecords(in)
}

// found notes that an object has a container of records. The members in front of it have
// to be recognised.
func (x *reader) found(e *envelope, in place) error {
	e.found = true
	if in.kind == Unknown || x.options.Asked == Unknown || in.kind == x.options.Asked {
		x.wanted = true
	}

	return x.refuseStrange()
}

// readWrapper reads an object in an object.
func (x *reader) readWrapper(e *envelope, in place) error {
	before := len(x.strange)
	inner, err := x.readObject(in)
	if err != nil {
		return err
	}
	if inner.found {
		e.found = true
		return nil
	}

	x.strange = x.strange[:before]
	if in.named {
		return &answer.Error{Why: noList + ": " + answer.Shown([]string{in.name}) + " is an object without one", Advice: namesMember}
	}

	value := ""
	if inner.members == 0 {
		value = "{}"
	}
	x.addStrange(in.name, value)

	return nil
}

// readRemark reads a member that is neither an array nor an object.
func (x *reader) readRemark(e *envelope, in place) error {
	v, err := x.dec.ReadValue()
	if err != nil {
		return x.failure(err)
	}

	if v.Kind() == 'n' && in.named {
		return x.found(e, in)
	}
	kind, isCount := counted(in.name)
	if isCount && v.Kind() == '0' && !x.ignores(in.name, "") {
		e.stated = append(e.stated, statement{in.name, kind, string(v)})
		return nil
	}

	value := ""
	if v.Kind() == 'n' || v.Kind() == 't' || v.Kind() == 'f' {
		value = string(v)
	}
	x.addStrange(in.name, value)

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
