// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// record yields a record, once it is recognised as one.
func (x *Reader) record(v jsontext.Value, in place) error {
	begin := x.dec.InputOffset() - int64(len(v)) + x.begin
	v, err := x.textOf(v, begin)
	if err != nil {
		return err
	}

	kind, refusal := x.recognise(v, in)
	if refusal == nil {
		x.Result.Counts[kind]++
		x.last = kind
		if !x.yield(kind, v) {
			return errStopped
		}
		return nil
	}
	if isGroup(v) {
		return x.readGroup(v, in, begin)
	}

	refusal.Why += fmt.Sprintf("; it is record %d, in %s at byte %d", x.Result.Counts.Total()+1, answer.Shown(in.at), begin)

	return refusal
}

// textOf returns the text of a record, in which bytes that are not UTF-8 are replaced if the settings say so.
func (x *Reader) textOf(v jsontext.Value, begin int64) (jsontext.Value, error) {
	if len(v) > LimitRecord {
		return nil, ErrTooLarge
	}
	if utf8.Valid(v) {
		return v, nil
	}
	if x.options.InvalidUTF8 != InvalidReplace {
		return nil, fmt.Errorf("%w; it is in the record at byte %d", ErrUTF8, begin)
	}
	x.Result.Replaced++

	return bytes.Map(func(r rune) rune { return r }, v), nil // each byte, as the decoder does that compares names
}

// recognise returns the kind of a record, or why it is not recognised as one.
func (x *Reader) recognise(v jsontext.Value, in place) (Kind, *answer.Error) {
	kind := cmp.Or(in.kind, x.options.Asked)
	isSampled := x.Result.Counts[kind] >= sampled
	isKnown := x.options.Kind == "" && isSampled
	isAsked := cmp.Or(x.options.Asked, kind) == kind
	if kind = cmp.Or(kind, x.last); isAsked && x.models[kind].fits(v, isKnown) {
		return kind, nil
	}

	kind, refusal := x.kindOf(v, in, isKnown)
	if refusal != nil {
		return Unknown, refusal
	}
	if why := x.objection(v, kind); why != "" {
		return Unknown, &answer.Error{
			Why:    noRecord + ": it " + why + answer.Members(v, ""),
			Advice: "if it is a record, wire.export.record." + kind.Plural() + " says what every " + kind.String() + " record has",
		}
	}
	if !isSampled && !x.options.Seen.add(kind, v) {
		return Unknown, &answer.Error{Why: "the same record came under two kinds, so that the service seems to ignore the parameter", Advice: kindSettings}
	}

	return kind, nil
}

const noRecord = "what stands where records should be is not recognised as one"

// kindOf returns the kind of a record: that of its place or the one that was asked for, or else the one that
// it states. It may not state another one where a setting says what states it. Without that setting, it may where the
// kind is known, or its place was told.
func (x *Reader) kindOf(v jsontext.Value, in place, isKnown bool) (Kind, *answer.Error) {
	own, asked := Unknown, x.options.Asked
	isSilent := isKnown || in.isTold
	if x.options.Kind != "" || !isSilent {
		own = x.ownKind(v)
	}

	kind := cmp.Or(in.kind, asked, own)
	if kind == Unknown {
		return Unknown, &answer.Error{
			Why:    noRecord + ": it does not state its kind" + answer.Members(v, ""),
			Advice: "if it is a record, wire.export.kind and wire.export.kinds say what states it, or wire.export.at says where the records of each kind are",
		}
	}
	for _, other := range []Kind{cmp.Or(own, kind), cmp.Or(asked, kind)} {
		if other != kind {
			return Unknown, &answer.Error{
				Why:    fmt.Sprintf("the answer holds records of another kind than it says or was asked for, %s and %s", kind, other),
				Advice: "if what says so means something else, wire.export.at." + kind.Plural() + " says that the list holds " + kind.Plural() + "; or " + kindSettings,
			}
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

func statedKind(name []byte, value jsontext.Value) Kind {
	if statingNames[string(name)] == 0 || value.Kind() != '"' {
		return Unknown
	}
	return kindWords[string(jsonvalue.Unquoted(value))]
}

// objection returns why an object is not recognised as a record of a kind, which completes a sentence about it;
// empty if it is one. The first record of a kind becomes its model.
func (x *Reader) objection(v jsontext.Value, kind Kind) string {
	if at := x.options.Record[kind.Plural()]; at != "" {
		if jsonvalue.At(v, at) == nil {
			return "has not what that setting says now"
		}
		return ""
	}

	if x.models[kind].idName == "" {
		x.models[kind] = x.modelOf(v, kind)
	}
	m := x.models[kind]
	if m.idName == "" {
		return `has no member of a name that identifies it, such as "id"`
	}
	if !m.isLike(v) {
		return fmt.Sprintf("has not %q and another member in common with the first %s record", m.idName, kind)
	}

	return ""
}

// model is what the records of a kind have in common, which the first one shows.
type model struct {
	idName string          // of the member that identifies it
	others map[string]bool // the names of up to a hundred others
	frame
}

// frame is how the first record begins: with what is in front of the identifying value, and what follows it, up
// to the next name. A record that begins so is like the first one without a look at its members.
type frame struct {
	begin, next []byte
	states      bool // begin states the kind
}

// modelOf returns the model that the first record of a kind is; without an idName if nothing identifies it.
func (x *Reader) modelOf(v jsontext.Value, kind Kind) model {
	const compared = 100
	m, rank := model{others: map[string]bool{}}, len(idNames)
	for name, value := range jsonvalue.EachMember(v) {
		if own := idNames[string(name)]; own > 0 && own < rank && identifies(value) {
			m.idName, rank = string(name), own
		}
		if len(m.others) < compared {
			m.others[string(name)] = true
		}
	}
	delete(m.others, m.idName)
	m.frame = x.frameOf(v, m.idName, kind)

	return m
}

// frameOf returns the frame of a record; the zero frame where it is long, or does not show another member.
func (x *Reader) frameOf(v jsontext.Value, idName string, kind Kind) frame {
	const longest = 1000
	name := []byte(`"` + idName + `":`)
	begin, behind, _ := bytes.Cut(v[:min(len(v), longest)], name)
	begin = slices.Concat(begin, name)
	alone := append(slices.Clone(begin), "0}"...)
	next := behind[jsonvalue.ValueLen(behind):]
	if !bytes.HasPrefix(next, []byte(`,"`)) || !jsontext.Value(alone).IsValid() {
		return frame{}
	}

	return frame{begin, bytes.Clone(next[:1+jsonvalue.ValueLen(next[1:])]), x.ownKind(alone) == kind}
}

// fits reports whether a record has the frame, and states its kind in it, unless that is known.
func (f frame) fits(v jsontext.Value, isKnown bool) bool {
	value, isFramed := bytes.CutPrefix(v, f.begin)
	isKnown = isKnown || f.states
	if f.begin == nil || !isFramed || !isKnown {
		return false
	}
	return identifies(value) && bytes.HasPrefix(value[jsonvalue.ValueLen(value):], f.next)
}

// isLike reports whether an object has what identifies the first record, and another member in common with
// it, if that has others.
func (m model) isLike(v jsontext.Value) bool {
	isIdentified, isAlike := false, len(m.others) == 0
	for name, value := range jsonvalue.EachMember(v) {
		if string(name) == m.idName {
			isIdentified = identifies(value)
		} else if !isAlike {
			isAlike = m.others[string(name)]
		}
		if isIdentified && isAlike {
			return true
		}
	}

	return false
}

// identifies reports whether the value that a text begins with can identify a record: it is a text or a number.
func identifies(v jsontext.Value) bool {
	if v.Kind() == '"' {
		return v[1] != '"'
	}
	return v.Kind() == '0'
}

// isGroup reports whether an object states a kind and has a list.
func isGroup(v jsontext.Value) bool {
	states, holds := false, false
	for name, value := range jsonvalue.EachMember(v) {
		states = states || statedKind(name, value) != Unknown
		if listNames[string(name)] > 0 && value.Kind() == '[' {
			holds = true
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
	if err := x.readObject(&place{at: in.at, kind: in.kind}); err != nil {
		return err
	}

	return x.refuseExtra()
}

// Seen holds the first records of several answers by what identifies them.
type Seen map[uint64]Kind

var seenSeed = maphash.MakeSeed()

// add adds a record, unless s is nil. It reports false if it has come under another kind: a record with the same
// identifying values and the same names.
func (s Seen) add(kind Kind, record jsontext.Value) bool {
	if s == nil {
		return true
	}

	var sum uint64
	isIdentified := false
	for name, value := range jsonvalue.EachMember(record) {
		sum += maphash.Bytes(seenSeed, name)
		if idNames[string(name)] > 0 && identifies(value) {
			sum += 31 * maphash.Bytes(seenSeed, value)
			isIdentified = true
		}
	}

	known := cmp.Or(s[sum], kind)
	if isIdentified {
		s[sum] = kind
	}

	return known == kind
}
