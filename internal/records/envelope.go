// SPDX-License-Identifier: MPL-2.0

package records

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// place is where a value is.
type place struct {
	at     jsontext.Pointer
	kind   Kind // that the name or the settings give to the place
	isList bool // a list here is one of records
	isTold bool // by Options.At

	// Of an object:
	begun  bool   // a list in it has begun
	totals []leaf // the numbers of its records that it states
}

// leaf is a member around the records, with its value as text.
type leaf struct {
	at    jsontext.Pointer
	value string
}

// placeOf returns a place. around is the kind of the object around it.
func (x *Reader) placeOf(at jsontext.Pointer, around Kind) place {
	if kind, isTold := x.told[at]; isTold {
		return place{at: at, kind: kind, isList: true, isTold: true}
	}

	name := at.LastToken()
	isContent, kind := at == x.options.Envelope.At, kindWords[name]
	if listNames[name] > 0 {
		isContent, kind = true, around
	}
	if _, isElsewhere := x.options.At[kind.Plural()]; isElsewhere {
		return place{at: at}
	}

	return place{at: at, kind: kind, isList: isContent || kind != Unknown}
}

// readEnvelope reads the object that is the whole answer.
func (x *Reader) readEnvelope(root *place) error {
	if err := x.readObject(root); err != nil {
		return err
	}

	if err := x.refuseExtra(); err != nil {
		return err
	}
	if !x.hasList && !x.options.Empty {
		return refuseNothing(": it is an object in which there are no lists, or all of them are null")
	}
	if x.lists == ([len(kindNames)]bool{}) {
		return nil
	}

	return x.checkKinds()
}

// checkKinds refuses an answer whose lists say nothing of a kind that is wanted.
func (x *Reader) checkKinds() error {
	var missing, present []string
	for _, kind := range Kinds {
		_, isTold := x.options.At[kind.Plural()]
		isStated := x.lists[Unknown] && !isTold
		if x.lists[kind] {
			present = append(present, strconv.Quote(kind.Plural()))
		} else if !isStated && slices.Contains(x.options.Wanted, kind) {
			missing = append(missing, kind.Plural())
		}
	}
	if len(missing) == 0 {
		return nil
	}

	return &answer.Error{
		Why: "the answer has no list of " + strings.Join(missing, " and "),
		Advice: "if your service exports nothing else, kinds = [" + strings.Join(present, ", ") +
			"] takes what is there; if it needs a parameter for the kind, wire.export.kind_parameter and wire.export.kind_values name it" +
			"; if the list has another name, wire.export.at says where it is",
	}
}

// readObject reads an object around records. What it counts has to be what it has.
func (x *Reader) readObject(in *place) error {
	before := x.Result.Counts.Total()
	_, _ = x.dec.ReadToken() // an error comes again
	if x.dec.PeekKind() == '}' && in.at != "" {
		x.addExtra(leaf{in.at, "{}"})
	}

	for x.dec.PeekKind() == '"' {
		if err := x.readMember(in); err != nil {
			return err
		}
	}

	own := strconv.FormatInt(x.Result.Counts.Total()-before, 10)
	for _, total := range in.totals {
		if total.value != own {
			x.addExtra(total)
		}
	}
	_, err := x.dec.ReadToken()

	return err
}

func (x *Reader) readMember(around *place) error {
	name, err := x.dec.ReadToken()
	if err != nil {
		return err
	}

	in := x.placeOf(around.at.AppendToken(name.String()), around.kind)
	switch x.dec.PeekKind() {
	case '[':
		around.begun = true
		return x.readList(in)
	case '{':
		err = x.readObject(&in)
		around.begun = around.begun || in.begun
		return err
	}

	v, err := x.dec.ReadValue()
	if err != nil {
		return err
	}
	x.readLeaf(v, in, around)
	if len(x.extra) > limitExtra {
		return x.refuseExtra()
	}

	return nil
}

// readList reads an array in an object.
func (x *Reader) readList(in place) error {
	if x.options.Envelope.Ignored[in.at] == answer.AnyValue {
		return x.dec.SkipValue()
	}

	_, _ = x.dec.ReadToken() // an error comes again
	switch isEmpty := x.dec.PeekKind() == ']'; {
	case in.isList:
		x.hasList, x.lists[in.kind] = true, true
		if err := x.refuseExtra(); err != nil { // what is in front of it
			return err
		}
	case isEmpty:
		x.addExtra(leaf{in.at, "[]"})
	default:
		return &answer.Error{
			Why: "there is no list of records: the one at " + answer.Shown(in.at) + " is not recognised",
			Advice: "if it holds records, wire.export.at says of which kind, as in wire.export.at.events = " + answer.Shown(in.at) +
				"; if it says nothing of the day, wire.ignored leaves it out",
		}
	}

	for x.dec.PeekKind() != ']' {
		if err := x.readRecord(in); err != nil {
			return err
		}
	}
	_, err := x.dec.ReadToken()

	return err
}

// readLeaf notes what a member says that is neither an array nor an object.
func (x *Reader) readLeaf(v jsontext.Value, in place, around *place) {
	l := leaf{in.at, string(v)}
	if v.Kind() == '"' {
		l.value = jsonvalue.Text(v)
	}

	name, stated := in.at.LastToken(), Unknown
	if !around.begun { // what is said behind a list would change what was read
		stated = statedKind([]byte(name), v)
	}

	switch {
	case x.values[in.at] != nil:
		*x.values[in.at] = v.Clone()
	case x.options.Envelope.Ignores(l.at, l.value), answer.IsOtherPage(v.Kind(), l.at, x.options.Next):
	case in.kind != Unknown && v.Kind() == 'n':
		x.lists[in.kind] = true // it is empty
	case stated != Unknown && around.kind == Unknown:
		around.kind = stated
	case countNames[name] > 0:
		around.totals = append(around.totals, l)
	default:
		x.addExtra(l)
	}
}

// addExtra notes a leaf that is not recognised, unless it is ignored with its value.
func (x *Reader) addExtra(l leaf) {
	if !x.options.Envelope.Ignores(l.at, l.value) {
		x.extra = append(x.extra, l.at)
	}
}

// refuseExtra refuses the leaves around the records, if there are any.
func (x *Reader) refuseExtra() error {
	if len(x.extra) == 0 {
		return nil
	}

	advice := "look at it: if it does not say that the answer is refused or incomplete, wire.ignored leaves it out"
	if !x.hasList {
		advice += "; if the object is a record, wire.export.lines = true reads it"
	}

	return &answer.Error{
		Why:    "what stands beside the records is not recognised, or counts another number of records: " + answer.Shown(x.extra...),
		Advice: advice,
	}
}
