// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// place is where records stand.
type place struct {
	lines bool   // they follow each other without an array around them
	name  string // of the member
	named bool   // the name means a kind
	kind  Kind   // that the name means, or that of the place around it
	shows bool   // what stands here is a record of the kind
}

// record passes on a record, once it is recognised as one.
func (x *reader) record(v jsontext.Value, in place) error {
	begin := x.dec.InputOffset() - int64(len(v)) + int64(x.begin)
	if len(v) > LimitRecord {
		return ErrTooLarge
	}

	if !utf8.Valid(v) {
		if !x.options.ReplaceInvalid {
			at := 0
			for r, size := utf8.DecodeRune(v); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(v[at:]) {
				at += size
			}
			return located(ErrUTF8, begin+int64(at))
		}
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
		x.mended++
	}

	kind, refusal := x.recognise(v, in)
	if refusal == nil {
		x.counts[kind]++
		return x.emit(kind, v)
	}

	where := "; it is record " + strconv.FormatInt(x.counts.Total()+1, 10)
	if jsonvalue.IsFieldName(in.name) {
		where += ", in " + strconv.Quote(in.name)
	}
	refusal.Why += where + ", at byte " + strconv.FormatInt(begin, 10)

	return refusal
}

// recognise returns the kind of a record, or why it is not recognised as one.
func (x *reader) recognise(v jsontext.Value, in place) (Kind, *answer.Error) {
	asked, expected := x.options.Asked, cmp.Or(in.kind, x.options.Asked)
	if asked != Unknown && expected != asked && v.Kind() == '{' {
		return Unknown, &answer.Error{Why: otherKind + ": it is of kind " + expected.String() + " and not " + asked.String(), Advice: KindSettings}
	}

	hasMember := x.hasRecordMember(v)
	own := said(v, !in.shows && !hasMember)
	if refusal := x.contradiction(v, own, expected); refusal != nil {
		return Unknown, refusal
	}

	// A word in the plural may be that of a line that holds records.
	isMarked := hasMember || own.kind != Unknown && (!own.plural || !in.lines)
	kind := cmp.Or(expected, own.kind)

	var why string
	switch {
	case v.Kind() != '{':
		why = "it is " + jsonvalue.KindName(v.Kind())
	case !isMarked && !in.shows:
		why = "it " + nothingShows
	default:
		why = x.compare(v, kind, isMarked)
	}
	if why == "" {
		return kind, nil
	}

	refusal := &answer.Error{Why: noRecord + ": " + why + answer.Members(v, ""), Advice: namesMember}
	if !in.shows && in.name != "" {
		refusal.Advice += "; if the list holds no records, " + answer.Assigned(ignoredMembers, in.name) + " leaves it out"
	}

	return Unknown, refusal
}

// contradiction refuses a record that states another kind than the expected one, also without
// the discriminators that are ignored.
func (x *reader) contradiction(record jsontext.Value, own statedWord, expected Kind) *answer.Error {
	contradicts := func() bool { return own.kind != Unknown && expected != Unknown && own.kind != expected }
	if contradicts() && x.ignores(string(own.name), "") {
		own = stated(record, true, x.ignores)
	}
	if !contradicts() {
		return nil
	}

	return answer.Beside(otherKind+": it says that it is of kind "+own.kind.String()+" and not "+expected.String()+", in ", ignoredMembers, []string{string(own.name)})
}

// compare returns why an object is no record that only the name of its container shows to be
// one, unless it is the first one of its kind and more than a container itself, or like the
// first one.
//
// The interface names no member of a record (section 2), so that the name of the container is
// all that can show the first one. The error, page or job that a service puts behind the
// records has members too, whatever those are called; what it cannot have by chance is what
// the records before it have. Records that share too little have a member that
// wire.export_record_member can name.
func (x *reader) compare(v jsontext.Value, kind Kind, isMarked bool) (why string) {
	first := x.first[kind]
	if first != nil && (isMarked || isLike(v, first)) {
		return ""
	}
	if first != nil {
		return "it has too little in common with the " + kind.String() + " records before it"
	}

	for name := range jsonvalue.EachMember(v) {
		isMarked = isMarked || nameKind(string(name)) == Unknown // it is more than a container
		if len(x.first[kind]) < comparedNames {
			x.first[kind] = append(x.first[kind], string(name))
		}
	}
	if !isMarked {
		return "it " + nothingShows
	}

	return ""
}

// isLike reports whether a record has more than half of the names of the first one, or more
// than half of its own are among them.
func isLike(record jsontext.Value, first []string) bool {
	members, shared := 0, 0
	for name := range jsonvalue.EachMember(record) {
		members++
		if slices.Contains(first, string(name)) {
			shared++
		}
		if 2*shared > len(first) {
			return true
		}
	}

	return 2*shared > members
}

// hasRecordMember reports whether a record has the member that shows that it is one.
func (x *reader) hasRecordMember(record jsontext.Value) bool {
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

// nothingShows is what an object lacks that is not recognised as a record.
const nothingShows = "has nothing that shows that it is a record"
