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
	v, err := x.readText()
	if err != nil {
		return err
	}

	kind, err := x.recognise(v, in)
	switch {
	case err != nil && groupKind(v) != Unknown:
		return x.readGroup(v, in)
	case err != nil:
		return err
	}

	x.Result.Counts[kind]++
	if !x.yield(kind, v) {
		return errStopped
	}

	return nil
}

// readText reads the text of a record. Bytes that are not UTF-8 are replaced if the settings say so.
func (x *Reader) readText() (jsontext.Value, error) {
	v, err := x.dec.ReadValue()
	if err != nil {
		return nil, err
	}

	x.text.N = LimitRecord
	switch {
	case utf8.Valid(v):
		return v, nil
	case x.options.InvalidUTF8 != InvalidReplace:
		return nil, fmt.Errorf("%w; it is in record %d", ErrUTF8, x.Result.Counts.Total()+1)
	}
	x.Result.Replaced++

	return bytes.Map(func(r rune) rune { return r }, v), nil // each byte, as the decoder does that compares names
}

// recognise returns the kind of a record: that of its place, the one asked for, or the one it states. Each record is
// examined for another one where a setting says what states it, and else the first ones in a place that was not told.
func (x *Reader) recognise(v jsontext.Value, in place) (Kind, error) {
	kind, own := cmp.Or(in.kind, x.options.Asked), Unknown
	isDoubtful := x.Result.Counts[kind] < sampled && !in.isConfigured
	if isDoubtful || x.options.Kind != "" {
		own = x.ownKind(v)
	}
	kind = cmp.Or(kind, own)
	isOther := cmp.Or(own, kind) != kind || cmp.Or(x.options.Asked, kind) != kind

	var why, advice string
	switch {
	case kind == Unknown:
		why = "does not state its kind"
		advice = "wire.export.kind and wire.export.kinds say what states it, or wire.export.at says where the records of each kind are"
	case !x.isRecord(v, kind):
		why = "does not have the member that identifies the first " + kind.String() + ", and another one in common with it"
		advice = "wire.export.record." + kind.Plural() + " says what every record of the kind has"
	case isOther || !x.isOfOneKind(v, kind):
		why = "is of another kind than the answer says or was asked for, or came under two kinds"
		advice = "compare wire.export.kind_parameter and wire.export.kind_values with what your service expects; or wire.export.at." + kind.Plural() + " says that the list holds " + kind.Plural()
	default:
		return kind, nil
	}

	return Unknown, &decode.Error{
		Why:    fmt.Sprintf("record %d, in %s, is not recognised as one: it %s%s", x.Result.Counts.Total()+1, decode.Shown(in.at), why, decode.Members(v, "")),
		Advice: "if it is a record, " + advice,
	}
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

	for name, value := range jsonvalue.Parts(v) {
		if kind := declaredKind(name, value); kind != Unknown {
			return kind
		}
	}

	return Unknown
}

func declaredKind(name []byte, value jsontext.Value) Kind {
	if !slices.Contains(statingNames, string(name)) || value.Kind() != '"' {
		return Unknown
	}
	return kindWords[jsonvalue.Text(value)]
}

// isRecord reports whether an object has what every record of a kind has, by Options.Record or else by the first one.
func (x *Reader) isRecord(v jsontext.Value, kind Kind) bool {
	if at := x.options.Record[kind.Plural()]; at != "" {
		return jsonvalue.At(v, at) != nil
	}
	first := &x.memory.models[kind]
	if first.idName == "" {
		*first = modelOf(v)
	}
	return first.idName != "" && first.isLike(v)
}

// model is what the records of a kind have in common, which the first one shows.
type model struct {
	idName string   // of the member that identifies it; empty if nothing does
	names  []string // of all members
}

// modelOf returns the model that the first record of a kind is.
func modelOf(v jsontext.Value) (m model) {
	rank := len(idNames)
	for name, value := range jsonvalue.Parts(v) {
		m.names = append(m.names, string(name))
		if own := slices.Index(idNames[:rank], string(name)); own >= 0 && identifies(value) {
			m.idName, rank = string(name), own
		}
	}

	return m
}

// isLike reports whether an object has what identifies the first record, and another member of it, if it has others.
func (m model) isLike(v jsontext.Value) bool {
	isIdentified, isAlike := false, len(m.names) == 1
	for name, value := range jsonvalue.Parts(v) {
		if string(name) == m.idName {
			isIdentified = identifies(value)
		} else if !isAlike {
			isAlike = slices.Contains(m.names, string(name))
		}
		if isIdentified && isAlike {
			return true
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

// isOfOneKind reports false for one of the first records of a kind that was asked for, if one with the same identifying
// values and the same names has come under another kind.
func (x *Reader) isOfOneKind(v jsontext.Value, kind Kind) bool {
	if x.options.Asked == Unknown || x.Result.Counts[kind] >= sampled {
		return true
	}

	var names, ids uint64
	for name, value := range jsonvalue.Parts(v) {
		names += maphash.Bytes(seed, name)
		if slices.Contains(idNames, string(name)) && identifies(value) {
			ids += maphash.Bytes(seed, value)
		}
	}

	return ids == 0 || x.memory.kindOf(names^ids, kind) == kind
}

// kindOf returns the kind under which the identifier of a record came first; the given one if it is new.
func (m *Memory) kindOf(record uint64, kind Kind) Kind {
	if m.seen == nil {
		m.seen = map[uint64]Kind{}
	}
	if known, isKnown := m.seen[record]; isKnown || len(m.seen) >= limitSeen {
		return cmp.Or(known, kind)
	}
	m.seen[record] = kind

	return kind
}

// groupKind returns the kind that an object states for the records of its list; Unknown if it is not a group.
func groupKind(v jsontext.Value) (kind Kind) {
	hasList := false
	for name, value := range jsonvalue.Parts(v) {
		isList := value.Kind() == '[' && slices.Contains(listNames, string(name))
		kind, hasList = cmp.Or(kind, declaredKind(name, value)), hasList || isList
	}
	if !hasList {
		return Unknown
	}

	return kind
}

// readGroup reads the records in a group.
func (x *Reader) readGroup(v jsontext.Value, in place) error {
	defer func(dec *jsontext.Decoder) { x.dec = dec }(x.dec)

	// Its names were compared when it was read as one value.
	x.dec = jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	in.kind = cmp.Or(in.kind, groupKind(v))

	return cmp.Or(x.readObject(in), x.checkExtra())
}
