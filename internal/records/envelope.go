package records

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// holder passes on the records in the arrays of the object that comes next. Arrays
// with the name of a kind hold that kind, arrays under the name of a wrapper whatever
// their elements say, arrays of objects under other names records that nobody can
// attribute. Other members are about the answer.
func (s *splitter) holder(in place, depth int) error {
	e := &envelopeReader{splitter: s, in: in, depth: depth}
	if err := e.read(); err != nil {
		return err
	}
	if !e.found {
		return fmt.Errorf("%w: an object holds no records and is none", ErrShape)
	}
	return nil
}

// envelopeReader reads one object that holds records.
type envelopeReader struct {
	*splitter

	in    place
	depth int // how many objects may still be inside this one

	found  bool // it has a place of records
	own    bool // it has a member that a record has
	stated []statement
	names  map[string]bool
}

// statement is a number of records that an answer states.
type statement struct {
	kind   Kind // Unknown: of all kinds
	count  int64
	member string
}

func (e *envelopeReader) read() error {
	if e.depth == 0 {
		return fmt.Errorf("%w: too many objects are inside each other", ErrShape)
	}
	before := e.tally.counts
	e.splitter.in.advance(1) // the bracket
	e.names = map[string]bool{}

	for n := 0; ; n++ {
		more, err := e.next(n == 0)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if n == LimitMembers {
			return fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}
		if err := e.readMember(); err != nil {
			return err
		}
	}

	if e.found && e.own && e.options.Shape == ShapeAuto {
		return ErrAmbiguous
	}
	return e.checkStatements(before)
}

// next moves on to the next member, and reports whether there is one.
func (e *envelopeReader) next(first bool) (bool, error) {
	in := e.splitter.in
	c, err := e.must()
	if err != nil {
		return false, err
	}
	if c == '}' {
		in.advance(1)
		return false, nil
	}

	if !first {
		if c != ',' {
			return false, located(ErrSyntax, in.offset)
		}
		in.advance(1)
		if c, err = e.must(); err != nil {
			return false, err
		}
	}
	if c != '"' {
		return false, located(ErrSyntax, in.offset)
	}
	return true, nil
}

// must is peek where the answer may not end.
func (s *splitter) must() (byte, error) {
	c, err := s.in.peek()
	if err == nil && c == 0 {
		err = ErrTruncated
	}
	return c, err
}

// readMember reads one member, from its name.
func (e *envelopeReader) readMember() error {
	in := e.splitter.in
	at := in.offset
	quoted, err := e.value()
	if err != nil {
		return err
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		text = quoted
	}
	name := string(text)
	if e.names[name] {
		return located(ErrRepeatedName, at)
	}
	e.names[name] = true

	c, err := e.must()
	if err != nil {
		return err
	}
	if c != ':' {
		return located(ErrSyntax, in.offset)
	}
	in.advance(1)
	if c, err = e.must(); err != nil {
		return err
	}
	return e.member(name, c)
}

// member reads the value of a member that begins with the byte first.
func (e *envelopeReader) member(name string, first byte) error {
	kind, isPlace := kindNamed(name), isPlace(name)
	if kind != Unknown && (first == '[' || first == '{') {
		e.tally.places[kind] = true
	}
	role := jsonvalue.RoleOf([]byte(name))

	switch {
	case isPlace && first == '[':
		e.found = true
		return e.list(place{kind: orKind(kind, e.in.kind)})
	case kind != Unknown && first == '{':
		e.found = true
		return e.holder(place{kind: kind}, e.depth-1)
	case isPlace && first == '{':
		return e.wrapped()
	case first == '[' && role.IsData():
		return e.list(place{strange: true})
	}
	return e.remark(name, role)
}

// wrapped reads an object under the name of a wrapper, which need not hold records.
func (e *envelopeReader) wrapped() error {
	inner := &envelopeReader{splitter: e.splitter, in: e.in, depth: e.depth - 1}
	if err := inner.read(); err != nil {
		return err
	}
	e.found = e.found || inner.found
	return nil
}

// remark reads what an answer says of itself. A part of a day, or none of it, must not
// pass for the day.
func (e *envelopeReader) remark(name string, role jsonvalue.Role) error {
	v, err := e.value()
	if err != nil {
		return err
	}
	ignored := e.options.Ignored
	if sign := jsonvalue.SignOf([]byte(name), v, ignored); sign.Sign != jsonvalue.NoSign {
		return signError(sign)
	}
	if n, ok := jsonvalue.TotalOf([]byte(name), v, ignored); ok {
		e.stated = append(e.stated, statement{count: n, member: "total"})
	}

	kind := kindNamed(name)
	switch k := v.Kind(); {
	case kind != Unknown && k == '0':
		n, _ := jsonvalue.TotalOf([]byte("total"), v, nil)
		e.stated = append(e.stated, statement{kind, n, kind.Plural()})
	case k == '"' && (kind != Unknown && jsonvalue.Told(v) || isPlace(name) && strings.Contains(string(v), "://")):
		return fmt.Errorf("%w: a text stands where they should be", ErrElsewhere)
	case role.IsData() && !isPlace(name) && k != 'n':
		e.own = true
	}
	return nil
}

// checkStatements refuses an object that states more records than it holds.
func (e *envelopeReader) checkStatements(before Counts) error {
	for _, stated := range e.stated {
		held := e.tally.counts.Of(stated.kind) - before.Of(stated.kind)
		if stated.kind == Unknown {
			held = e.tally.counts.Total() - before.Total()
		}
		if stated.count > held {
			return fmt.Errorf("%w (member %q states more records than there are)", ErrPage, stated.member)
		}
	}
	return nil
}

// value reads one value that is no record. It is valid until more is read.
func (s *splitter) value() (jsontext.Value, error) {
	for {
		ended, text := s.in.ended(), s.in.window
		s.scanner.decode(text)
		v, err := s.scanner.dec.ReadValue()
		end := int(s.scanner.dec.InputOffset())
		if err == nil && (ended || end < len(text) || !isOpenEnded(v)) {
			return s.takeValue(v, end)
		}

		var res scanned
		if err != nil {
			res.failSyntax(err, 0)
			if errors.Is(res.err, ErrSyntax) && !s.scanner.lenient {
				s.scanner.lenient = true
				continue
			}
			if res.err != nil {
				return nil, located(res.err, s.in.offset+int64(res.at))
			}
		}
		if ended {
			return nil, s.truncated()
		}
		if len(text) > LimitRecord {
			return nil, ErrTooLarge
		}
		s.in.fill(min(max(4*len(text), s.in.block), LimitRecord+s.in.block))
	}
}

func (s *splitter) truncated() error {
	if err := s.in.failure(); err != nil {
		return err
	}
	return ErrTruncated
}

func (s *splitter) takeValue(v jsontext.Value, end int) (jsontext.Value, error) {
	if !utf8.Valid(v) && !s.options.ReplaceInvalid {
		return nil, located(ErrUTF8, s.in.offset+int64(end-len(v)+invalidAt(v)))
	}
	s.in.advance(end)
	return v, nil
}
