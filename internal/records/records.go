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
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Limits on what is held in memory, and on what is examined.
const (
	LimitRecord = 16 << 20  // of the longest record, and of the longest text between two, in bytes
	LimitHead   = 256 << 10 // of the beginning that distinguishes a record from an object that holds records, in bytes
	limitExtra  = 100       // of members around the records that are not recognised
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

var (
	kindNames   = [...]string{Unknown: "unknown", Person: "person", Session: "session", Event: "event"}
	kindPlurals = [...]string{Unknown: "unknown", Person: "persons", Session: "sessions", Event: "events"}
)

// String returns the kind in the singular, as it is written to files.
func (k Kind) String() string { return kindNames[k] }

// Plural returns the kind as users name it in a configuration.
func (k Kind) Plural() string { return kindPlurals[k] }

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
	seen   map[uint64]Kind // under which records came, by what identifies them
}

// The names of members that are recognised without a setting. The templates of the guide name them
// too.
var (
	// idNames are those that identify a record; of several, the first one counts.
	idNames = spellings("id _id uuid identity_id session_id event_id message_id insert_id distinct_id email")

	// statingNames are those in which a record states its kind, in one of the kindWords.
	statingNames = spellings("type kind record_type")

	// listNames are the names of a list, in an object that states a kind or of records that state theirs.
	listNames = spellings("data records items results rows values entries elements content list value nodes docs member hydra:member")

	// countNames are those of the number of all records in an object.
	countNames = spellings("count total total_count @odata.count total_records")
)

// kindWords are what a record can state, and what the list of a kind can be named.
var kindWords = func() map[string]Kind {
	words := map[string]Kind{}
	for kind, names := range map[Kind]string{
		Person:  "person persons people person_record person_records",
		Session: "session sessions session_record session_records",
		Event:   "event events event_record event_records",
	} {
		for _, word := range spellings(names) {
			words[word], words[strings.ToUpper(word)] = kind, kind
		}
	}

	return words
}()

// spellings returns names in snake case, each also in camel and in Pascal case.
func spellings(names string) (all []string) {
	for name := range strings.FieldsSeq(names) {
		var pascal strings.Builder
		for word := range strings.SplitSeq(strings.Trim(name, "_"), "_") {
			pascal.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		all = append(all, name, pascal.String(), strings.ToLower(pascal.String()[:1])+pascal.String()[1:])
	}

	return all
}
