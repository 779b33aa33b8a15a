// SPDX-License-Identifier: MPL-2.0

package records

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readEnvelope reads the object that is the whole answer.
func (x *Reader) readEnvelope() error {
	if _, err := x.readObject(position{}); err != nil {
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
func (x *Reader) readObject(in position) (isEmpty bool, err error) {
	members, before, lists := 0, x.result.Counts, x.lists.Total()
	stated := map[string]string{} // numbers of records, by the names of members
	_, _ = x.dec.ReadToken()      // an error comes again

	for x.dec.PeekKind() == '"' {
		if members++; members > LimitMembers {
			return false, fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}
		if err := x.readMember(in, stated); err != nil {
			return false, err
		}
	}
	if _, err := x.dec.ReadToken(); err != nil || lists == x.lists.Total() {
		return members == 0, err
	}

	// What it counts has to be what it has.
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		kind, _ := counted(name)
		has := x.result.Counts.Of(kind) - before.Of(kind)
		if kind == Unknown {
			has = x.result.Counts.Total() - before.Total()
		}
		if stated[name] != strconv.FormatInt(has, 10) {
			x.addStrange(name, "")
		}
	}

	return false, x.refuseStrange()
}

// readMember reads a member of an object around records, which stands in the place around. It
// adds one that counts records to stated.
func (x *Reader) readMember(around position, stated map[string]string) error {
	token, err := x.dec.ReadToken()
	if err != nil {
		return err
	}

	in := position{name: token.String()}
	in.kind = nameKind(in.name)
	in.named = in.kind != Unknown
	in.shows = in.named || around.shows && isList(in.name)
	in.kind = cmp.Or(in.kind, around.kind)

	value := x.dec.PeekKind()
	switch {
	case (value == '[' || value == '{') && !in.named && x.ignores(in.name, ""):
		return x.dec.SkipValue()
	case value == '[':
		return x.readContainer(in)
	case value == '{':
		return x.readWrapper(in)
	}

	return x.readRemark(in, stated)
}

// readContainer reads an array in an object.
func (x *Reader) readContainer(in position) error {
	_, _ = x.dec.ReadToken() // an error comes again
	if x.dec.PeekKind() == ']' && !in.named && !isList(in.name) && x.options.RecordMember == "" {
		x.addStrange(in.name, "[]")
		return x.readRecords(in)
	}

	x.lists[in.kind]++
	if err := x.refuseStrange(); err != nil { // what stands in front of the list
		return err
	}

	return x.readRecords(in)
}

// readWrapper reads an object in an object.
func (x *Reader) readWrapper(in position) error {
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
func (x *Reader) readRemark(in position, stated map[string]string) error {
	v, err := x.dec.ReadValue()
	if err != nil {
		return err
	}

	_, isCount := counted(in.name)
	switch {
	case v.Kind() == 'n' && in.named: // an empty list
		x.lists[in.kind]++
		return x.refuseStrange()
	case v.Kind() == '0' && isCount && !x.ignores(in.name, ""):
		stated[in.name] = string(v)
	case v.Kind() == 'n' || v.Kind() == 't' || v.Kind() == 'f':
		x.addStrange(in.name, string(v))
	default:
		x.addStrange(in.name, "")
	}

	return nil
}

// addStrange notes a member that is not recognised, unless it is ignored with its value.
func (x *Reader) addStrange(name, value string) {
	const limit = 12
	if !x.ignores(name, value) && len(x.strange) < limit {
		x.strange = append(x.strange, strings.TrimSuffix(name+"="+value, "="))
	}
}

// ignores reports whether a member with the value is ignored.
func (x *Reader) ignores(name, value string) bool {
	return slices.ContainsFunc(x.options.Ignored, func(entry string) bool {
		ignored, only, _ := strings.Cut(entry, "=")
		return jsonvalue.Fold(ignored) == jsonvalue.Fold(name) && (only == "" || only == value)
	})
}

// refuseStrange refuses the members that stand beside the records, if there are any.
func (x *Reader) refuseStrange() error {
	if len(x.strange) == 0 {
		return nil
	}

	refusal := answer.Beside(strangeMember+": ", slices.Clone(x.strange))
	refusal.Advice += "; " + namesMember

	return refusal
}
