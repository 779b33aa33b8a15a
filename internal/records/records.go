// SPDX-License-Identifier: MPL-2.0

// Package records splits the answer of an export (section 4, Export) into its records,
// in constant memory and in one pass.
//
// The interface shows nothing of the answer. So it is recognised by Options, or else by the
// exact names and words of this package, and anything else is an error. There is no list of names or words of
// errors, jobs and pages, which would never be complete.
//
// The input is strict RFC 8259: valid UTF-8 (unless Options say otherwise), unique names
// in each object, bounded depth. It may begin with a byte order mark.
package records

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on what is held in memory, and on what is examined.
const (
	LimitRecord = 16 << 20  // of the longest record, and of the longest text between two, in bytes
	LimitHead   = 256 << 10 // of the beginning that distinguishes a record from an object that holds records, in bytes
	sampled     = 1000      // how many records of a kind are examined for another one
	limitSeen   = 100_000   // how many of them are compared with those of other answers
)

// Kind is the kind of a record (section 1, bulk analytics export).
type Kind int

// The kinds of records. Unknown is the kind of what is not known to be of any.
const (
	Unknown Kind = iota
	Person
	Session
	Event
)

// Kinds are the kinds that the service exports.
var Kinds = []Kind{Person, Session, Event}

var kindNames = [...]string{Unknown: "unknown", Person: "person", Session: "session", Event: "event"}

// String returns the kind in the singular, as it is written to files.
func (k Kind) String() string { return kindNames[k] }

// Plural returns the kind as users name it in a configuration.
func (k Kind) Plural() string { return kindNames[k] + "s" }

// listed returns the plurals of some kinds with a separator.
func listed(kinds []Kind, separator string) string {
	var plurals []string
	for _, kind := range kinds {
		plurals = append(plurals, kind.Plural())
	}
	return strings.Join(plurals, separator)
}

// Counts are numbers of records by kind.
type Counts [len(kindNames)]int64

// Total returns the number of all records.
func (c Counts) Total() (n int64) {
	for _, of := range c {
		n += of
	}
	return n
}

// Errors of a text that is JSON.
var (
	ErrTooLarge = errors.New("a single record, or what stands between two, is larger than 16 MiB")
	ErrUTF8     = errors.New("the text is not UTF-8; wire.export.invalid_utf8 = \"replace\" replaces such bytes and counts the records")
)

// Result describes an answer that was read.
type Result struct {
	Counts      Counts
	Closed      bool           // the last bracket shows that it is complete; what delivered another answer has to show that
	Replaced    int64          // records in which invalid UTF-8 was replaced
	Next, Total jsontext.Value // at Options.Next and Options.Total; nil if there are none
}

// Map says where a service has its records, and what its words mean, as the block wire.export. The keys of its maps are
// the plurals of the kinds. Empty pointers say nothing.
type Map struct {
	At     map[string]jsontext.Pointer `json:"at,omitzero"`     // of the list, in the content
	Kind   jsontext.Pointer            `json:"kind,omitzero"`   // of what a record states its kind with
	Kinds  map[string][]string         `json:"kinds,omitzero"`  // words that Kind leads to, beside the usual ones
	Record map[string]jsontext.Pointer `json:"record,omitzero"` // of what every record has

	Next  jsontext.Pointer `json:"next,omitzero"`  // of the next page
	Total jsontext.Pointer `json:"total,omitzero"` // of the number of all records

	Lines bool `json:"lines,omitzero"` // an answer of one object is one record
	Empty bool `json:"empty,omitzero"` // an answer without content, or with nothing in it, is one without records

	InvalidUTF8 string `json:"invalid_utf8,omitzero"` // InvalidReplace to replace bytes that are not UTF-8 by U+FFFD
}

// What happens to bytes that are not UTF-8.
const (
	InvalidError   = "error"
	InvalidReplace = "replace"
)

// Options says what is known about an answer before it is read.
type Options struct {
	Map
	Envelope decode.Envelope
	Wanted   []Kind  // that the answer has to say something about
	Asked    Kind    // the only one that was asked for; Unknown if all were
	Memory   *Memory // of other answers to the same question; nil if there were none
	IsLines  bool    // values follow each other, by the media type
}

// Memory keeps the first records of the answers to one question, with which those of the next ones are compared.
type Memory struct {
	models [len(kindNames)]model
	seen   map[uint64]Kind // under which records came first, by what identifies them
}

// The names of members that are recognised without a setting, folded. The templates of the guide name them too.
var (
	// idNames are those that identify a record; of several, the first one counts.
	idNames = strings.Fields("id uuid identityid sessionid eventid messageid insertid distinctid email")

	// statingNames are those in which a record states its kind, in one of the kindWords.
	statingNames = strings.Fields("type kind recordtype")

	// listNames are the names of a list, in an object that states a kind or of records that state theirs.
	listNames = strings.Fields("data records items results rows values entries elements content list value nodes docs member hydra:member")

	// countNames are those of the number of all records in an object.
	countNames = strings.Fields("count total totalcount @odata.count totalrecords")

	// kindWords are what a record can state, and what the list of a kind can be named.
	kindWords = map[string]Kind{
		"person": Person, "persons": Person, "people": Person, "personrecord": Person, "personrecords": Person,
		"session": Session, "sessions": Session, "sessionrecord": Session, "sessionrecords": Session,
		"event": Event, "events": Event, "eventrecord": Event, "eventrecords": Event,
	}
)

// fold returns a name without capitals and underscores, so that recordType and record_type are one.
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// readRecord reads a record, and yields it once it is recognised as one.
func (x *Reader) readRecord(in place) error {
	v, err := x.readText()
	if err != nil {
		return err
	}

	kind, err := x.recognise(v, in)
	if err != nil {
		if of, isGroup := stated(v); isGroup {
			return x.readGroup(v, in, of)
		}
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

// recognise returns the kind of a record: that of its place, that asked for, or that it states, which have to be the
// same.
func (x *Reader) recognise(v jsontext.Value, in place) (Kind, error) {
	own := x.statedKind(v, in)
	kind := cmp.Or(in.kind, x.options.Asked, own)
	isOther := cmp.Or(own, kind) != kind || cmp.Or(x.options.Asked, kind) != kind

	var why, advice string
	switch {
	case kind == Unknown:
		why = "does not state its kind"
		advice = "wire.export.kind and wire.export.kinds say what states it, or wire.export.at says where the records of each kind are"
	case !x.isRecord(v, kind):
		why = "does not have the member that identifies the first " + kind.String() + ", and another one in common with it"
		advice = "wire.export.record." + kind.Plural() + " says what every record of the kind has"
	case isOther, !x.isOfOneKind(v, kind):
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

// statedKind returns the kind that a record states: at Options.Kind, or else in the first of its members that does.
// Without a setting only the first records are looked at, in a place that was not told.
func (x *Reader) statedKind(v jsontext.Value, in place) (kind Kind) {
	isKnown := in.isConfigured || x.Result.Counts[cmp.Or(in.kind, x.options.Asked)] >= sampled
	switch {
	case x.options.Kind == "" && isKnown:
		return Unknown
	case x.options.Kind == "":
		kind, _ = stated(v)
		return kind
	}

	word := jsonvalue.Text(jsonvalue.At(v, x.options.Kind))
	isNamed := func(kind Kind) bool { return slices.Contains(x.options.Kinds[kind.Plural()], word) }
	if i := slices.IndexFunc(Kinds, isNamed); i >= 0 {
		return Kinds[i]
	}

	return kindWords[fold(word)]
}

// declaredKind returns the kind that a member states; Unknown if it states none.
func declaredKind(name string, value jsontext.Value) Kind {
	if !slices.Contains(statingNames, fold(name)) {
		return Unknown
	}
	return kindWords[fold(jsonvalue.Text(value))]
}

// stated returns the kind that an object states, and whether it is a group of records, which has a list of them.
func stated(v jsontext.Value) (kind Kind, isGroup bool) {
	for name, value := range jsonvalue.Parts(v) {
		kind = cmp.Or(kind, declaredKind(string(name), value))
		if value.Kind() == '[' && slices.Contains(listNames, fold(string(name))) {
			isGroup = true
		}
	}

	return kind, isGroup && kind != Unknown
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
	first := len(idNames)
	for name, value := range jsonvalue.Parts(v) {
		m.names = append(m.names, string(name))
		if rank := idRank(name, value); rank < first {
			m.idName, first = string(name), rank
		}
	}

	return m
}

// idRank returns the index of a name in idNames; their number if a member does not identify a record.
func idRank(name []byte, value jsontext.Value) int {
	if rank := slices.Index(idNames, fold(string(name))); rank >= 0 && identifies(value) {
		return rank
	}
	return len(idNames)
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
		if idRank(name, value) < len(idNames) {
			ids += maphash.Bytes(seed, value)
		}
	}

	return ids == 0 || x.memory.kindOf(names^ids, kind) == kind
}

// kindOf returns the kind under which a record came first; the given one if it is new.
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

// readGroup reads the records in a group.
func (x *Reader) readGroup(v jsontext.Value, in place, kind Kind) error {
	defer func(dec *jsontext.Decoder) { x.dec = dec }(x.dec)

	// Its names were compared when it was read as one value.
	x.dec = jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	in.kind = cmp.Or(in.kind, kind)

	return cmp.Or(x.readObject(in), x.checkExtra())
}
