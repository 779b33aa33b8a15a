// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// model is what the records of a kind have in common, which the first one shows.
type model struct {
	identifying string          // the name of the member that identifies it
	others      map[string]bool // the names of up to a hundred others

	// A record that begins and ends as the first one does is recognised without a look at its
	// members: head is what is in front of the identifying value, next is what follows that value
	// if it takes that to have another member in common, and tail is how the record ends. Where the
	// kind is not known from the place of the record, head or tail states it.
	head, next, tail []byte
}

// fits reports whether a record begins and ends as the first one does.
func (m *model) fits(v jsontext.Value) bool {
	if m == nil || m.head == nil || !bytes.HasPrefix(v, m.head) || !bytes.HasSuffix(v, m.tail) {
		return false
	}
	value := v[len(m.head):]
	end := jsonvalue.ValueLen(value)
	return identifies(value[:end]) && bytes.HasPrefix(value[end:], m.next)
}

// learn makes m the model of a kind. The record v, the first of the kind, shows how one begins and
// ends. isKnown says that the kind is known from the place of the record.
func (x *Reader) learn(v jsontext.Value, kind Kind, m *model, isKnown bool) {
	x.models[kind] = m
	told := x.options.Kind
	if told != "" && x.statedKind(v) != kind {
		return
	}

	var names []string
	var values []jsontext.Value
	for name, value := range jsonvalue.EachMember(v) {
		if names, values = append(names, string(name)), append(values, value); len(names) == 2 {
			break
		}
	}
	if len(names) < 2 {
		return
	}

	switch m.identifying {
	case names[0]:
		m.tail = tailOf(v, told)
		needsNoTail := isKnown && told == ""
		if needsNoTail || m.tail != nil {
			m.head, m.next = []byte(`{"`+names[0]+`":`), []byte(`,"`+names[1]+`":`)
		}
	case names[1]:
		isTold := told == jsontext.Pointer("").AppendToken(names[0])
		isStated := told == "" && stated([]byte(names[0]), values[0]) != Unknown
		if isTold || isStated {
			m.head, m.next = []byte(`{"`+names[0]+`":`+string(values[0])+`,"`+names[1]+`":`), nil
		}
	}
}

// tailOf returns the end of a record from the member on that has what is told; nil if that is long,
// or if it could be the end of a record that has something else there. Without a backslash and with an
// even number of quotation marks, it begins outside of a string in every record that ends with it.
func tailOf(v jsontext.Value, told jsontext.Pointer) []byte {
	const longest = 200
	if told == "" {
		return nil
	}

	first := jsontext.Pointer("").AppendToken(slices.Collect(told.Tokens())[0])
	member := `,"` + first.LastToken() + `":` + string(jsonvalue.At(v, first))
	at := bytes.LastIndex(v, []byte(member))
	if at < 0 || len(v)-at > longest || bytes.IndexByte(v[at:], '\\') >= 0 || bytes.Count(v[at:], []byte(`"`))%2 != 0 {
		return nil
	}

	object := append([]byte("{"), v[at+1:]...)
	if jsonvalue.End(object) != len(object) || !bytes.Equal(jsonvalue.At(object, told), jsonvalue.At(v, told)) {
		return nil
	}

	return bytes.Clone(v[at:])
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
		x.last = kind
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

	expected := cmp.Or(in.kind, x.options.Asked)
	if known := cmp.Or(expected, x.last); x.result.Counts[known] > sampled && x.models[known].fits(v) {
		return known, nil
	}

	kind, refusal := x.kindOf(v, expected, in.isTold)
	if refusal != nil {
		return Unknown, refusal
	}
	if why := x.identify(v, kind, expected != Unknown); why != "" {
		return Unknown, &answer.Error{Why: noRecord + ": it " + why + answer.Members(v, ""), Advice: recordAdvice(kind)}
	}
	if x.options.Seen != nil && x.result.Counts[kind] < sampled && !x.options.Seen.add(kind, v) {
		return Unknown, &answer.Error{Why: twoKinds + ", so that the service seems to ignore the parameter", Advice: KindSettings}
	}

	return kind, nil
}

// kindOf returns the kind of a record: the expected one, or the one that it states. isTold says that
// its place was told, so that it may state something else.
func (x *Reader) kindOf(v jsontext.Value, expected Kind, isTold bool) (Kind, *answer.Error) {
	asked := x.options.Asked
	isSampled := x.result.Counts[expected] < sampled && !isTold

	own := Unknown
	if expected == Unknown || x.options.Kind != "" || isSampled {
		own = x.statedKind(v)
	}
	kind := cmp.Or(expected, own)

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

// identify returns why an object is not a record of a kind, which completes a sentence about it;
// empty if it is one.
// isKnown says that the kind is known from the place of the record.
func (x *Reader) identify(v jsontext.Value, kind Kind, isKnown bool) (why string) {
	if at := x.options.Record[kind]; at != "" {
		if jsonvalue.At(v, at) == nil {
			return "has not what wire.export.record." + kind.Plural() + " says"
		}
		if name := at.LastToken(); x.models[kind] == nil && at == jsontext.Pointer("").AppendToken(name) {
			x.learn(v, kind, &model{identifying: name}, isKnown)
		}
		return ""
	}

	m := x.models[kind]
	if m == nil {
		if m = modelOf(v); m == nil {
			return "has no member of a name that identifies it, such as \"id\""
		}
		x.learn(v, kind, m, isKnown)
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
func identifies(v jsontext.Value) bool {
	if v.Kind() == '"' {
		return len(v) > 2
	}
	return v.Kind() == '0'
}

// isGroup reports whether an object that is no record holds the records of a kind, which it states.
func (x *Reader) isGroup(v jsontext.Value, in place) bool {
	states, holds := false, false
	for name, value := range jsonvalue.EachMember(v) {
		_, isList := listNames[string(name)]
		if isList && value.Kind() == '[' {
			holds = true
		}
		states = states || stated(name, value) != Unknown
	}

	return states && holds && in.kind == Unknown
}

// readGroup reads the records in a group.
func (x *Reader) readGroup(v jsontext.Value, in place, begin int64) error {
	dec, before := x.dec, x.begin
	defer func() { x.dec, x.begin = dec, before }()

	// Its names were compared when it was read as one value.
	x.dec = jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	x.begin = begin
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
