// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// record yields a record, once it is recognised as one.
func (x *Reader) record(v jsontext.Value, in place) error {
	begin := x.dec.InputOffset() - int64(len(v)) + x.begin
	if len(v) > LimitRecord {
		return ErrTooLarge
	}

	if !utf8.Valid(v) {
		if x.options.InvalidUTF8 != InvalidReplace {
			return fmt.Errorf("%w, in the record at byte %d", ErrUTF8, begin)
		}
		v = bytes.Map(func(r rune) rune { return r }, v) // each byte, as the decoder does that compares names
		x.Result.Replaced++
	}

	kind, refusal := x.recognise(v, in)
	if refusal == nil {
		x.Result.Counts[kind]++
		x.count++
		x.last = kind
		if !x.yield(kind, v) {
			return errStopped
		}
		return nil
	}
	if in.kind == Unknown && isGroup(v) {
		return x.readGroup(v, in, begin)
	}

	refusal.Why += "; it is record " + strconv.FormatInt(x.count+1, 10)
	if in.at != "" {
		refusal.Why += ", at " + shownPointer(in.at)
	}
	refusal.Why += ", at byte " + strconv.FormatInt(begin, 10)

	return refusal
}

// recognise returns the kind of a record, or why it is not recognised as one.
func (x *Reader) recognise(v jsontext.Value, in place) (Kind, *answer.Error) {
	if v.Kind() != '{' {
		return Unknown, notARecord("is "+jsonvalue.KindName(v.Kind()), in.kind)
	}

	expected := cmp.Or(in.kind, x.options.Asked)
	if known := cmp.Or(expected, x.last); x.Result.Counts[known] > sampled && x.models[known].fits(v) {
		return known, nil
	}

	kind, refusal := x.kindOf(v, expected, in.configured)
	if refusal != nil {
		return Unknown, refusal
	}
	if why := x.identify(v, kind, expected != Unknown); why != "" {
		return Unknown, notARecord(why+answer.Members(v, ""), kind)
	}
	if x.options.Seen != nil && x.Result.Counts[kind] < sampled && !x.options.Seen.add(kind, v) {
		return Unknown, &answer.Error{Why: twoKinds + ", so that the service seems to ignore the parameter", Advice: KindSettings}
	}

	return kind, nil
}

// notARecord refuses a value in the place of a record. why completes a sentence about it.
func notARecord(why string, kind Kind) *answer.Error {
	setting, of := "wire.export.record", "every record of a kind"
	if kind != Unknown {
		setting, of = setting+"."+kind.Plural(), "every "+kind.String()+" record"
	}
	return &answer.Error{Why: noRecord + ": it " + why, Advice: "if it is a record, " + setting + " says what " + of + " has"}
}

// kindOf returns the kind of a record: the expected one, or the one that it states. In a configured
// place it may state something else.
func (x *Reader) kindOf(v jsontext.Value, expected Kind, configured bool) (Kind, *answer.Error) {
	isSampled := x.Result.Counts[expected] < sampled && !configured
	own := Unknown
	if expected == Unknown || x.options.Kind != "" || isSampled {
		own = x.ownKind(v)
	}

	kind, asked := cmp.Or(expected, own), x.options.Asked
	switch {
	case kind == Unknown:
		return Unknown, &answer.Error{
			Why:    noRecord + ": it does not state its kind" + answer.Members(v, ""),
			Advice: "if it is a record, wire.export.kind and wire.export.kinds say what states it, or wire.export.at says where the records of each kind are",
		}
	case asked != Unknown && cmp.Or(own, kind) != asked:
		return Unknown, &answer.Error{Why: otherKind + ": it is of kind " + cmp.Or(own, kind).String() + " and not " + asked.String(), Advice: KindSettings}
	case own != Unknown && own != kind:
		return Unknown, &answer.Error{
			Why:    otherKind + ": it says that it is of kind " + own.String() + " and not " + kind.String() + answer.Members(v, ""),
			Advice: "if that member means something else, wire.export.at." + kind.Plural() + " says that the list holds " + kind.Plural(),
		}
	}

	return kind, nil
}

// ownKind returns the kind that a record states: at Options.Kind, or else in the first of its members
// that does.
func (x *Reader) ownKind(v jsontext.Value) Kind {
	if x.options.Kind != "" {
		return x.words[jsonvalue.Text(jsonvalue.At(v, x.options.Kind))]
	}

	for name, value := range jsonvalue.EachMember(v) {
		if kind := statedKind(name, value); kind != Unknown {
			return kind
		}
	}

	return Unknown
}

// statedKind returns the kind that a member states.
func statedKind(name []byte, value jsontext.Value) Kind {
	if statingNames[string(name)] == 0 || value.Kind() != '"' {
		return Unknown
	}
	return kindWords[string(jsonvalue.Unquoted(value))]
}

// identify returns why an object is not a record of a kind, which completes a sentence about it;
// empty if it is one. The first record of a kind becomes its model. placed says that the kind is
// known from the place of the record.
func (x *Reader) identify(v jsontext.Value, kind Kind, placed bool) (why string) {
	m, at := x.models[kind], x.options.Record[kind.Plural()]
	if at != "" {
		if jsonvalue.At(v, at) == nil {
			return "has not what wire.export.record." + kind.Plural() + " says"
		}
		if name := at.LastToken(); m == nil && at == jsontext.Pointer("").AppendToken(name) {
			x.learn(&model{idName: name}, v, kind, placed)
		}
		return ""
	}
	if m != nil {
		return m.objectionTo(v, kind)
	}

	if m = modelOf(v); m == nil {
		return "has no member of a name that identifies it, such as \"id\""
	}
	x.learn(m, v, kind, placed)

	return ""
}

// identifies reports whether a value can identify a record: it is a text or a number.
func identifies(v jsontext.Value) bool {
	if v.Kind() == '"' {
		return len(v) > 2
	}
	return v.Kind() == '0'
}

// isGroup reports whether an object states a kind and has a list.
func isGroup(v jsontext.Value) bool {
	states, holds := false, false
	for name, value := range jsonvalue.EachMember(v) {
		if listNames[string(name)] > 0 && value.Kind() == '[' {
			holds = true
		}
		if statedKind(name, value) != Unknown {
			states = true
		}
	}

	return states && holds
}

// readGroup reads the records in a group, which begins at a byte of the answer.
func (x *Reader) readGroup(v jsontext.Value, in place, begin int64) error {
	dec, before := x.dec, x.begin
	defer func() { x.dec, x.begin = dec, before }()

	// Its names were compared when it was read as one value.
	x.dec = jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	x.begin = begin
	in.lines = false
	if err := x.readObject(in); err != nil {
		return err
	}

	return x.refuseExtra()
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
		if string(name) == m.idName {
			sum += 31 * maphash.Bytes(seenSeed, value)
		}
	}
	other, isKnown := s[sum]
	s[sum] = kind

	return !isKnown || other == kind
}
