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
// alone, so that scanners work beside each other on parts of an answer.
type scanner struct {
	attribution

	shape   Shape
	replace bool // invalid UTF-8 is replaced
	ignored []string

	lenient bool // see scan
	dec     *jsontext.Decoder
	text    bytes.Buffer
}

// part is a text that a scanner reads.
type part struct {
	text []byte
	in   place
	// fresh: the text begins with the bracket that opens the array, and otherwise behind
	// one of its elements. It has no meaning for lines.
	fresh bool
	// final: nothing follows the text.
	final bool
}

// found is a record in a text.
type found struct {
	value  jsontext.Value
	start  int // offset of the record in the text, and
	end    int // of what follows it
	kind   Kind
	own    bool // it says its kind itself
	mended bool // invalid UTF-8 was replaced in it
	as     verdict
}

// verdict is what else there is to say about a record.
type verdict uint8

const (
	ordinary  verdict = iota
	bare              // a text or null
	scalar            // a number, a boolean or an array
	wrapper           // holds records itself
	ambiguous         // may hold records itself, or be one
)

// scanned is what was found in a text, up to where it was understood.
type scanned struct {
	records []found
	// used is the offset behind the last record, or behind the bracket that closes the
	// array.
	used   int
	closed bool
	// err is what is wrong behind the last record, at the offset at; nil where the text
	// merely ends.
	err error
	at  int
}

func (s *scanned) fail(err error, at int) { s.err, s.at = err, at }

// scan reads the records of a part. It uses into for them. The text is changed while it
// is read, and is as it was when scan returns.
//
// The parser is strict at first. Where it finds an error, the part is read again by the
// grammar alone, which allows an escaped surrogate without its partner, and bytes that
// are no UTF-8 are looked for afterwards. That is slower, and needed seldom.
func (s *scanner) scan(p part, into []found) scanned {
	res := s.scanOnce(p, into)
	if errors.Is(res.err, ErrSyntax) && !s.lenient {
		s.lenient = true
		res = s.scanOnce(p, into)
	}
	return res
}

func (s *scanner) scanOnce(p part, into []found) (res scanned) {
	res.records = into[:0]
	if p.in.lines {
		s.readAll(p, 0, &res)
		return res
	}

	begin := skipSpace(p.text, 0)
	switch {
	case begin == len(p.text):
	case p.fresh && p.text[begin] == '[':
		s.readAll(p, begin, &res)
	case !p.fresh && p.text[begin] == ']':
		res.used, res.closed = begin+1, true
	case !p.fresh && p.text[begin] == ',':
		if next := skipSpace(p.text, begin+1); next < len(p.text) && p.text[next] == ']' {
			res.fail(ErrSyntax, begin) // where the parser would report it
			return res
		}
		p.text[begin] = '[' // so that what follows is an array to the parser
		s.readAll(p, begin, &res)
		p.text[begin] = ','
	default:
		res.fail(ErrSyntax, begin)
	}
	return res
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

	for res.err == nil {
		if !p.in.lines && s.dec.PeekKind() == ']' {
			_, _ = s.dec.ReadToken()
			res.used, res.closed = begin+int(s.dec.InputOffset()), true
			return
		}

		v, err := s.dec.ReadValue()
		if err != nil {
			res.failSyntax(err, begin)
			return
		}
		end := begin + int(s.dec.InputOffset())
		if end == len(p.text) && !p.final && isOpenEnded(v) {
			return
		}
		if end-res.used > LimitRecord {
			res.fail(ErrTooLarge, end)
			return
		}
		s.take(v, end, p.in, res)
	}
}

// decode begins to parse a text.
func (s *scanner) decode(text []byte) {
	s.text = *bytes.NewBuffer(text)
	grammar := jsontext.AllowInvalidUTF8(s.lenient)
	if s.dec == nil {
		s.dec = jsontext.NewDecoder(&s.text, grammar)
	} else {
		s.dec.Reset(&s.text, grammar)
	}
}

// isOpenEnded reports whether more of a value may follow its text.
func isOpenEnded(v jsontext.Value) bool {
	k := v.Kind()
	return k != '{' && k != '[' && k != '"'
}

// failSyntax notes an error of the parser. The end of the text is none.
func (s *scanned) failSyntax(err error, begin int) {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
	case !errors.As(err, &syntax):
		s.fail(err, begin)
	case errors.Is(err, jsontext.ErrDuplicateName):
		s.fail(ErrRepeatedName, begin+int(syntax.ByteOffset))
	default:
		s.fail(ErrSyntax, begin+int(syntax.ByteOffset))
	}
}

// take judges a value that ends at the offset end, and adds it to what was found.
func (s *scanner) take(v jsontext.Value, end int, in place, res *scanned) {
	if in.strange && v.Kind() != '{' {
		res.used = end // about the answer, such as a list of the kinds in it
		return
	}

	r := found{value: v, start: end - len(v), end: end}
	if s.lenient && !utf8.Valid(v) {
		if !s.replace {
			res.fail(ErrUTF8, r.start+invalidAt(v))
			return
		}
		r.value, r.mended = bytes.ToValidUTF8(v, []byte("\uFFFD")), true
	}
	if err := s.judge(&r, in); err != nil {
		res.fail(err, r.start)
		return
	}
	res.records = append(res.records, r)
	res.used = end
}

// judge finds out what a record is.
func (s *scanner) judge(r *found, in place) error {
	switch r.value.Kind() {
	case '{':
	case '"', 'n':
		r.kind, r.as = orKind(in.kind, s.asked), bare
		return nil
	default:
		r.kind, r.as = orKind(in.kind, s.asked), scalar
		return nil
	}

	var own Kind
	r.kind, own = s.kindOf(r.value, in)
	if r.own = own != Unknown; r.own {
		return nil
	}
	if isPlain(r.value) {
		return nil
	}
	if sign, only := jsonvalue.SpeaksOnly(r.value, s.ignored); only {
		return signError(sign)
	}
	if in.kind != Unknown || s.shape == ShapeRecords || hasOwn(r.value) {
		return nil
	}
	return s.judgeWrapper(r, in)
}

// isPlain reports whether the first member of an object shows that it is a record. That
// is so for nearly all, and spares them a closer look.
func isPlain(object jsontext.Value) bool {
	for name, value := range jsonvalue.EachMember(object) {
		k := value.Kind()
		return k != 'n' && k != '[' && jsonvalue.RoleOf(name).IsData() && !isPlace(name)
	}
	return false
}

// judgeWrapper judges an object among others that may hold records itself.
func (s *scanner) judgeWrapper(r *found, in place) error {
	switch f, named := formOf(r.value); {
	case f == anEnvelope && in.lines:
		r.as = wrapper
	case f == anEnvelope && named, f == aDescribed && named && in.lines:
		r.as = ambiguous
		return signError(jsonvalue.Signs(r.value, s.ignored))
	}
	return nil
}

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

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}
