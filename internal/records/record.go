// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// model is what the records of a kind have in common, which the first one shows.
type model struct {
	identifying string          // the name of the member that identifies it; empty if Options.Record tells it
	others      map[string]bool // the names of up to a hundred others
}

// record yields a record, once it is recognised as one.
func (x *Reader) record(v jsontext.Value, in place) error {
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
	if x.isGroup(v, in) {
		return x.readGroup(v, in, begin)
	}

	refusal.Why += "; it is record " + strconv.FormatInt(x.result.Counts.Total()+1, 10)
	if in.at != "" {
		refusal.Why += ", at " + shownPointer(in.at)
	}
	refusal.Why += ", at byte " + strconv.FormatInt(begin, 10)

	return refusal
}

// recognise returns the kind of a record, or why it is not recognised as one.
func (x *Reader) recognise(v jsontext.Value, in place) (Kind, *answer.Error) {
	if v.Kind() != '{' {
		return Unknown, &answer.Error{Why: noRecord + ": it is " + jsonvalue.KindName(v.Kind()), Advice: recordAdvice(in.kind)}
	}

	kind := cmp.Or(in.kind, x.options.Asked)
	if kind == Unknown || x.options.Kind != "" || x.result.Counts[kind] < sampled && !in.isTold {
		own := x.statedKind(v)
		if refusal := contradiction(v, kind, own); refusal != nil {
			return Unknown, refusal
		}
		kind = cmp.Or(kind, own)
	}
	if asked := x.options.Asked; asked != Unknown && kind != asked {
		return Unknown, &answer.Error{Why: otherKind + ": it is of kind " + kind.String() + " and not " + asked.String(), Advice: KindSettings}
	}
	if kind == Unknown {
		return Unknown, &answer.Error{
			Why:    noRecord + ": it does not state its kind" + answer.Members(v, ""),
			Advice: "if it is a record, wire.export.kind and wire.export.kinds say what states it, or wire.export.at says where the records of each kind are",
		}
	}

	if why := x.identify(v, kind); why != "" {
		return Unknown, &answer.Error{Why: noRecord + ": it " + why + answer.Members(v, ""), Advice: recordAdvice(kind)}
	}
	if x.options.Seen != nil && x.result.Counts[kind] < sampled && !x.options.Seen.add(kind, v) {
		return Unknown, &answer.Error{Why: twoKinds + ", so that the service seems to ignore the parameter", Advice: KindSettings}
	}

	return kind, nil
}

// recordAdvice returns the advice for an object that is not recognised as a record.
func recordAdvice(kind Kind) string {
	if kind == Unknown {
		return "if it is a record, wire.export.record says what every record of a kind has"
	}
	return "if it is a record, wire.export.record." + kind.Plural() + " says what every " + kind.String() + " record has"
}

// statedKind returns the kind that a record states: at the place that is told, or in the first of
// its members that does.
func (x *Reader) statedKind(v jsontext.Value) Kind {
	if x.options.Kind != "" {
		said := jsonvalue.At(v, x.options.Kind)
		kind, isTold := x.options.Words[jsonvalue.Text(said)]
		if !isTold && len(x.options.Words) == 0 {
			kind = kindWords[jsonvalue.Text(said)]
		}
		return kind
	}

	for name, value := range jsonvalue.EachMember(v) {
		if kind := stated(name, value); kind != Unknown {
			return kind
		}
	}

	return Unknown
}

// contradiction refuses a record that states another kind than the expected one.
func contradiction(v jsontext.Value, expected, own Kind) *answer.Error {
	if own == Unknown || expected == Unknown || own == expected {
		return nil
	}
	return &answer.Error{
		Why:    otherKind + ": it says that it is of kind " + own.String() + " and not " + expected.String() + answer.Members(v, ""),
		Advice: "if that member means something else, wire.export.at." + expected.Plural() + " says that the list holds " + expected.Plural(),
	}
}

// identify returns why an object is not a record of a kind, which completes a sentence about it;
// empty if it is one.
func (x *Reader) identify(v jsontext.Value, kind Kind) (why string) {
	if at := x.options.Record[kind]; at != "" {
		if jsonvalue.At(v, at) == nil {
			return "has not what wire.export.record." + kind.Plural() + " says"
		}
		return ""
	}

	m := x.models[kind]
	if m == nil {
		if m = modelOf(v); m == nil {
			return "has no member of a name that identifies it, such as \"id\""
		}
		x.models[kind] = m
		return ""
	}

	isIdentified, isAlike := false, len(m.others) == 0
	for name, value := range jsonvalue.EachMember(v) {
		if string(name) == m.identifying {
			isIdentified = identifies(value)
		} else if !isAlike {
			isAlike = m.others[string(name)]
		}
		if isIdentified && isAlike {
			return ""
		}
	}
	if !isIdentified {
		return "has no \"" + m.identifying + "\", which identifies the first " + kind.String() + " record"
	}

	return "shares nothing but \"" + m.identifying + "\" with the first " + kind.String() + " record"
}

// modelOf returns the model that the first record of a kind is; nil if nothing identifies it.
func modelOf(v jsontext.Value) *model {
	const compared = 100
	m, first := &model{others: map[string]bool{}}, math.MaxInt
	for name, value := range jsonvalue.EachMember(v) {
		rank, isNamed := identifying[string(name)]
		if isNamed && rank < first && identifies(value) {
			m.identifying, first = string(name), rank
		}
		if len(m.others) < compared {
			m.others[string(name)] = true
		}
	}
	if m.identifying == "" {
		return nil
	}
	delete(m.others, m.identifying)

	return m
}

// identifies reports whether a value can identify a record: it is a text or a number.
func identifies(v jsontext.Value) bool { return v.Kind() == '"' && len(v) > 2 || v.Kind() == '0' }

// isGroup reports whether an object that is no record holds the records of a kind, which it states.
func (x *Reader) isGroup(v jsontext.Value, in place) bool {
	states, holds := false, false
	for name, value := range jsonvalue.EachMember(v) {
		_, isList := listNames[string(name)]
		holds = holds || isList && value.Kind() == '['
		states = states || stated(name, value) != Unknown
	}
	return states && holds && in.kind == Unknown
}

// readGroup reads the records in a group.
func (x *Reader) readGroup(v jsontext.Value, in place, begin int64) error {
	dec, before := x.dec, x.begin
	defer func() { x.dec, x.begin = dec, before }()

	x.dec, x.begin = jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true)), begin
	in.lines = false
	if _, err := x.readObject(in); err != nil {
		return err
	}

	return x.refuseStrange()
}

// Seen holds the first records of several answers by what identifies them.
type Seen map[uint64]Kind

var seenSeed = maphash.MakeSeed()

// add adds a record. It reports false if it has come under another kind: a record with the same
// identifying value and the same names.
func (s Seen) add(kind Kind, record jsontext.Value) bool {
	m := modelOf(record)
	if m == nil {
		return true
	}

	var sum uint64
	for name, value := range jsonvalue.EachMember(record) {
		sum += maphash.Bytes(seenSeed, name)
		if string(name) == m.identifying {
			sum += 31 * maphash.Bytes(seenSeed, value)
		}
	}
	other, isKnown := s[sum]
	s[sum] = kind

	return !isKnown || other == kind
}
