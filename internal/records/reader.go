// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

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
// What is not recognised is a *RefusalError. Records that were passed on before are then part
// of an answer that is none.
func Read(r io.Reader, o Options, emit func(Kind, jsontext.Value) error) (Result, error) {
	x := &reader{options: o, emit: emit, ignored: map[string]bool{}}
	for _, entry := range o.Ignored {
		name, value, _ := bytes.Cut([]byte(entry), []byte("="))
		x.ignored[ignoredKey(name, value)] = true
	}

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
	ignored map[string]bool // by ignoredKey

	source *source
	dec    *jsontext.Decoder
	begin  int // length of the byte order mark

	counts Counts
	mended int64
	common [len(kindNames)][]string // the members that records of a kind have in common
	// strange are the members around the records that are not recognised, as Options.Ignored
	// takes them; empty for one whose name must not be shown.
	strange []string
	wanted  bool // there is a container of the kind that was asked for
}

// place is where records stand.
type place struct {
	lines bool   // they follow each other without an array around them
	name  string // of the member
	named bool   // the name means a kind
	kind  Kind   // that the name means, or that of the place around it
	shows bool   // what stands here is a record of the kind
}

// readAnswer reads the answer, of which isSequence says that it begins with a record. closed
// reports whether its last bracket shows that it is complete.
func (x *reader) readAnswer(isSequence bool) (closed bool, err error) {
	if isSequence {
		return false, x.readLines()
	}

	switch x.dec.PeekKind() {
	case '[':
		err = x.readArray()
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

	k, plural := said(first, true)
	return k != Unknown && !plural || x.hasRecordMember(first)
}

// readLines reads records that follow each other.
func (x *reader) readLines() error {
	for {
		v, err := x.dec.ReadValue()
		if errors.Is(err, io.EOF) && x.source.err == nil {
			return nil
		}
		if err != nil {
			return x.failure(err)
		}
		if err := x.record(v, place{lines: true}); err != nil {
			return err
		}
	}
}

// readArray reads the array that is the whole answer.
func (x *reader) readArray() error {
	if _, err := x.dec.ReadToken(); err != nil {
		return x.failure(err)
	}
	return x.readElements(place{})
}

// readElements reads the records in an array, up to its last bracket.
func (x *reader) readElements(in place) error {
	for x.dec.PeekKind() != ']' {
		v, err := x.dec.ReadValue()
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

// record passes on a record, once it is recognised as one.
func (x *reader) record(v jsontext.Value, in place) error {
	begin := x.dec.InputOffset() - int64(len(v)) + int64(x.begin)
	if len(v) > LimitRecord {
		return ErrTooLarge
	}

	mended := !utf8.Valid(v)
	if mended && !x.options.ReplaceInvalid {
		return located(ErrUTF8, begin+int64(invalidAt(v)))
	}
	if mended {
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
		x.mended++
	}

	kind, problem := x.recognise(v, in)
	if problem != nil {
		problem.Detail = x.position(in, begin) + problem.Detail
		if !in.shows && jsonvalue.IsFieldName(in.name) {
			problem.List = in.name
		}
		return problem
	}

	x.counts[kind]++

	return x.emit(kind, v)
}

// invalidAt returns the offset of the first byte that is not UTF-8; len(v) if all are.
func invalidAt(v []byte) int {
	for i := 0; i < len(v); {
		r, size := utf8.DecodeRune(v[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(v)
}

// position returns where the record after those that were passed on stands.
func (x *reader) position(in place, begin int64) string {
	text := "record " + strconv.FormatInt(x.counts.Total()+1, 10)
	if jsonvalue.IsFieldName(in.name) {
		text += ", in " + strconv.Quote(in.name)
	}
	return text + ", at byte " + strconv.FormatInt(begin, 10) + ", "
}

// recognise returns the kind of a record, or why it is not recognised as one.
func (x *reader) recognise(v jsontext.Value, in place) (Kind, *RefusalError) {
	if v.Kind() != '{' {
		return Unknown, &RefusalError{Reason: ErrNoRecord, Detail: "is " + jsonvalue.KindName(v.Kind())}
	}

	asked, expected := x.options.Asked, orKind(in.kind, x.options.Asked)
	if asked != Unknown && expected != asked {
		return Unknown, &RefusalError{Reason: ErrOtherKind, Detail: "is of kind " + expected.String() + " and not " + asked.String()}
	}

	has := x.hasRecordMember(v)
	own, plural := said(v, !in.shows && !has)
	if x.contradicts(v, own, expected) {
		return Unknown, &RefusalError{
			Reason: ErrOtherKind, Detail: "says that it is of kind " + own.String() + " and not " + expected.String(), Members: discriminators(v),
		}
	}

	// A word in the plural may be that of a line that holds records.
	isMarked := has || own != Unknown && (!plural || !in.lines)
	if !isMarked && !in.shows {
		names := fieldNames(v)
		return Unknown, &RefusalError{Reason: ErrNoRecord, Detail: nothingShows + described(names), Members: names}
	}

	kind := orKind(expected, own)
	x.noteMembers(v, kind)
	if isMarked {
		return kind, nil
	}

	return kind, x.unlike(v, kind)
}

// contradicts reports whether what a record says of its kind is another one than the
// expected one, also without the discriminators that are ignored.
func (x *reader) contradicts(record jsontext.Value, own, expected Kind) bool {
	if own == Unknown || expected == Unknown || own == expected {
		return false
	}
	if all, _ := stated(record, true, nil); all == Unknown {
		return true // the name of its only member says it
	}

	counts, _ := stated(record, true, x.ignores)

	return counts != Unknown && counts != expected
}

// said returns the kind that a record states itself: in a discriminator, or as the name of
// its only member. closely makes it look at every name, also in unusual spellings.
func said(record jsontext.Value, closely bool) (k Kind, plural bool) {
	states, clearly := glance(record)
	if states {
		k, plural = stated(record, clearly, nil)
	}
	if k == Unknown && closely {
		k, plural = stated(record, true, nil)
	}
	if k == Unknown {
		k = sole(record)
	}

	return k, plural
}

func (x *reader) hasRecordMember(record jsontext.Value) bool {
	return x.options.RecordMember != "" && hasMember(record, x.options.RecordMember)
}

// fieldNames returns the names of the members of an object that have the form of a
// field's name, at most twelve.
func fieldNames(object jsontext.Value) []string {
	var names []string
	for name := range jsonvalue.EachMember(object) {
		if len(names) < shownNames && jsonvalue.IsFieldName(string(name)) {
			names = append(names, string(name))
		}
	}

	return names
}
