// SPDX-License-Identifier: MPL-2.0

// Package records splits the answer of an export (section 4, Export) into its records,
// in constant memory and in one pass.
//
// The interface shows neither the shape of the answer nor how it names the kinds of its
// records. So an object counts as a record only where something shows that it is one:
//
//   - it stands in a container whose name means a kind, such as persons, and has most
//     members in common with the first record of that kind, which has an ID or an address;
//   - it has a discriminator, such as type, whose value means a kind;
//   - it has a member that the caller names.
//
// The answer is one array of records; or records that follow each other, as in NDJSON; or
// one object of containers, possibly inside of others, in which nothing else stands but
// the number of the records. In front of any of them may be a byte order mark. What is
// not recognised is an error, and no list of bad words decides: an error, a job or a page
// are not told from what else a record is not.
//
// The input is strict RFC 8259: valid UTF-8 (unless Options say otherwise), unique names
// in each object, bounded depth.
package records

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits on the parts of an answer that are held in memory.
const (
	// LimitRecord is the size of the longest record, and of the longest text between two
	// records, in bytes.
	LimitRecord = 16 << 20
	// LimitMembers is the largest number of members of an object that holds records.
	LimitMembers = 10_000
	// lookahead is how much of an answer is examined to distinguish a record from an
	// object that holds records, in bytes.
	lookahead = 1 << 20
	// block is how much of an answer is read at a time, in bytes.
	block = 64 << 10
	// comparedNames is how many names of members records are compared by.
	comparedNames = 100
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

// Errors about an answer.
var (
	ErrTruncated    = errors.New("the answer ends in the middle")
	ErrTooLarge     = errors.New("a single record, or what stands between two, is larger than 16 MiB")
	ErrShape        = errors.New("the answer has none of the shapes that an export can have")
	ErrSyntax       = errors.New("the JSON is not valid")
	ErrRepeatedName = errors.New("the JSON has a name twice in one object")
	ErrUTF8         = fmt.Errorf("%w: the text is not UTF-8", ErrSyntax)
	ErrFollowed     = errors.New("something follows the last bracket of the answer")
)

// What is not recognised in an answer, for the answer.Error that says so.
const (
	noRecord      = "what stands where records should be is not recognised as one"
	otherKind     = "the answer holds records of another kind than it says or was asked for"
	noList        = "there is no list of records"
	strangeMember = "what stands beside the records is not recognised, or counts another number of records"
)

// KindSettings is the advice for records of the wrong kind.
const KindSettings = "compare wire.export.kind_parameter and wire.export.kind_values with what your service expects"

// The other setting that admits an answer.
const (
	namesMember = "if the object is a record, wire.export.record points to what every record has"
)

// Result describes an answer that was read.
type Result struct {
	Counts Counts
	// Closed: the answer is one JSON array, or one object that holds the records, so that
	// its last bracket shows that it is complete. What delivered any other answer has to
	// show that.
	Closed bool
	// Mended is the number of records in which invalid UTF-8 was replaced.
	Mended int64
}

// Options says what is known about an answer before it is read.
type Options struct {
	// Asked is the one kind that was asked for; Unknown if all were.
	Asked Kind
	// RecordMember is the name of a member that shows that an object is a record; empty if
	// none is known.
	RecordMember string
	// Ignored are names of members that say nothing about the records, as name or as
	// name=value. With a value, which is null, true, false, [] or {}, only a member with
	// that value is ignored.
	Ignored []string
	// ReplaceInvalid replaces bytes that are not UTF-8 by U+FFFD, and counts the records.
	ReplaceInvalid bool
}

// Reader reads one answer.
type Reader struct {
	options Options
	yield   func(Kind, jsontext.Value) bool
	err     error

	text   *bufio.Reader
	dec    *jsontext.Decoder // of the text
	begin  int64             // length of the byte order mark
	read   int64             // how much of the text the decoder has, in bytes
	broken error             // what ended the text, other than its end

	result Result
	first  [len(kindNames)]map[string]bool // the names of members of the first record of a kind
	lists  Counts                          // of records in an object, by the kinds that their names mean
	// strange are the members around the records that are not recognised, as Options.Ignored
	// takes them.
	strange []string
}

// NewReader returns a reader of the answer r.
func NewReader(r io.Reader, o Options) *Reader {
	return &Reader{options: o, text: bufio.NewReaderSize(r, lookahead)}
}

// All yields every record, as it is in the answer and in order, until the next one is taken. It can
// be called once. Afterwards, Err says whether these were all.
func (x *Reader) All() iter.Seq2[Kind, jsontext.Value] {
	return func(yield func(Kind, jsontext.Value) bool) {
		x.yield = yield

		head, _ := x.text.Peek(lookahead) // an error comes again
		if bytes.HasPrefix(head, byteOrderMark) {
			_, _ = x.text.Discard(len(byteOrderMark))
			x.begin = int64(len(byteOrderMark))
		}
		x.dec = jsontext.NewDecoder(source{x}, jsontext.AllowInvalidUTF8(true))

		var err error
		x.result.Closed, err = x.readAnswer(head[x.begin:])
		x.err = x.failure(err)
	}
}

// Err returns why the answer could not be read to its end; nil if it was, or if the loop over All
// ended before. An error of the text is returned as it is.
//
// What is not recognised is an *answer.Error. The records before it are then part of an answer
// that is none.
func (x *Reader) Err() error { return x.err }

// Result describes what was read.
func (x *Reader) Result() Result { return x.result }

// errStopped ends the reading if the loop over All does.
var errStopped = errors.New("no more records are wanted")

var byteOrderMark = []byte("\uFEFF")

// source is the text of an answer for its decoder.
type source struct{ *Reader }

// Read ends the text where one value, or what stands between two, is too large.
func (x source) Read(p []byte) (n int, err error) {
	if err = ErrTooLarge; x.read-x.dec.InputOffset() <= LimitRecord+block {
		n, err = x.text.Read(p[:min(len(p), block)])
	}

	x.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		x.broken = err
	}

	return n, err
}

// readAnswer reads the answer, which begins with the head. closed reports whether its last
// bracket shows that it is complete. Errors are those of the decoder.
func (x *Reader) readAnswer(head jsontext.Value) (closed bool, err error) {
	// One that begins with a record is a sequence of them.
	if head.Kind() == '{' {
		own := said(head, true)
		if own.kind != Unknown && !own.plural || x.hasRecordMember(head) {
			return false, x.readRecords(position{lines: true})
		}
	}

	otherwise := ErrFollowed
	switch x.dec.PeekKind() {
	case '[':
		_, _ = x.dec.ReadToken() // an error comes again
		closed, err = true, x.readRecords(position{})
	case '{':
		closed, err = true, x.readEnvelope()
	default:
		otherwise = ErrShape
	}
	if err != nil {
		return false, err
	}

	if _, err := x.dec.ReadToken(); !x.isEnd(err) {
		return false, cmp.Or(x.broken, otherwise)
	}

	return closed, nil
}

// isEnd reports whether an error of the decoder is the end of the answer.
func (x *Reader) isEnd(err error) bool { return errors.Is(err, io.EOF) && x.broken == nil }

// readRecords reads the records in an array, up to its last bracket, or those that follow each
// other up to the end.
func (x *Reader) readRecords(in position) error {
	for in.lines || x.dec.PeekKind() != ']' {
		v, err := x.dec.ReadValue()
		if in.lines && x.isEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := x.record(v, in); err != nil {
			return err
		}
	}

	_, err := x.dec.ReadToken()

	return err
}

// failure returns this package's error for one of the decoder, and any other as it is.
func (x *Reader) failure(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, errStopped):
		return nil
	case x.broken != nil && errors.Is(err, x.broken):
		return x.broken
	case !ok:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.Is(err, jsontext.ErrDuplicateName):
		err = ErrRepeatedName
	default:
		err = ErrSyntax
	}

	return fmt.Errorf("%w, at byte %d", err, syntax.ByteOffset+x.begin)
}
