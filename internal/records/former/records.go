// Package records splits the answer of an export (section 4, Export) into its records,
// in constant memory.
//
// The interface shows neither the shape of the answer nor how it names the kinds of its
// records, so the package accepts what such services usually send:
//
//   - a JSON array of records that state their kind;
//   - NDJSON, or JSON values that follow each other, likewise;
//   - an object with an array for each kind, possibly nested under names such as data;
//   - in front of any of them a byte order mark, and CRLF between lines.
//
// The input is strict RFC 8259: valid UTF-8 (unless Options say otherwise), unique names
// in each object, bounded depth. No record is dropped: one whose kind cannot be told is
// of kind Unknown.
//
// The parser is jsontext, chosen for its strictness. Long lists are cut into parts that
// several goroutines parse concurrently; the cuts are guessed and then verified, see
// readList.
package records

import (
	"errors"
	"fmt"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on the parts of an answer that are held in memory.
const (
	// LimitRecord is the size of the longest record, and of the longest text between two
	// records, in bytes.
	LimitRecord = 16 << 20
	// LimitMembers is the largest number of members of an object that holds records.
	LimitMembers = 10_000
	// lookahead is how much of an answer is examined to distinguish a record from an
	// object that holds all records, in bytes.
	lookahead = 1 << 20
	// limitDepth is how many objects may be nested around the records.
	limitDepth = 16
)

// Kind is the kind of a record (section 1, bulk analytics export).
type Kind int

// The kinds of records. Unknown is the kind of a record that does not state any.
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
func (k Kind) Plural() string {
	if k == Unknown {
		return k.String()
	}
	return k.String() + "s"
}

// Counts are numbers of records by kind.
type Counts [len(kindNames)]int64

// Of returns the number of records of one kind.
func (c Counts) Of(k Kind) int64 { return c[k] }

// Total returns the number of all records.
func (c Counts) Total() (n int64) {
	for _, of := range c {
		n += of
	}
	return n
}

// Errors about an answer. They quote nothing of it but names of members that this
// package knows.
var (
	ErrTruncated    = errors.New("the answer ends in the middle")
	ErrTooLarge     = errors.New("a single record, or what stands between two, is larger than 16 MiB")
	ErrShape        = errors.New("the answer has none of the shapes that an export can have")
	ErrAmbiguous    = fmt.Errorf("%w that can be told apart: an object may be a record or hold the records", ErrShape)
	ErrSyntax       = errors.New("the JSON is not valid")
	ErrRepeatedName = errors.New("the JSON has a name twice in one object")
	ErrUTF8         = fmt.Errorf("%w: the text is not UTF-8", ErrSyntax)
	ErrFailed       = errors.New("the answer says itself that it failed")
	ErrUnfinished   = errors.New("the answer says itself that it is not ready")
	ErrPage         = errors.New("the answer says that there is more, and the interface has no way to ask for it")
	ErrElsewhere    = errors.New("the answer points to records instead of holding them")
	ErrOtherKind    = errors.New("the answer holds records of another kind than was asked for")
	ErrNoRecord     = errors.New("what stands where records should be is none")
	ErrPanic        = errors.New("reading the answer ended in a panic")
)

var signErrors = map[jsonvalue.Sign]error{
	jsonvalue.Failed:     ErrFailed,
	jsonvalue.Unfinished: ErrUnfinished,
	jsonvalue.Paged:      ErrPage,
	jsonvalue.Elsewhere:  ErrElsewhere,
}

// signError returns the error for a sign, with the name of the member that gives it; nil
// if there is no sign.
func signError(f jsonvalue.Finding) error {
	err, ok := signErrors[f.Sign]
	if !ok {
		return nil
	}
	return fmt.Errorf("%w (member %q)", err, f.Member)
}

// located adds the offset in the answer to errors about its JSON.
func located(err error, offset int64) error {
	if errors.Is(err, ErrSyntax) || errors.Is(err, ErrRepeatedName) {
		return fmt.Errorf("%w, at byte %d", err, offset)
	}
	return err
}

// emitError marks an error that emit returned.
type emitError struct{ error }
