package records

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/go-json-experiment/json/jsontext"
)

// Result is what there was in an answer.
type Result struct {
	Counts Counts
	// Closed: the answer is one JSON array or one object that holds the records, so
	// that its last bracket shows that it is complete. The end of any other answer has
	// to be proven by whatever delivered it.
	Closed bool
	// Mended is the number of records in which invalid UTF-8 was replaced.
	Mended int64
}

// Shape says which objects of an answer are records.
type Shape int

// The shapes. ShapeAuto tells them apart, and refuses what could be either.
// ShapeRecords takes each element of an array, and each value of several, for a record.
// ShapeEnvelope takes each object that is not in an array for one that holds records.
const (
	ShapeAuto Shape = iota
	ShapeRecords
	ShapeEnvelope
)

// Options is what is known of an answer before it is read.
type Options struct {
	// Asked is the one kind that was asked for, assigned to records without a
	// discriminator; Unknown where all were asked for.
	Asked Kind
	// Lines: the answer is declared to be NDJSON, so that even a single object is a
	// record, unless it has nothing but records in it.
	Lines bool
	Shape Shape
	// ReplaceInvalid replaces bytes that are no UTF-8 by U+FFFD, and counts the records.
	ReplaceInvalid bool
	// Ignored are names of members that give no sign of an error or a further page.
	Ignored []string
	// Workers is the number of goroutines that parse; 0 is as many as there are
	// processors, up to 8.
	Workers int
}

// maxWorkers bounds the memory that parsing beside each other takes.
const maxWorkers = 8

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers)
}

// Split reads an answer to its end and passes on every record, as it is in the answer
// and in its order, from this goroutine. The record belongs to emit until it returns;
// an error of emit ends the reading and is returned as it is.
//
// A record that says another kind than the one that was asked for is ErrOtherKind.
func Split(r io.Reader, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	return split(newSource(r, blockSize), o, emit)
}

func split(in *source, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	t := &tally{options: o, emit: emit}
	s := newSplitter(in, o, t)
	defer s.stop()

	closed, err := s.document()
	if err == nil {
		err = t.conclude()
	}
	if own, ok := errors.AsType[*emitError](err); ok {
		err = own.error
	}
	return Result{Counts: t.counts, Closed: closed, Mended: t.mended}, err
}

// splitter is an answer on its way, or one line of it that holds records itself.
type splitter struct {
	in      *source
	options Options
	tally   *tally
	scanner *scanner
	found   []found
	pool    *pool // nil where this goroutine parses alone
}

func newSplitter(in *source, o Options, t *tally) *splitter {
	s := &splitter{in: in, options: o, tally: t, scanner: newScanner(o)}
	if o.workers() > 1 {
		s.pool = &pool{options: o}
	}
	return s
}

func newScanner(o Options) *scanner {
	return &scanner{attribution: attribution{asked: o.Asked}, shape: o.Shape, replace: o.ReplaceInvalid, ignored: o.Ignored}
}

// stop ends the goroutines that parse.
func (s *splitter) stop() {
	if s.pool != nil {
		s.pool.stop()
	}
}

// document reads the answer. closed reports whether its last bracket proves its end.
func (s *splitter) document() (closed bool, err error) {
	s.in.fill(3)
	if len(s.in.window) >= 3 && string(s.in.window[:3]) == "\uFEFF" {
		s.in.advance(3)
	}

	first, err := s.in.peek()
	if err != nil {
		return false, err
	}
	switch first {
	case 0:
		return false, nil
	case '[':
		if s.options.Shape == ShapeEnvelope {
			return false, ErrShape
		}
		err = s.list(place{})
	case '{':
		if s.isSequence() {
			return false, s.list(place{lines: true})
		}
		err = s.holder(place{}, limitDepth)
	default:
		return false, ErrShape
	}
	if err != nil {
		return false, err
	}
	return s.rest()
}

// rest reads what follows the first array or object: usually nothing, and further
// objects of the same form where a service sends its pages one after the other.
func (s *splitter) rest() (closed bool, err error) {
	for closed = true; ; closed = false {
		next, err := s.in.peek()
		if err != nil {
			return false, err
		}

		switch next {
		case 0:
			return closed, nil
		case '{':
			err = s.holder(place{}, limitDepth)
		case '[':
			err = s.list(place{})
		default:
			err = ErrShape
		}
		if err != nil {
			return false, err
		}
	}
}

// isSequence reports whether the answer is a record and others following it, judged by
// its first object. It looks at lookahead bytes at most; what follows is checked while
// it is read.
func (s *splitter) isSequence() bool {
	if s.options.Shape != ShapeAuto {
		return s.options.Shape == ShapeRecords
	}
	if s.options.Lines {
		return true
	}

	s.in.fill(lookahead)
	m, object := s.firstMembers()
	switch m.form() {
	case aRecord, anAmbiguity:
		return true
	case anEnvelope, aDescribed:
		// One that is followed by others is a line; where its end is not in sight it is
		// larger than a record has any reason to be.
		return object > 0 && skipSpace(s.in.window, object) < len(s.in.window)
	}
	return false
}

// firstMembers returns what is known of the members of the object in the window, and
// its length; 0 where its end is not in the window.
func (s *splitter) firstMembers() (m members, length int) {
	window := s.in.window
	dec := jsontext.NewDecoder(bytes.NewBuffer(window), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return m, 0
	}

	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return m, 0
		}
		text := []byte(name.String())
		kind := dec.PeekKind()
		v, err := dec.ReadValue()
		if err != nil {
			m.note(text, kind, nil)
			return m, 0
		}
		m.note(text, kind, v)
		if says, _ := discriminates(text); says && kind == '"' && kindSaid(v) != Unknown {
			return members{}, 0 // a record that says so
		}
	}

	if _, err := dec.ReadToken(); err != nil {
		return m, 0
	}
	length = int(dec.InputOffset())
	if s.scanner.ownKind(window[:length]) != Unknown {
		return members{}, length
	}
	return m, length
}
