// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
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
	text := bufio.NewReaderSize(r, lookahead)
	head, _ := text.Peek(lookahead) // an error comes again
	x := &reader{options: o, emit: emit, source: &source{Reader: text}}
	if bytes.HasPrefix(head, byteOrderMark) {
		_, _ = text.Discard(len(byteOrderMark))
		x.begin = int64(len(byteOrderMark))
	}
	x.dec = jsontext.NewDecoder(x.source, jsontext.AllowInvalidUTF8(true))
	x.source.dec = x.dec

	closed, err := x.readAnswer(head[x.begin:])

	return Result{Counts: x.counts, Closed: closed, Mended: x.mended}, x.failure(err)
}

var byteOrderMark = []byte("\uFEFF")

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
	begin  int64 // length of the byte order mark

	counts Counts
	mended int64
	first  [len(kindNames)]map[string]bool // the names of members of the first record of a kind
	lists  Counts                          // of records in an object, by the kinds that their names mean
	// strange are the members around the records that are not recognised, as Options.Ignored
	// takes them.
	strange []string
}

// readAnswer reads the answer, which begins with the head. closed reports whether its last
// bracket shows that it is complete. Errors are those of the decoder.
func (x *reader) readAnswer(head jsontext.Value) (closed bool, err error) {
	// One that begins with a record is a sequence of them.
	if head.Kind() == '{' {
		own := said(head, true)
		if own.kind != Unknown && !own.plural || x.hasRecordMember(head) {
			return false, x.readRecords(place{lines: true})
		}
	}

	otherwise := ErrFollowed
	switch x.dec.PeekKind() {
	case '[':
		_, _ = x.dec.ReadToken() // an error comes again
		closed, err = true, x.readRecords(place{})
	case '{':
		closed, err = true, x.readEnvelope()
	default:
		otherwise = ErrShape
	}
	if err != nil {
		return false, err
	}

	if _, err := x.dec.ReadToken(); !x.isEnd(err) {
		return false, cmp.Or(x.source.err, otherwise)
	}

	return closed, nil
}

// isEnd reports whether an error of the decoder is the end of the answer.
func (x *reader) isEnd(err error) bool { return errors.Is(err, io.EOF) && x.source.err == nil }

// readRecords reads the records in an array, up to its last bracket, or those that follow each
// other up to the end.
func (x *reader) readRecords(in place) error {
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
func (x *reader) failure(err error) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case x.source.err != nil && errors.Is(err, x.source.err):
		return x.source.err
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
