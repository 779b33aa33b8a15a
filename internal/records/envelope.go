// SPDX-License-Identifier: MPL-2.0

package records

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// lists are the lists of records that an answer has.
type lists struct {
	count  int                  // with those that are null
	values bool                 // there is one that is not null
	of     [len(kindNames)]bool // of a kind; of Unknown, if the records state their kinds
}

// leaf is a member around the records, with its value as text.
type leaf struct {
	at    jsontext.Pointer
	value string
}

// place is where a value is.
type place struct {
	at         jsontext.Pointer
	kind       Kind // that the name or the settings give to the place
	isList     bool // a list here is one of records
	configured bool // by Options.At
	lines      bool // records follow each other here without an array around them

	// Of an object:
	begun  bool   // a list in it has begun
	totals []leaf // the numbers of its records that it states
}

// readEnvelope reads the object that is the whole answer.
func (x *Reader) readEnvelope(root place) error {
	if err := x.readObject(root); err != nil {
		return err
	}

	if isNothing := x.lists.count == 0 && len(x.extra) == 0; isNothing && x.options.Empty {
		return nil
	}
	if x.lists.count == 0 {
		described := ""
		if len(x.extra) > 0 {
			described = " (it has " + shown(x.extra) + ")"
		}
		return &answer.Error{
			Why:    noList + ": the answer is one object" + described,
			Advice: "if it has one, wire.export.at says where; if the object is a record, wire.export.lines = true reads it",
		}
	}
	if err := x.refuseExtra(); err != nil {
		return err
	}
	if !x.lists.values && !x.options.Empty {
		return refuseNothing(": all of its lists are null")
	}

	return x.checkKinds()
}

// checkKinds refuses an answer whose lists say nothing of a kind that is wanted.
func (x *Reader) checkKinds() error {
	wanted := x.options.Wanted
	if wanted == nil {
		wanted = Kinds
	}
	if x.options.Asked != Unknown {
		wanted = []Kind{x.options.Asked}
	}

	var missing, present []string
	for _, kind := range Kinds {
		if x.lists.of[kind] {
			present = append(present, strconv.Quote(kind.Plural()))
		} else if slices.Contains(wanted, kind) {
			missing = append(missing, kind.Plural())
		}
	}
	if len(missing) == 0 || x.lists.of[Unknown] {
		return nil
	}
	if x.options.Asked != Unknown {
		return &answer.Error{Why: otherKind + ": it has no list of " + missing[0], Advice: KindSettings}
	}

	return &answer.Error{
		Why: missingKind + ": it has no list of " + strings.Join(missing, " and "),
		Advice: "if your service exports nothing else, kinds = [" + strings.Join(present, ", ") +
			"] takes what is there; if it needs a parameter for the kind, wire.export.kind_parameter names it; if the list has another name, wire.export.at says where it is",
	}
}

// placeOf returns the place of a member.
func (x *Reader) placeOf(at jsontext.Pointer, around place) place {
	for _, kind := range Kinds {
		if list, isTold := x.options.At[kind.Plural()]; isTold && at == x.options.Envelope.At+list {
			return place{at: at, kind: kind, isList: true, configured: true}
		}
	}

	name := at.LastToken()
	in := place{at: at, kind: kindWords[name]}
	if in.kind == Unknown && listNames[name] > 0 {
		in.kind, in.isList = around.kind, true
	}
	if in.kind != Unknown || at == x.options.Envelope.At {
		in.isList = true
	}

	return in
}

// readObject reads an object around records.
func (x *Reader) readObject(in place) error {
	members, records, lists := 0, x.count, x.lists.count
	isOfAKind := in.isList && in.kind != Unknown
	_, _ = x.dec.ReadToken() // an error comes again

	for x.dec.PeekKind() == '"' {
		if members++; members > LimitMembers {
			return fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}

		name, err := x.dec.ReadToken()
		if err != nil {
			return err
		}

		member := x.placeOf(in.at.AppendToken(name.String()), in)
		switch x.dec.PeekKind() {
		case '[':
			in.begun = true
			err = x.readList(member)
		case '{':
			err = x.readObject(member)
		default:
			err = x.readLeaf(member, &in)
		}
		if err != nil {
			return err
		}
	}
	if _, err := x.dec.ReadToken(); err != nil {
		return err
	}

	// What it counts has to be what it has.
	for _, total := range in.totals {
		if total.value != strconv.FormatInt(x.count-records, 10) {
			x.addExtra(total)
		}
	}
	if members == 0 && in.at != "" {
		x.addExtra(leaf{in.at, "{}"})
	}
	if !isOfAKind || x.lists.count > lists {
		return nil
	}

	return &answer.Error{
		Why:    noList + ": " + shownPointer(in.at) + " is an object without one",
		Advice: "wire.export.at says where the list is",
	}
}

// readList reads an array in an object.
func (x *Reader) readList(in place) error {
	if x.options.Envelope.Ignored[in.at] == answer.AnyValue {
		return x.dec.SkipValue()
	}

	_, _ = x.dec.ReadToken() // an error comes again
	if !in.isList && x.dec.PeekKind() == ']' {
		x.addExtra(leaf{in.at, "[]"})
		_, err := x.dec.ReadToken()
		return err
	}
	if !in.isList {
		setting := "wire.export.at.events"
		if jsonvalue.IsFieldPointer(in.at) {
			setting += ` = "` + string(in.at) + `"`
		}

		return &answer.Error{
			Why: noList + ": the list at " + shownPointer(in.at) + " is not recognised as one",
			Advice: "if it holds records, wire.export.at says of which kind, as in " + setting +
				"; if it says nothing of the day, wire.ignored leaves it out",
		}
	}

	x.lists.count++
	x.lists.values, x.lists.of[in.kind] = true, true
	if err := x.refuseExtra(); err != nil { // what is in front of the list
		return err
	}

	return x.readRecords(in)
}

// readLeaf reads a member that is neither an array nor an object. around is the place of its object.
func (x *Reader) readLeaf(in place, around *place) error {
	v, err := x.dec.ReadValue()
	if err != nil {
		return err
	}

	l := leaf{in.at, string(v)}
	if v.Kind() == '"' {
		l.value = jsonvalue.Text(v)
	}

	switch in.at {
	case x.options.Next:
		x.Result.Next = v.Clone()
		return nil
	case x.options.Total:
		x.Result.Total = v.Clone()
		return nil
	}
	if x.saysNothing(l, v.Kind()) {
		return nil
	}

	name := in.at.LastToken()
	kind := statedKind([]byte(name), v)
	switch {
	case in.kind != Unknown && v.Kind() == 'n': // an empty list
		x.lists.count++
		x.lists.of[in.kind] = true
		return x.refuseExtra()
	case kind != Unknown && around.kind == Unknown && !around.begun:
		around.kind = kind
	case countNames[name] > 0 && v.Kind() == '0':
		around.totals = append(around.totals, l)
	default:
		x.addExtra(l)
	}

	return nil
}

// saysNothing reports whether a leaf is ignored, or may lead to a page beside the next one.
func (x *Reader) saysNothing(l leaf, kind jsontext.Kind) bool {
	isLink := kind == 'n' || kind == '"'
	if !isLink {
		return x.ignores(l)
	}
	return x.ignores(l) || answer.IsOtherPage(l.at, x.options.Next)
}

// addExtra notes a leaf that is not recognised, unless it is ignored with its value.
func (x *Reader) addExtra(l leaf) {
	if !x.ignores(l) {
		x.extra = append(x.extra, l)
	}
}

// ignores reports whether a leaf is ignored, or is the word of success.
func (x *Reader) ignores(l leaf) bool {
	if x.options.Envelope.Result.IsSuccess(l.at, l.value) {
		return true
	}

	value, isIgnored := x.options.Envelope.Ignored[l.at]
	if value != answer.AnyValue && value != l.value {
		return false
	}

	return isIgnored
}

// refuseExtra refuses the leaves around the records, if there are any. Its advice has a value only
// for leaves that say nothing, whatever their names mean: whether one of another value says that
// the answer is not whole, only a person can tell.
func (x *Reader) refuseExtra() error {
	if len(x.extra) == 0 {
		return nil
	}

	advice := "look at it: if it does not say that the answer is refused or incomplete, wire.ignored leaves it out"
	var settings []string
	for _, l := range x.extra {
		if slices.Contains(emptyValues, l.value) && jsonvalue.IsFieldPointer(l.at) {
			settings = append(settings, `"`+string(l.at)+`" = "`+l.value+`"`)
		}
	}
	if len(settings) == len(x.extra) {
		advice = "wire.ignored = { " + strings.Join(settings, ", ") + " } leaves out what says nothing"
	}

	return &answer.Error{Why: extraMember + ": " + shown(x.extra), Advice: advice}
}

// emptyValues are the values of a leaf that say nothing.
var emptyValues = []string{"null", "[]", "{}", ""}

// shownPointer returns a pointer for a message.
func shownPointer(at jsontext.Pointer) string {
	if !jsonvalue.IsFieldPointer(at) {
		return "a place whose name is not shown"
	}
	return `"` + string(at) + `"`
}

// shown returns the places of leaves for a message.
func shown(leaves []leaf) string {
	const limit = 12
	var places []string
	for _, l := range leaves[:min(len(leaves), limit)] {
		places = append(places, shownPointer(l.at))
	}
	if len(leaves) > limit {
		places = append(places, "…")
	}

	return strings.Join(slices.Compact(places), ", ")
}
