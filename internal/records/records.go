// Package records splits the answer of an export (section 4, Export) into its
// records, in constant memory.
//
// The interface shows neither the shape of the answer nor how it names the kinds of
// its records, so what such services usually send is accepted:
//
//   - one JSON array of records that say their kind themselves;
//   - NDJSON, or JSON values one after the other, likewise;
//   - an object with one array for each kind, also nested under names such as data;
//   - in front of any of them a byte order mark, and CRLF between lines.
//
// What is read is strict RFC 8259: valid UTF-8, no name twice in an object, bounded
// depth. Nothing is dropped: a record whose kind cannot be told is of kind Unknown.
//
// The parser is jsontext, chosen for its strictness. Measured beside each other on
// one core with records of 400 bytes (go test -bench . ./internal/records): 540 MB/s
// with an array for each kind and 400 MB/s where each record has to be asked for its
// kind, against 140 MB/s of encoding/json, which accepts invalid UTF-8 and
// repeated names.
package records

import (
	"errors"
	"slices"
)

// Limits on what an answer may hold outside of what is streamed.
const (
	// LimitRecord is the longest single record, in bytes, and the most that may stand
	// between two records.
	LimitRecord = 16 << 20
	// LimitMembers is how many members an object may have that holds the records.
	LimitMembers = 10_000

	// window is how far the reader looks ahead to tell a record from an object that
	// holds all records, in bytes.
	window = 1 << 20
)

// Kind is the kind of a record (section 1, bulk analytics export).
type Kind int

// The kinds of records. Unknown is a record that does not say what it is.
const (
	Unknown Kind = iota
	Person
	Session
	Event
)

// Kinds are the three that the service exports.
var Kinds = []Kind{Person, Session, Event}

var kindNames = [...]string{Unknown: "unknown", Person: "person", Session: "session", Event: "event"}

// String is the kind in the singular, as it stands in files.
func (k Kind) String() string { return kindNames[k] }

// Plural is the kind as users name it in a configuration.
func (k Kind) Plural() string {
	if k == Unknown {
		return k.String()
	}
	return k.String() + "s"
}

// ParsePlural gives the kind that users name so.
func ParsePlural(name string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Plural() == name })
	if i < 0 {
		return Unknown, false
	}
	return Kinds[i], true
}

// Counts says how many records of each kind there were.
type Counts [len(kindNames)]int64

// Of is the number of one kind.
func (c Counts) Of(k Kind) int64 { return c[k] }

// Total is the number of all records.
func (c Counts) Total() (n int64) {
	for _, of := range c {
		n += of
	}
	return n
}

// Errors about an answer. They quote nothing of it.
var (
	ErrTruncated = errors.New("the answer ends in the middle")
	ErrTooLarge  = errors.New("a single record, or what stands between two, is larger than 16 MiB")
	ErrShape     = errors.New("the answer has none of the shapes that an export can have")
	ErrFailed    = errors.New("the answer says itself that it failed")
	ErrPage      = errors.New("the answer says that there is more, and the interface has no way to ask for it")
	ErrOtherKind = errors.New("the answer holds records of another kind than was asked for")
)
