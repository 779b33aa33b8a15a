package records

import (
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
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

// Shape says which objects of an answer are records.
type Shape int

const (
	// ShapeAuto distinguishes records from what holds them, and refuses what could be
	// either.
	ShapeAuto Shape = iota
	// ShapeRecords takes each element of an array, and each value of several, for a
	// record.
	ShapeRecords
	// ShapeEnvelope takes each object that is not in an array for one that holds records.
	ShapeEnvelope
)

// Options says what is known about an answer before it is read.
type Options struct {
	// Asked is the one kind that was asked for, assigned to records without a
	// discriminator; Unknown if all were asked for.
	Asked Kind
	// Lines: the answer is declared to be NDJSON, so that even a single object is a
	// record, unless it holds nothing but records.
	Lines bool
	Shape Shape
	// ReplaceInvalid replaces bytes that are not UTF-8 by U+FFFD, and counts the records.
	ReplaceInvalid bool
	// Ignored are names of members that give no sign of an error or a further page.
	Ignored []string
	// Workers is the number of goroutines that parse; 0 means as many as there are
	// processors, up to 8.
	Workers int
}

// wants reports whether a record of a kind was asked for.
func (o Options) wants(k Kind) bool { return o.Asked == Unknown || o.Asked == k }

// maxWorkers bounds the memory that parsing concurrently takes.
const maxWorkers = 8

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers)
}

// Split reads an answer to its end. It passes every record to emit, as it is in the
// answer, in order, and from this goroutine. The record is valid until emit returns. An
// error of emit ends the reading and is returned as it is.
//
// A record that states another kind than the one that was asked for is ErrOtherKind.
func Split(r io.Reader, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	return split(newSource(r, blockSize), o, emit)
}

func split(src *source, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	c := &collector{options: o, emit: emit}
	s := newSplitter(src, o, c)
	defer s.stop()

	closed, err := s.readAnswer()
	if err == nil {
		err = c.finish()
	}
	if own, ok := errors.AsType[*emitError](err); ok {
		err = own.error
	}

	return Result{Counts: c.counts, Closed: closed, Mended: c.mended}, err
}

// splitter reads an answer, or one line of it that holds records itself.
type splitter struct {
	src       *source
	options   Options
	collector *collector
	scanner   *scanner
	records   []record // memory for the records of a window
	pool      *pool    // nil if this goroutine parses alone
}

func newSplitter(src *source, o Options, c *collector) *splitter {
	s := &splitter{src: src, options: o, collector: c, scanner: newScanner(o)}
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

// readAnswer reads the answer. closed reports whether its last bracket shows that it is
// complete.
func (s *splitter) readAnswer() (closed bool, err error) {
	s.skipByteOrderMark()

	first, err := s.src.peek()
	if err != nil {
		return false, err
	}

	if first == '[' && s.options.Shape == ShapeEnvelope {
		return false, ErrShape
	}

	if first == '{' && s.isSequence() {
		return false, s.readList(container{lines: true})
	}

	return s.readDocuments()
}

func (s *splitter) skipByteOrderMark() {
	s.src.load(len(byteOrderMark))
	if bytes.HasPrefix(s.src.window, []byte(byteOrderMark)) {
		s.src.advance(len(byteOrderMark))
	}
}

const byteOrderMark = "\uFEFF"

// readDocuments reads arrays and objects that hold records: usually one, and several if a
// service sends its pages one after the other. closed reports whether there was just one.
func (s *splitter) readDocuments() (closed bool, err error) {
	for n := 0; ; n++ {
		next, err := s.src.peek()
		if err != nil {
			return false, err
		}
		if next == 0 {
			return n == 1, nil
		}

		if err := s.readDocument(next); err != nil {
			return false, err
		}
	}
}

func (s *splitter) readDocument(first byte) error {
	switch first {
	case '[':
		return s.readList(container{})
	case '{':
		return s.readEnvelope(container{}, limitDepth)
	}
	return ErrShape
}

// isSequence reports whether the answer is a sequence of records without an array around
// them, judging by its first object. It looks at most at lookahead bytes; what follows is
// checked when it is read.
func (s *splitter) isSequence() bool {
	if s.options.Shape != ShapeAuto {
		return s.options.Shape == ShapeRecords
	}

	if s.options.Lines {
		return true
	}

	s.src.load(lookahead)

	m, length := s.firstMembers()
	switch m.form() {
	case aRecord, anAmbiguity:
		return true
	}

	// An envelope that is followed by others is a line. One whose end is not in sight is
	// larger than a record would be.
	return length > 0 && jsonvalue.SkipSpace(s.src.window, length) < len(s.src.window)
}

// firstMembers returns what is known about the members of the first object, and its
// length; 0 if its end is not in the window.
func (s *splitter) firstMembers() (m members, length int) {
	window := s.src.window
	dec := jsontext.NewDecoder(bytes.NewBuffer(window), jsontext.AllowInvalidUTF8(true))
	m, complete := readMembers(dec)
	if !complete {
		return m, 0
	}

	length = int(dec.InputOffset())
	if s.scanner.ownKind(window[:length]) != Unknown {
		return members{}, length
	}

	return m, length
}

// readMembers reads the members of an object up to its end, or up to a member that shows
// that the object is a record.
func readMembers(dec *jsontext.Decoder) (m members, complete bool) {
	_, _ = dec.ReadToken() // the bracket
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return m, false
		}

		name, kind := []byte(token.String()), dec.PeekKind()
		value, err := dec.ReadValue()
		if err != nil {
			m.add(name, kind, nil)
			return m, false
		}

		m.add(name, kind, value)
		if k, _ := discriminated(name, value); k != Unknown {
			return members{}, false
		}
	}

	_, err := dec.ReadToken()

	return m, err == nil
}
