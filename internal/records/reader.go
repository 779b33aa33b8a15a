// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

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

// Read reads an answer to its end. It passes every record to emit, as it is in the
// answer and in order. The record is valid until emit returns. An error of emit ends the
// reading and is returned as it is, and so is one of r, which has to return it again.
//
// What is not recognised is an *answer.Error. Records that were passed on before are then part
// of an answer that is none.
func Read(r io.Reader, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	x := &reader{options: o, emit: emit}

	head := make([]byte, lookahead)
	n, _ := io.ReadFull(r, head) // an error comes again
	text := bytes.TrimPrefix(head[:n], []byte(byteOrderMark))
	x.begin = n - len(text)

	x.source = &source{Reader: bufio.NewReaderSize(io.MultiReader(bytes.NewReader(text), r), block)}
	x.dec = jsontext.NewDecoder(x.source, jsontext.AllowInvalidUTF8(true))
	x.source.dec = x.dec

	closed, err := x.readAnswer(x.beginsWithRecord(text))

	return Result{Counts: x.counts, Closed: closed, Mended: x.mended}, err
}

const byteOrderMark = "\uFEFF"

// source is the text of an answer. It ends where one value, or what stands between two,
// is too large.
type source struct {
	io.Reader

	dec  *jsontext.Decoder // reads the source
	read int64
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	if s.read-s.dec.InputOffset() > LimitRecord+block {
		s.err = ErrTooLarge
		return 0, s.err
	}

	n, err := s.Reader.Read(p[:min(len(p), block)])
	s.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}

	return n, err
}

// reader reads one answer.
type reader struct {
	options Options
	emit    func(Kind, jsontext.Value) error

	source *source
	dec    *jsontext.Decoder
	begin  int // length of the byte order mark

	counts Counts
	mended int64
	first  [len(kindNames)][]string // the members of the first record of a kind
	// strange are the members around the records that are not recognised, as Options.Ignored
	// takes them.
	strange []string
	wanted  bool // there is a container of the kind that was asked for
}

// readAnswer reads the answer, of which isSequence says that it begins with a record. closed
// reports whether its last bracket shows that it is complete.
func (x *reader) readAnswer(isSequence bool) (closed bool, err error) {
	if isSequence {
		return false, x.readRecords(place{lines: true})
	}

	switch x.dec.PeekKind() {
	case '[':
		_, _ = x.dec.ReadToken() // an error comes again
		err = x.readRecords(place{})
	case '{':
		err = x.readEnvelope()
	default:
		return false, x.readEnd(ErrShape)
	}
	if err != nil {
		return false, err
	}

	return true, x.readEnd(ErrFollowed)
}

// readEnd expects the end of the answer. otherwise is the error for anything else.
func (x *reader) readEnd(otherwise error) error {
	_, err := x.dec.ReadToken()
	if errors.Is(err, io.EOF) && x.source.err == nil {
		return nil
	}

	if err = x.failure(err); err == nil || errors.Is(err, ErrSyntax) {
		return otherwise
	}

	return err
}

// beginsWithRecord reports whether the answer is a sequence of records, judging by what is
// at hand of its first object.
func (x *reader) beginsWithRecord(head []byte) bool {
	first := jsontext.Value(head[jsonvalue.SkipSpace(head, 0):])
	if len(first) == 0 || first[0] != '{' {
		return false
	}

	w := said(first, true)
	return w.kind != Unknown && !w.plural || x.hasRecordMember(first)
}

// readRecords reads the records in an array, up to its last bracket, or those that follow each
// other up to the end.
func (x *reader) readRecords(in place) error {
	for in.lines || x.dec.PeekKind() != ']' {
		v, err := x.dec.ReadValue()
		if in.lines && errors.Is(err, io.EOF) && x.source.err == nil {
			return nil
		}
		if err != nil {
			return x.failure(err)
		}
		if err := x.record(v, in); err != nil {
			return err
		}
	}

	_, err := x.dec.ReadToken()

	return x.failure(err)
}

// failure returns this package's error for one of the decoder, and any other as it is.
func (x *reader) failure(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == nil:
		return nil
	case x.source.err != nil:
		return x.source.err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case !ok:
		return err
	case errors.Is(err, jsontext.ErrDuplicateName):
		return located(ErrRepeatedName, syntax.ByteOffset+int64(x.begin))
	}

	return located(ErrSyntax, syntax.ByteOffset+int64(x.begin))
}
