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
// What is read is strict RFC 8259: valid UTF-8 (unless Options say otherwise), no name
// twice in an object, bounded depth. Nothing is dropped: a record whose kind cannot be
// told is of kind Unknown.
//
// The parser is jsontext, chosen for its strictness. Long lists are cut into blocks that
// several goroutines parse beside each other, at boundaries that are guessed and proven:
// see list.
package records

// Limits on what an answer may hold outside of what is streamed.
const (
	// LimitRecord is the longest single record, in bytes, and the most that may stand
	// between two records.
	LimitRecord = 16 << 20
	// LimitMembers is how many members an object may have that holds the records.
	LimitMembers = 10_000
	// lookahead is how much of an answer is looked at to tell a record from an object
	// that holds all records, in bytes.
	lookahead = 1 << 20
	// limitDepth is how many objects may be around the records.
	limitDepth = 16
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
