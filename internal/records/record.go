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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readRecord reads a record, and yields it once it is recognised as one.
func (x *Reader) readRecord(in place) error {
	v, err := x.dec.ReadValue()
	if err != nil {
		return err
	}

	x.text.N = LimitRecord
	if v, err = x.textOf(v); err != nil {
		return err
	}

	kind, refusal := x.recognise(v, in)
	if refusal == nil {
		x.Result.Counts[kind]++
		if !x.yield(kind, v) {
			return errStopped
		}
		return nil
	}
	if isGroup(v) {
		return x.readGroup(v, in)
	}

	refusal.Why += fmt.Sprintf("; it is record %d, in %s", x.Result.Counts.Total()+1, decode.Shown(in.at))

	return refusal
}

// textOf returns the text of a record, in which bytes that are not UTF-8 are replaced if the settings say so.
func (x *Reader) textOf(v jsontext.Value) (jsontext.Value, error) {
	if utf8.Valid(v) {
		return v, nil
	}
	if x.options.InvalidUTF8 != InvalidReplace {
		return nil, fmt.Errorf("%w; it is in record %d", ErrUTF8, x.Result.Counts.Total()+1)
	}
	x.Result.Replaced++

	return bytes.Map(func(r rune) rune { return r }, v), nil // each byte, as the decoder does that compares names
}

// recognise returns the kind of a record: that of its place or the one that was asked for, or else the one that
// it states. Where a setting says what states the kind, each record is examined for another one, and else the first ones
// in a place that was not told.
func (x *Reader) recognise(v jsontext.Value, in place) (Kind, *decode.Error) {
	kind, own := cmp.Or(in.kind, x.options.Asked), Unknown
	isDoubtful := x.Result.Counts[kind] < sampled && !in.isTold
	if isDoubtful || x.options.Kind != "" {
		own = x.ownKind(v)
	}

	kind = cmp.Or(kind, own)

	isOther := cmp.Or(own, kind) != kind || cmp.Or(x.options.Asked, kind) != kind
	const no = "what stands where records should be is not recognised as one: it "
	switch {
	case kind == Unknown:
		return kind, &decode.Error{
			Why:    no + "does not state its kind" + decode.Members(v, ""),
			Advice: "if it is a record, wire.export.kind and wire.export.kinds say what states it, or wire.export.at says where the records of each kind are",
		}
	case !x.isRecord(v, kind):
		return kind, &decode.Error{
			Why:    no + "has no member that identifies it, of the same name as in the first " + kind.String() + " record, and another one in common with that" + decode.Members(v, ""),
			Advice: "if it is a record, wire.export.record." + kind.Plural() + " says what every " + kind.String() + " record has",
		}
	case isOther || !x.isOfOneKind(v, kind):
		return kind, &decode.Error{
			Why:    "records are of another kind than the answer says or was asked for, or the same one came under two kinds",
			Advice: "compare wire.export.kind_parameter and wire.export.kind_values with what your service expects; or wire.export.at." + kind.Plural() + " says that the list holds " + kind.Plural(),
		}
	}

	return kind, nil
}

// ownKind returns the kind that a record states: at Options.Kind, or else in the first of its members
// that does.
func (x *Reader) ownKind(v jsontext.Value) Kind {
	if x.options.Kind != "" {
		word := jsonvalue.Text(jsonvalue.At(v, x.options.Kind))
		isNamed := func(kind Kind) bool { return slices.Contains(x.options.Kinds[kind.Plural()], word) }
		if i := slices.IndexFunc(Kinds, isNamed); i >= 0 {
			return Kinds[i]
		}
		return kindWords[word]
	}

	for name, value := range jsonvalue.EachMember(v) {
		if kind := statedKind(name, value); kind != Unknown {
			return kind
		}
	}

	return Unknown
}

func statedKind(name []byte, value jsontext.Value) Kind {
	if !slices.Contains(statingNames, string(name)) || value.Kind() != '"' {
		return Unknown
	}
	return kindWords[string(jsonvalue.Unquoted(value))]
}

// isRecord reports whether an object has what every record of a kind has, which Options.Record says, or else the
// first one shows.
func (x *Reader) isRecord(v jsontext.Value, kind Kind) bool {
	if at := x.options.Record[kind.Plural()]; at != "" {
		return jsonvalue.At(v, at) != nil
	}
	if x.memory.models[kind].idName == "" {
		x.memory.models[kind] = modelOf(v)
	}
	return x.memory.models[kind].isLike(v)
}

// model is what the records of a kind have in common, which the first one shows.
type model struct {
	idName string   // of the member that identifies it; empty if nothing does
	names  []string // of all members
}

// modelOf returns the model that the first record of a kind is.
func modelOf(v jsontext.Value) (m model) {
	rank := len(idNames)
	for name, value := range jsonvalue.EachMember(v) {
		m.names = append(m.names, string(name))
		if own := slices.Index(idNames[:rank], string(name)); own >= 0 && identifies(value) {
			m.idName, rank = string(name), own
		}
	}

	return m
}

// isLike reports whether an object has what identifies the first record, and another member in common with
// it, if that has others.
func (m model) isLike(v jsontext.Value) bool {
	isIdentified, isAlike := false, len(m.names) == 1
	for name, value := range jsonvalue.EachMember(v) {
		if string(name) == m.idName {
			isIdentified = identifies(value)
		} else if !isAlike {
			isAlike = slices.Contains(m.names, string(name))
		}
		if isIdentified && isAlike {
			return m.idName != ""
		}
	}

	return false
}

// identifies reports whether a value can identify a record: it is a text or a number.
func identifies(v jsontext.Value) bool {
	isText := v.Kind() == '"' && v[1] != '"'
	return isText || v.Kind() == '0'
}

var seed = maphash.MakeSeed()

// isOfOneKind reports false for one of the first records of an answer of one kind that has come under another one: with
// the same identifying values and the same names.
func (x *Reader) isOfOneKind(v jsontext.Value, kind Kind) bool {
	if x.options.Asked == Unknown || x.Result.Counts[kind] >= sampled {
		return true
	}

	var sum uint64
	isIdentified := false
	for name, value := range jsonvalue.EachMember(v) {
		sum += maphash.Bytes(seed, name)
		if slices.Contains(idNames, string(name)) && identifies(value) {
			sum += 31 * maphash.Bytes(seed, value)
			isIdentified = true
		}
	}
	known := cmp.Or(x.memory.seen[sum], kind)
	if isIdentified && len(x.memory.seen) < limitSeen {
		x.memory.seen[sum] = kind
	}

	return known == kind
}

// isGroup reports whether an object states a kind and has a list.
func isGroup(v jsontext.Value) bool {
	states, holds := false, false
	for name, value := range jsonvalue.EachMember(v) {
		isList := value.Kind() == '[' && slices.Contains(listNames, string(name))
		states, holds = states || statedKind(name, value) != Unknown, holds || isList
	}
	return states && holds
}

// readGroup reads the records in a group.
func (x *Reader) readGroup(v jsontext.Value, in place) error {
	defer func(dec *jsontext.Decoder) { x.dec = dec }(x.dec)

	// Its names were compared when it was read as one value.
	x.dec = jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

	err := x.readObject(in)
	if err == nil && len(x.extra) > 0 {
		err = x.refuseExtra()
	}

	return err
}
