// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readJSON reads an array of objects, or a sequence of them in the format NDJSON. It stops at
// the first place that is not JSON, and returns io.EOF at the end.
func (r *reader) readJSON() error {
	dec := jsontext.NewDecoder(r.in)
	if r.Format == NDJSON {
		return r.readObjects(dec)
	}

	if r.next(dec) != '[' {
		return errNoArray
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if err := r.readObjects(dec); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != nil { // the bracket
		return err
	}

	r.next(dec)
	if _, err := dec.ReadToken(); err != nil {
		return err
	}

	return errNoArray
}

// readObjects reads objects up to a closing bracket. Of a sequence, it returns io.EOF at the end.
func (r *reader) readObjects(dec *jsontext.Decoder) error {
	for r.next(dec) != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		r.readObject(v)
		r.objects++
		r.line += bytes.Count(v, []byte("\n"))
	}

	return nil
}

// next starts a row where the next value begins, and returns the kind of that.
func (r *reader) next(dec *jsontext.Decoder) jsontext.Kind {
	r.in.left = limitRow
	kind := dec.PeekKind()
	ahead := dec.UnreadBuffer()
	between := len(ahead) - len(bytes.TrimLeft(ahead, ", \t\r\n"))
	r.line += bytes.Count(ahead[:between], []byte("\n"))
	r.startRow(1 + r.line)

	return kind
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
	r.end(unknown)
}
