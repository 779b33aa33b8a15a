package records

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Result is what there was in an answer.
type Result struct {
	Counts Counts
	// Closed: the answer is one JSON array or one object that holds the records, so
	// that its last bracket shows that it is complete. The end of any other answer has
	// to be proven by whatever delivered it.
	Closed bool
}

// Options is what is known of an answer before it is read.
type Options struct {
	// Asked is the one kind that was asked for, which a record then is of that does not
	// say what it is; Unknown where all were asked for.
	Asked Kind
	// Lines: the answer is declared to be NDJSON, so that even a single object is a
	// record, unless it has nothing but records in it.
	Lines bool
}

// Split reads an answer to its end and passes on every record, as it is in the
// answer and in its order. The record belongs to emit until it returns; an error of
// emit ends the reading and is returned as it is.
//
// A record that says another kind than the one that was asked for is ErrOtherKind.
func Split(r io.Reader, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	limited := &budget{r: r, left: LimitRecord}
	in := bufio.NewReaderSize(limited, window)
	s := &splitter{emit: emit, budget: limited, attribution: attribution{assumed: o.Asked}}
	shape, err := sniff(in, o.Lines)
	if err != nil {
		return Result{}, s.judge(err)
	}
	s.dec = jsontext.NewDecoder(in)
	switch shape {
	case empty:
		return Result{}, nil
	case array:
		err = s.elements(o.Asked)
	case holder:
		err = s.holder(o.Asked)
	case sequence:
		err = s.sequence()
	}
	closed := shape != sequence
	if err == nil && closed {
		closed, err = s.rest()
	}
	return Result{Counts: s.counts, Closed: closed}, s.judge(err)
}

// shape is the form of an answer as a whole.
type shape int

const (
	empty    shape = iota
	array          // one JSON array of records
	holder         // an object that holds arrays of records
	sequence       // record after record
)

// sniff looks at the beginning of an answer without taking more than a byte order
// mark from it.
func sniff(in *bufio.Reader, lines bool) (shape, error) {
	if mark, _ := in.Peek(3); string(mark) == "\uFEFF" {
		_, _ = in.Discard(len(mark))
	}
	ahead, err := in.Peek(window)
	whole := errors.Is(err, io.EOF)
	if err != nil && !whole {
		return empty, err
	}
	ahead = bytes.TrimLeft(ahead, " \t\r\n")
	switch {
	case len(ahead) == 0 && whole:
		return empty, nil
	case len(ahead) == 0:
		return empty, ErrShape
	case ahead[0] == '[':
		return array, nil
	case ahead[0] == '{':
		return shapeOf(ahead, lines), nil
	}
	return empty, ErrShape
}

// shapeOf judges by the first object. One that does not end within what can be seen
// is larger than a record has any reason to be, or cut off, which reading it will
// tell.
func shapeOf(ahead []byte, lines bool) shape {
	first, err := jsontext.NewDecoder(bytes.NewBuffer(ahead)).ReadValue()
	if err != nil || new(attribution).holdsRecords(first, lines || len(bytes.TrimSpace(ahead[len(first):])) > 0) {
		return holder
	}
	return sequence
}

// splitter is one answer on its way.
type splitter struct {
	attribution

	dec    *jsontext.Decoder
	budget *budget
	emit   func(Kind, jsontext.Value) error
	counts Counts
}

// pass counts a record and passes it on.
func (s *splitter) pass(k Kind, record jsontext.Value) error {
	if s.assumed != Unknown && k != s.assumed {
		return ErrOtherKind
	}
	s.budget.left = LimitRecord
	s.counts[k]++
	if err := s.emit(k, record); err != nil {
		return &emitError{err}
	}
	return nil
}

// elements passes on the elements of the array that comes next. Where the array does
// not say their kind, they do.
func (s *splitter) elements(of Kind) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() != ']' {
		record, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		if err := s.pass(s.kindOf(record, of), record); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

// sequence passes on record after record. A line that holds nothing but arrays of
// records is taken apart.
func (s *splitter) sequence() error {
	for {
		record, err := s.dec.ReadValue()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		k := s.kindOf(record, Unknown)
		if k == Unknown && s.holdsRecords(record, true) {
			err = s.inside(record)
		} else {
			err = s.pass(orKind(k, s.assumed), record)
		}
		if err != nil {
			return err
		}
	}
}

// inside passes on the records that a value in memory holds.
func (s *splitter) inside(v jsontext.Value) error {
	inner := splitter{attribution: attribution{assumed: s.assumed}, budget: s.budget, emit: s.emit, counts: s.counts}
	inner.dec = jsontext.NewDecoder(bytes.NewReader(v))
	err := inner.holder(s.assumed)
	s.counts = inner.counts
	return err
}

// rest reads what follows the first array or object: usually nothing, and further
// objects of the same form where a service sends its pages one after the other.
func (s *splitter) rest() (closed bool, err error) {
	for closed = true; ; closed = false {
		switch s.dec.PeekKind() {
		case '{':
			err = s.holder(s.assumed)
		case '[':
			err = s.elements(s.assumed)
		default:
			_, err = s.dec.ReadToken()
			switch {
			case errors.Is(err, io.EOF):
				return closed, nil
			case err == nil:
				err = ErrShape
			}
		}
		if err != nil {
			return false, err
		}
	}
}

// judge names the reason why reading ended. Errors of emit and of the reader below
// are passed on as they are.
func (s *splitter) judge(err error) error {
	var (
		own     *emitError
		syntax  *jsontext.SyntacticError
		located = func(err error) error { return fmt.Errorf("%w, at byte %d", err, s.dec.InputOffset()) }
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.error
	case errors.Is(err, ErrTooLarge):
		return ErrTooLarge
	case errors.Is(err, ErrShape), errors.Is(err, ErrOtherKind), errors.Is(err, ErrFailed), errors.Is(err, ErrPage):
		return err
	case errors.As(err, &syntax) && errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.As(err, &syntax):
		return located(syntaxError(syntax))
	case errors.Is(err, io.EOF):
		return ErrTruncated
	}
	return err
}

// ErrSyntax is anything that RFC 8259 forbids.
var ErrSyntax = errors.New("the JSON is not valid")

// ErrRepeatedName is a name that an object has twice.
var ErrRepeatedName = errors.New("the JSON has a name twice in one object")

func syntaxError(err *jsontext.SyntacticError) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return ErrRepeatedName
	}
	return ErrSyntax
}

// emitError tells an error of emit from one of reading.
type emitError struct{ error }

// budget bounds how much is read from one record to the next, and with it what the
// decoder holds in memory.
type budget struct {
	r    io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
