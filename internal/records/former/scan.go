package records

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// scanner reads records from a text in memory. What it finds depends on that text
// alone, so that several scanners can read parts of an answer concurrently.
type scanner struct {
	attribution

	shape   Shape
	replace bool // replace invalid UTF-8
	ignored []string

	lenient bool // see scan
	dec     *jsontext.Decoder
	text    bytes.Buffer
}

// part is a text that a scanner reads.
type part struct {
	text []byte
	in   container
	// fresh: the text begins with the opening bracket of the array, and otherwise behind
	// one of its elements. It has no meaning for lines.
	fresh bool
	// final: nothing follows the text.
	final bool
}

// mayContinue reports whether the last value in the text could go on behind it.
func (p *part) mayContinue(v jsontext.Value) bool { return !p.final && isOpenEnded(v) }

// record is a record in a text.
type record struct {
	value   jsontext.Value
	start   int // offset of the record in the text
	end     int // offset of what follows it
	kind    Kind
	own     bool // it says its kind itself
	mended  bool // invalid UTF-8 in it was replaced
	verdict verdict
}

// isScalar reports whether the record is not an object.
func (r *record) isScalar() bool { return r.verdict == bare || r.verdict == scalar }

// scanned is what was found in a text, up to where it was understood.
type scanned struct {
	records []record
	// used is the offset behind the last record, or behind the bracket that closes the
	// array.
	used   int
	closed bool
	// err is the error behind the last record, at the offset at; nil if the text merely
	// ends.
	err error
	at  int
}

func (s *scanned) fail(err error, at int) { s.err, s.at = err, at }

// scan reads the records of a part, into the memory of a slice that is no longer used.
// The text is modified in between, and is as it was when scan returns.
//
// The parser is strict at first. After an error, the part is read again by the grammar
// alone, which allows an escaped surrogate without its partner, and bytes that are not
// UTF-8 are found afterwards. That is slower, and rarely needed.
func (s *scanner) scan(p part, into []record) scanned {
	res := s.scanOnce(p, into)
	if s.relax(res.err) {
		res = s.scanOnce(p, into)
	}
	return res
}

// relax makes the scanner lenient after a syntax error. It reports whether the scanner
// was strict, so that reading again may succeed.
func (s *scanner) relax(err error) bool {
	if s.lenient || !errors.Is(err, ErrSyntax) {
		return false
	}
	s.lenient = true
	return true
}

func (s *scanner) scanOnce(p part, into []record) scanned {
	res := scanned{records: into[:0]}
	if p.in.lines {
		s.readAll(p, 0, &res)
		return res
	}

	begin := jsonvalue.SkipSpace(p.text, 0)
	switch {
	case begin == len(p.text):
	case p.fresh:
		s.scanArray(p, begin, &res)
	default:
		s.continueArray(p, begin, &res)
	}

	return res
}

// scanArray reads the elements of an array that opens at the offset begin.
func (s *scanner) scanArray(p part, begin int, res *scanned) {
	if p.text[begin] != '[' {
		res.fail(ErrSyntax, begin)
		return
	}
	s.readAll(p, begin, res)
}

// continueArray reads what follows an element of an array, from the offset begin on.
func (s *scanner) continueArray(p part, begin int, res *scanned) {
	switch p.text[begin] {
	case ']':
		res.used, res.closed = begin+1, true
	case ',':
		s.readBehindComma(p, begin, res)
	default:
		res.fail(ErrSyntax, begin)
	}
}

func (s *scanner) readBehindComma(p part, comma int, res *scanned) {
	next := jsonvalue.SkipSpace(p.text, comma+1)
	if next < len(p.text) && (p.text[next] == ']' || p.text[next] == '}') {
		res.fail(ErrSyntax, comma) // where the parser would report it
		return
	}

	// The parser takes what follows for an array.
	p.text[comma] = '['
	s.readAll(p, comma, res)
	p.text[comma] = ','
}

// readAll reads records from the offset begin, where an array opens or lines begin.
func (s *scanner) readAll(p part, begin int, res *scanned) {
	s.decode(p.text[begin:])
	s.silent = !s.isTold(p.in) && !namesDiscriminator(p.text)

	if !p.in.lines {
		if _, err := s.dec.ReadToken(); err != nil {
			res.fail(ErrSyntax, begin)
			return
		}
	}

	for s.readRecord(p, begin, res) {
	}
}

// readRecord reads a record from the decoder, or the bracket that closes the array. It
// reports whether there may be another record.
func (s *scanner) readRecord(p part, begin int, res *scanned) (more bool) {
	if !p.in.lines && s.dec.PeekKind() == ']' {
		_, _ = s.dec.ReadToken()
		res.used, res.closed = begin+int(s.dec.InputOffset()), true
		return false
	}

	v, err := s.dec.ReadValue()
	if err != nil {
		at, failure := parseError(err)
		res.fail(failure, begin+at)
		return false
	}

	end := begin + int(s.dec.InputOffset())
	if end == len(p.text) && p.mayContinue(v) {
		return false
	}

	if end-res.used > LimitRecord {
		res.fail(ErrTooLarge, end)
		return false
	}

	s.take(v, end, p.in, res)

	return res.err == nil
}

// decode starts to parse a text.
func (s *scanner) decode(text []byte) {
	s.text = *bytes.NewBuffer(text)
	grammar := jsontext.AllowInvalidUTF8(s.lenient)
	if s.dec == nil {
		s.dec = jsontext.NewDecoder(&s.text, grammar)
	} else {
		s.dec.Reset(&s.text, grammar)
	}
}

// isOpenEnded reports whether the text of a value could continue, as that of a number.
func isOpenEnded(v jsontext.Value) bool {
	k := v.Kind()
	return k != '{' && k != '[' && k != '"'
}

// parseError returns this package's error for one of the parser, and its offset. The end
// of the text is not an error.
func parseError(err error) (at int, _ error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, nil
	}

	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return 0, err
	}

	if errors.Is(err, jsontext.ErrDuplicateName) {
		return int(syntax.ByteOffset), ErrRepeatedName
	}

	return int(syntax.ByteOffset), ErrSyntax
}

// take judges a value that ends at the offset end, and adds it to the records.
func (s *scanner) take(v jsontext.Value, end int, in container, res *scanned) {
	if in.unrecognized && v.Kind() != '{' {
		res.used = end // about the answer, such as a list of the kinds in it
		return
	}

	r := record{value: v, start: end - len(v), end: end}
	if !s.mend(&r) {
		res.fail(ErrUTF8, r.start+invalidAt(v))
		return
	}

	if err := s.judge(&r, in); err != nil {
		res.fail(err, r.start)
		return
	}

	res.records = append(res.records, r)
	res.used = end
}

// mend replaces invalid UTF-8 in a record. It reports false if that is not allowed.
func (s *scanner) mend(r *record) bool {
	if !s.lenient || utf8.Valid(r.value) {
		return true
	}
	if !s.replace {
		return false
	}

	r.value, r.mended = bytes.ToValidUTF8(r.value, []byte("\uFFFD")), true

	return true
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
