package rows

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// limitLine is how long a line of NDJSON may be, in bytes.
const limitLine = 1 << 20

// readNDJSON reads one object from each line. A line that is no JSON is a problem of that
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

		b.begin(number)
		dec.Reset(bytes.NewReader(line))
		err := b.element(dec, func(int64) int { return number })
		if err == nil {
			err = endOf(dec)
		}
		if err != nil {
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

// readJSON reads an array of objects, element by element. After a place that is no JSON,
// nothing more can be read.
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

// endOf returns an error where anything follows the value that was read.
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

// element reads one row. It returns the error of the decoder, which cannot go on after one.
// line returns the line of an offset.
func (b *builder) element(dec *jsontext.Decoder, line func(offset int64) int) error {
	if dec.PeekKind() != '{' {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		b.draft.line = line(dec.InputOffset() - int64(len(v)))
		b.problem("a row has to be an object")
		b.open = false
		return nil
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

// members reads the members of an object and returns the names of unknown ones.
func (b *builder) members(dec *jsontext.Decoder) (unknown []string, err error) {
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}

		column := slices.Index(columns, name.String())
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

// unknownMembers reports unknown members. Their names are shown only in an object that has
// identity_id: in another, they may be people.
func (b *builder) unknownMembers(names []string) {
	if len(names) > 0 && !b.draft.given[columnIdentity] {
		b.problem("there are members that are not known; they are not shown, because without identity_id they may be people")
		return
	}
	for _, name := range names[:min(len(names), limitNames)] {
		b.problem("a member is not known: %s", shown(name))
	}
}

// member reads the value of a known member. A null is an absent value.
func (b *builder) member(dec *jsontext.Decoder, column int) error {
	isText := column == columnIdentity || column == columnAddress || column == columnAgreed
	kind := dec.PeekKind()
	if kind == 'n' {
		return dec.SkipValue()
	}
	if isText && kind == '"' {
		text, err := dec.ReadToken()
		if err != nil {
			return err
		}
		b.text(column, text.String())
		return nil
	}
	if !isText && (kind == 't' || kind == 'f') {
		b.boolean(column, kind == 't')
		return dec.SkipValue()
	}

	b.draft.given[column] = true
	if err := dec.SkipValue(); err != nil {
		return err
	}
	if isText {
		b.problem("%s has to be a string", columns[column])
		return nil
	}
	b.problem("%s has to be true or false, without quotes", columns[column])
	return nil
}

// lineCounter counts the lines of what is read through it. at must be called with
// increasing offsets.
type lineCounter struct {
	in     io.Reader
	offset int64
	breaks []int64 // offsets of the line breaks after the last offset that at was called with
	passed int     // line breaks before those
	err    error   // what the reader failed with; nil at its end
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
