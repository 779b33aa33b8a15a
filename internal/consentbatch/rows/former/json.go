package former

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// limitLine is how long a line of NDJSON may be, in bytes.
const limitLine = 1 << 20

// readNDJSON reads one object from each line. A line that is not JSON is a problem of that
// line only.
func (b *builder) readNDJSON(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), limitLine)
	dec := jsontext.NewDecoder(bytes.NewReader(nil))

	number := 1
	for ; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}

		dec.Reset(bytes.NewReader(line))
		b.begin(number)
		if err := b.onlyElement(dec, number); err != nil {
			b.problem("%s", complaint(err))
		}
	}

	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		b.begin(number)
		b.problem("the line is longer than %d bytes; what follows was not read", limitLine)
		return nil
	}

	return lines.Err()
}

// onlyElement reads a row that is the only value of its line.
func (b *builder) onlyElement(dec *jsontext.Decoder, number int) error {
	if err := b.element(dec, func(int64) int { return number }); err != nil {
		return err
	}
	return endOf(dec)
}

// readJSON reads an array of objects, element by element. It stops at the first place that is
// not JSON.
func (b *builder) readJSON(in io.Reader) error {
	lines := &lineCounter{in: in}
	dec := jsontext.NewDecoder(lines)

	broken := b.array(dec, lines)
	if broken == nil || lines.err != nil {
		return lines.err
	}

	offset := dec.InputOffset()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](broken); ok {
		offset = syntactic.ByteOffset
	}

	if line := lines.at(offset); b.open {
		b.draft.line = line
	} else {
		b.begin(line)
	}

	b.problem("%s; what follows was not read", complaint(broken))

	return nil
}

// array reads an array of rows, and nothing may follow it.
func (b *builder) array(dec *jsontext.Decoder, lines *lineCounter) error {
	isArray := dec.PeekKind() == '['
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if !isArray {
		return errNoArray
	}

	for dec.PeekKind() != ']' {
		b.begin(0)
		if err := b.element(dec, lines.at); err != nil {
			return err
		}
	}

	if _, err := dec.ReadToken(); err != nil {
		return err
	}

	return endOf(dec)
}

var (
	errNoArray = errors.New("the JSON has to be one array of objects")
	errBehind  = errors.New("there is something behind the JSON")
)

// endOf returns an error if anything follows the value that was read.
func endOf(dec *jsontext.Decoder) error {
	_, err := dec.ReadToken()
	if err == nil {
		return errBehind
	}
	if errors.Is(err, io.EOF) {
		return nil
	}

	return err
}

// complaint returns what is wrong with JSON, without any of its text.
func complaint(err error) string {
	switch {
	case errors.Is(err, errNoArray), errors.Is(err, errBehind):
		return err.Error()
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has a member twice"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the JSON ends in the middle"
	}

	return "this is no valid JSON"
}

// element reads one row. line returns the line of an offset. An error is the decoder's, which
// cannot go on after it.
func (b *builder) element(dec *jsontext.Decoder, line func(offset int64) int) error {
	if dec.PeekKind() != '{' {
		return b.notAnObject(dec, line)
	}

	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	b.draft.line = line(dec.InputOffset() - 1)

	unknown, err := b.members(dec)
	if err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}

	b.unknownMembers(unknown)
	b.end(everyColumn)

	return nil
}

// notAnObject reads an element that is not an object, and reports it.
func (b *builder) notAnObject(dec *jsontext.Decoder, line func(offset int64) int) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}

	b.draft.line = line(dec.InputOffset() - int64(len(v)))
	b.problem("a row has to be an object")
	b.open = false

	return nil
}

// members reads the members of an object and returns the names of unknown ones.
func (b *builder) members(dec *jsontext.Decoder) (unknown []string, err error) {
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}

		column := columnNamed(name.String())
		if column < 0 {
			unknown = append(unknown[:min(len(unknown), limitNames)], name.String())
			err = dec.SkipValue()
		} else {
			err = b.member(dec, column)
		}
		if err != nil {
			return nil, err
		}
	}

	return unknown, nil
}

// unknownMembers reports unknown members. Their names are shown only if the object has
// identity_id: otherwise they may be people.
func (b *builder) unknownMembers(names []string) {
	if len(names) > 0 && !b.draft.isGiven(identityColumn) {
		b.problem("there are members that are not known; they are not shown, because without identity_id they may be people")
		return
	}

	for _, name := range names[:min(len(names), limitNames)] {
		b.problem("a member is not known: %s", shown(name))
	}
}

// member reads the value of a known member. A null is an absent value.
func (b *builder) member(dec *jsontext.Decoder, column int) error {
	if dec.PeekKind() == 'n' {
		return dec.SkipValue()
	}

	if columns[column].setText != nil {
		return b.textMember(dec, column)
	}
	return b.booleanMember(dec, column)
}

func (b *builder) textMember(dec *jsontext.Decoder, column int) error {
	if dec.PeekKind() != '"' {
		return b.wrongMember(dec, column, "a string")
	}

	text, err := dec.ReadToken()
	if err != nil {
		return err
	}

	b.text(column, text.String())

	return nil
}

func (b *builder) booleanMember(dec *jsontext.Decoder, column int) error {
	kind := dec.PeekKind()
	if kind != 't' && kind != 'f' {
		return b.wrongMember(dec, column, "true or false, without quotes")
	}

	b.boolean(column, kind == 't')
	return dec.SkipValue()
}

// wrongMember skips a value of another type than want, and reports it.
func (b *builder) wrongMember(dec *jsontext.Decoder, column int, want string) error {
	b.draft.given[column] = true
	if err := dec.SkipValue(); err != nil {
		return err
	}

	b.problem("%s has to be %s", columns[column].name, want)
	return nil
}

// lineCounter counts the lines of what is read through it. at must be called with
// increasing offsets.
type lineCounter struct {
	in     io.Reader
	offset int64
	breaks []int64 // offsets of the line breaks after the last argument of at
	passed int     // line breaks before those
	err    error   // the reader's error; nil at its end
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.breaks = append(l.breaks, l.offset+int64(i))
		}
	}
	l.offset += int64(n)

	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}

	return n, err
}

// at returns the line of an offset, counted from 1.
func (l *lineCounter) at(offset int64) int {
	for len(l.breaks) > 0 && l.breaks[0] < offset {
		l.breaks = l.breaks[1:]
		l.passed++
	}

	return l.passed + 1
}
