// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readJSON reads an array of objects, or a sequence of them in the format NDJSON. It stops at
// the first place that is not JSON.
func (r *reader) readJSON() error {
	dec := jsontext.NewDecoder(r.in)
	r.in.beginRow()
	broken := r.readObjects(dec)
	if broken == nil || r.in.err != nil {
		return r.in.err
	}

	ahead := dec.UnreadBuffer()
	offset := dec.InputOffset() + int64(len(ahead)-len(bytes.TrimLeft(ahead, ", \t\r\n"))) // where the row begins
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](broken)
	if ok && r.format == JSON { // of NDJSON, the line that is not terminated is named
		offset = syntactic.ByteOffset
	}
	r.startRow(r.in.line(offset))
	r.problem("%s; what follows was not read", complaint(broken))

	return nil
}

var (
	errNoArray = errors.New("the JSON has to be one array of objects")
	errBehind  = errors.New("there is something behind the JSON")
)

// readObjects reads the objects and what encloses them. An error is one of the decoder, which
// cannot go on after it, or of the two above.
func (r *reader) readObjects(dec *jsontext.Decoder) error {
	isArray := r.format == JSON
	if isArray {
		bracket, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if bracket.Kind() != '[' {
			return errNoArray
		}
	}

	for !isArray || dec.PeekKind() != ']' {
		r.in.beginRow()
		v, err := dec.ReadValue()
		if !isArray && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		r.startRow(r.in.line(dec.InputOffset() - int64(len(v))))
		r.readObject(v)
	}

	if _, err := dec.ReadToken(); err != nil { // the bracket
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, errBehind)
	}

	return nil
}

// complaint returns what is wrong with JSON, without any of its text.
func complaint(err error) string {
	for _, known := range []error{errNoArray, errBehind, errRowTooLong} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}

	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has a member twice"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the JSON ends in the middle"
	}

	return "this is not valid JSON"
}

// readObject reads one row. A null is an absent value.
func (r *reader) readObject(v jsontext.Value) {
	if v.Kind() != '{' {
		r.problem("a row has to be an object")
		return
	}

	var unknown []string
	for name, value := range jsonvalue.EachMember(v) {
		column := columnNamed(string(name))
		if column < 0 {
			unknown = append(unknown, string(name))
			continue
		}

		switch value.Kind() {
		case 'n':
		case '"':
			r.set(column, jsonvalue.Text(value))
		case 't', 'f':
			r.set(column, value.Kind() == 't')
		default:
			r.set(column, nil)
		}
	}

	// The names of unknown members are shown only if the object has identity_id: otherwise they
	// may be people.
	if len(unknown) > 0 && !r.given[columnNamed(identityColumn)] {
		r.problem("there are members that are not known; they are not shown, because without identity_id they may be people")
		unknown = nil
	}
	for _, name := range unknown[:min(len(unknown), limitNames)] {
		r.problem("a member is not known: %s", shown(name))
	}
	r.end()
}
