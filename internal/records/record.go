// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// position is where records stand.
type position struct {
	lines bool   // they follow each other without an array around them
	name  string // of the member
	named bool   // the name means a kind
	kind  Kind   // that the name means, or that of the place around it
	shows bool   // what stands here is a record of the kind
}

// record yields a record, once it is recognised as one.
func (x *Reader) record(v jsontext.Value, in position) error {
	begin := x.dec.InputOffset() - int64(len(v)) + x.begin
	if len(v) > LimitRecord {
		return ErrTooLarge
	}

	if !utf8.Valid(v) {
		if !x.options.ReplaceInvalid {
			return fmt.Errorf("%w, in the record at byte %d", ErrUTF8, begin)
		}
		v = bytes.Map(func(r rune) rune { return r }, v) // each byte, as the decoder does that compares names
		x.result.Mended++
	}

	kind, refusal := x.recognise(v, in)
	if refusal == nil {
		x.result.Counts[kind]++
		if !x.yield(kind, v) {
			return errStopped
		}
		return nil
	}

	where := "; it is record " + strconv.FormatInt(x.result.Counts.Total()+1, 10)
	if jsonvalue.IsFieldName(in.name) {
		where += ", in " + strconv.Quote(in.name)
	}
	refusal.Why += where + ", at byte " + strconv.FormatInt(begin, 10)

	return refusal
}

// recognise returns the kind of a record, or why it is not recognised as one.
func (x *Reader) recognise(v jsontext.Value, in position) (Kind, *answer.Error) {
	hasMember := x.hasRecordMember(v)
	own, expected := said(v, !in.shows && !hasMember), cmp.Or(in.kind, x.options.Asked)
	if refusal := x.contradiction(v, own, expected); refusal != nil {
		return Unknown, refusal
	}

	// A word in the plural may be that of a line that holds records.
	isMarked := hasMember || own.kind != Unknown && (!own.plural || !in.lines)
	kind, why := cmp.Or(expected, own.kind), nothingShows
	if v.Kind() != '{' {
		why = "is " + jsonvalue.KindName(v.Kind())
	} else if isMarked || in.shows {
		why = x.compare(v, kind, isMarked)
	}
	if why == "" {
		return kind, nil
	}

	refusal := &answer.Error{Why: noRecord + ": it " + why + answer.Members(v, ""), Advice: namesMember}
	if !in.shows && in.name != "" {
		refusal.Advice += "; if the list holds no records, " + answer.IgnoredSetting(in.name) + " leaves it out"
	}

	return Unknown, refusal
}

// contradiction refuses a record of another kind than was asked for, and one that states
// another kind than the expected one, also without the discriminators that are ignored.
func (x *Reader) contradiction(record jsontext.Value, own statedWord, expected Kind) *answer.Error {
	if asked := x.options.Asked; asked != Unknown && expected != asked {
		return &answer.Error{Why: otherKind + ": it is of kind " + expected.String() + " and not " + asked.String(), Advice: KindSettings}
	}

	if own.kind != expected && x.ignores(own.name, "") {
		own = stated(record, math.MaxInt, x.ignores)
	}
	if own.kind == Unknown || expected == Unknown || own.kind == expected {
		return nil
	}

	return answer.Beside(otherKind+": it says that it is of kind "+own.kind.String()+" and not "+expected.String()+", in ", []string{own.name})
}

// nothingShows is what an object lacks that is not recognised as a record.
const nothingShows = "has nothing that shows that it is a record"

// compare returns why an object is no record that only the name of its container shows to be
// one, unless it is the first one of its kind and more than a container itself; or more than
// half of the first one's names are among its own; or more than half of its own are among those.
//
// The interface names no member of a record (section 2), so that the name of the container is
// all that can show the first one. The error, page or job that a service puts behind the
// records has members too, whatever those are called; what it cannot have by chance is what
// the records before it have. Records that share too little have a member that
// wire.export.record can point to.
func (x *Reader) compare(v jsontext.Value, kind Kind, isMarked bool) (why string) {
	first := x.first[kind]
	if first == nil {
		first = map[string]bool{}
		for name := range jsonvalue.EachMember(v) {
			isMarked = isMarked || nameKind(string(name)) == Unknown // it is more than a container
			if len(first) < comparedNames {
				first[string(name)] = true
			}
		}
		x.first[kind] = first
		if !isMarked {
			return nothingShows
		}
	}
	if isMarked {
		return ""
	}

	members, shared := 0, 0
	for name := range jsonvalue.EachMember(v) {
		members++
		if first[string(name)] {
			shared++
		}
		if 2*shared > len(first) {
			return ""
		}
	}
	if 2*shared > members {
		return ""
	}

	return "has too little in common with the " + kind.String() + " records before it"
}

// hasRecordMember reports whether a record has the member that shows that it is one.
func (x *Reader) hasRecordMember(record jsontext.Value) bool {
	if x.options.RecordMember == "" {
		return false
	}
	for name := range jsonvalue.EachMember(record) {
		if string(name) == x.options.RecordMember {
			return true
		}
	}

	return false
}

// word returns the kind that a word means, such as person, People or event_records, and
// whether it is in the plural.
func word(text string) (_ Kind, plural bool) {
	stem, ofRecords := strings.CutSuffix(jsonvalue.Fold(text), "records")
	stem = strings.TrimSuffix(stem, "record")
	if stem == "people" {
		return Person, true
	}

	singular, plural := strings.CutSuffix(stem, "s")
	for _, k := range Kinds {
		if k.String() == singular {
			return k, plural || ofRecords
		}
	}

	return Unknown, false
}

// nameKind returns the kind that the name of a member means for what it contains, such as
// persons, eventRecords or sessionList.
func nameKind(name string) Kind {
	k, _ := word(strings.TrimSuffix(jsonvalue.Fold(name), "list"))
	return k
}

// statedWord is what a record states of its kind.
type statedWord struct {
	name   string // of the member
	kind   Kind
	plural bool
}

// discriminators are the members that state the kind of a record, folded, and whether they can
// mean nothing else: an event may have a type of its own.
var discriminators = map[string]bool{"recordtype": true, "recordkind": true, "entitytype": true, "type": false, "kind": false}

// usualEndings are how the names of discriminators usually end. To count them takes far less
// time than to look at the members.
var usualEndings = [...][]byte{[]byte(`ype"`), []byte(`kind"`), []byte(`Kind"`)}

// said returns what a record states of its kind. closely makes it look at every name, also
// in unusual spellings, and at that of an only member, as in {"event": {…}}.
func said(record jsontext.Value, closely bool) statedWord {
	usual := 0
	for _, ending := range usualEndings {
		usual += bytes.Count(record, ending)
	}
	found := stated(record, usual, nil)
	if found.kind != Unknown || !closely {
		return found
	}

	members := jsonvalue.Members(record)
	for name, value := range members {
		if k, plural := word(name); len(members) == 1 && !plural && value.Kind() == '{' {
			return statedWord{name: name, kind: k}
		}
	}

	return stated(record, math.MaxInt, nil)
}

// stated returns what the discriminators of a record state. One that can mean nothing else
// wins over any other; otherwise the first one does. usual is how many members it looks at
// whose names end as usual. ignores, if there is any, reports the members that state nothing.
func stated(record jsontext.Value, usual int, ignores func(name, value string) bool) (found statedWord) {
	if usual == 0 {
		return statedWord{}
	}

	for name, value := range jsonvalue.EachMember(record) {
		folded := jsonvalue.Fold(string(name))
		isClear, states := discriminators[folded]
		if states && (isClear || found.kind == Unknown) {
			k, plural := word(jsonvalue.Text(value))
			if k != Unknown && (ignores == nil || !ignores(string(name), "")) {
				found = statedWord{string(name), k, plural}
			}
		}

		isUsual := func(ending []byte) bool { return bytes.HasSuffix(name, bytes.TrimSuffix(ending, []byte(`"`))) }
		if slices.ContainsFunc(usualEndings[:], isUsual) {
			usual--
		}
		if usual == 0 || isClear && found.kind != Unknown {
			break
		}
	}

	return found
}

// counted returns what a member counts whose name says that it is a number of records: the
// records of one kind, or all of them.
func counted(name string) (k Kind, isCount bool) {
	noun, ofAll := answer.Counted(name)
	k, _ = word(noun)
	return k, ofAll || k != Unknown
}

// isList reports whether services use a name for a list of anything, so that an empty one
// is one of records.
func isList(name string) bool {
	switch jsonvalue.Fold(name) {
	case "data", "records", "items", "results", "result", "values", "value", "rows", "entries", "elements", "content", "hits", "list",
		"export", "response", "payload":
		return true
	}
	return false
}
