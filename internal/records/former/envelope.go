package records

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readEnvelope passes on the records in the arrays of the object that comes next. Arrays
// with the name of a kind hold that kind, arrays with the name of a wrapper hold what
// their elements say, and arrays of objects with other names hold records of unknown
// kind. Other members are about the answer.
func (s *splitter) readEnvelope(in container, depth int) error {
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

	in    container
	depth int // how many levels of objects are allowed, including this one

	found  bool // it has a container of records
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

	before := e.collector.counts
	e.src.advance(1) // the bracket
	e.names = map[string]bool{}
	if err := e.readMembers(); err != nil {
		return err
	}

	if e.found && e.own && e.options.Shape == ShapeAuto {
		return ErrAmbiguous
	}

	return e.checkStatements(before)
}

func (e *envelopeReader) readMembers() error {
	for {
		more, err := e.next()
		if !more || err != nil {
			return err
		}

		if len(e.names) == LimitMembers {
			return fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}
		if err := e.readMember(); err != nil {
			return err
		}
	}
}

// next moves on to the next member, and reports whether there is one.
func (e *envelopeReader) next() (more bool, err error) {
	c, err := e.nextByte()
	if err != nil {
		return false, err
	}

	if c == '}' {
		e.src.advance(1)
		return false, nil
	}

	if len(e.names) > 0 {
		if err := e.consume(','); err != nil {
			return false, err
		}
	}

	return true, e.expect('"')
}

// readMember reads one member, from its name on.
func (e *envelopeReader) readMember() error {
	name, err := e.readName()
	if err != nil {
		return err
	}

	first, err := e.nextByte()
	if err != nil {
		return err
	}

	switch first {
	case '[':
		return e.readArray(name)
	case '{':
		return e.readObject(name)
	}

	return e.readRemark(name)
}

// readName reads the name of a member, which has to be unique, and the colon.
func (e *envelopeReader) readName() (string, error) {
	at := e.src.offset
	quoted, err := e.value()
	if err != nil {
		return "", err
	}

	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		text = quoted
	}

	name := string(text)
	if e.names[name] {
		return "", located(ErrRepeatedName, at)
	}
	e.names[name] = true

	return name, e.consume(':')
}

// readArray reads the array of a member.
func (e *envelopeReader) readArray(name string) error {
	if isContainerName(name) {
		kind := kindNamed(name)
		e.found = true
		e.collector.addArray(kind)
		return e.readList(container{kind: orKind(kind, e.in.kind)})
	}

	if jsonvalue.RoleOf([]byte(name)).IsData() {
		return e.readList(container{unrecognized: true})
	}

	return e.readRemark(name)
}

// readObject reads the object of a member.
func (e *envelopeReader) readObject(name string) error {
	if kind := kindNamed(name); kind != Unknown {
		e.found = true
		e.collector.addArray(kind)
		return e.readEnvelope(container{kind: kind}, e.depth-1)
	}

	if isContainerName(name) {
		return e.readWrapper()
	}

	return e.readRemark(name)
}

// readWrapper reads an object with the name of a wrapper, which need not hold records.
func (e *envelopeReader) readWrapper() error {
	inner := &envelopeReader{splitter: e.splitter, in: e.in, depth: e.depth - 1}
	if err := inner.read(); err != nil {
		return err
	}
	e.found = e.found || inner.found
	return nil
}

// readRemark reads what an answer says about itself. A part of a day, or nothing of it,
// must not pass for the day.
func (e *envelopeReader) readRemark(name string) error {
	v, err := e.value()
	if err != nil {
		return err
	}

	sign := jsonvalue.SignOf([]byte(name), v, e.options.Ignored)
	if sign.Sign != jsonvalue.NoSign {
		return signError(sign)
	}

	if pointsElsewhere(name, v) {
		return fmt.Errorf("%w: a text stands where they should be", ErrElsewhere)
	}

	e.noteTotals(name, v)
	e.own = e.own || isOwn([]byte(name), v.Kind())

	return nil
}

// pointsElsewhere reports whether a text stands where records should be: any text with
// the name of a kind, or a URL with the name of a wrapper.
func pointsElsewhere(name string, v jsontext.Value) bool {
	if v.Kind() != '"' {
		return false
	}

	if kindNamed(name) != Unknown {
		return jsonvalue.Told(v)
	}
	return isContainerName(name) && strings.Contains(string(v), "://")
}

// noteTotals notes the numbers of records that a member states.
func (e *envelopeReader) noteTotals(name string, v jsontext.Value) {
	if n, ok := jsonvalue.TotalOf([]byte(name), v, e.options.Ignored); ok {
		e.stated = append(e.stated, statement{count: n, member: "total"})
	}

	if kind := kindNamed(name); kind != Unknown && v.Kind() == '0' {
		n, _ := jsonvalue.TotalOf([]byte("total"), v, nil)
		e.stated = append(e.stated, statement{kind, n, kind.Plural()})
	}
}

// checkStatements refuses an object that states more records than it holds.
func (e *envelopeReader) checkStatements(before Counts) error {
	for _, stated := range e.stated {
		held := e.collector.counts.Of(stated.kind) - before.Of(stated.kind)
		if stated.kind == Unknown {
			held = e.collector.counts.Total() - before.Total()
		}

		if stated.count > held {
			return fmt.Errorf("%w (member %q states more records than there are)", ErrPage, stated.member)
		}
	}

	return nil
}
