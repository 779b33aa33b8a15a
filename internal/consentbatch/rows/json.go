// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readJSON reads objects: those of one array, or a sequence. It stops at the first place that is not JSON,
// and returns io.EOF at the end.
func (r *reader) readJSON() error {
	dec := jsontext.NewDecoder(r.in)
	if r.Format == JSON {
		if r.next(dec) != '[' {
			return errNoArray
		}
		_, _ = dec.ReadToken() // was seen
	}

	for r.next(dec) != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		r.readObject(v)
		r.objects++
		r.line += bytes.Count(v, []byte("\n"))
	}

	_, err := dec.ReadToken() // the closing bracket, which no sequence has
	if err == nil {
		r.next(dec)
		_, err = dec.ReadToken()
	}

	return cmp.Or(err, errNoArray) // for what follows the array
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
		column := slices.Index(columns, string(name))
		if column < 0 {
			unknown = append(unknown, string(name))
			continue
		}

		switch value.Kind() {
		case 'n':
		case '"':
			r.set(column, jsonvalue.Text(value), true)
		default:
			r.set(column, string(value), false)
		}
	}
	r.end(unknown)
}
