// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// readCSV reads a header and the records below it. It returns io.EOF at the end.
func (r *reader) readCSV() error {
	records := csv.NewReader(r.in)
	records.ReuseRecord = true
	records.FieldsPerRecord = -1 // another number of cells is a problem of its row, not the end

	line := 0
	var columnOf []int
	for {
		r.in.N = limitRow
		r.startRow(line + 1)
		cells, err := records.Read()
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			r.startRow(broken.StartLine)
		}
		if err != nil || r.in.N <= 0 { // a row that is too long looks like the last one
			return err
		}

		line, _ = records.FieldPos(0)
		r.startRow(line)
		if columnOf != nil {
			r.readRecord(columnOf, cells)
			continue
		}

		columnOf = r.readHeader(cells)
		if r.problems.count > 0 {
			return io.EOF // the rows below cannot be read
		}
	}
}

// readHeader returns the index in columns of each cell.
func (r *reader) readHeader(names []string) (columnOf []int) {
	if strings.ContainsAny(strings.Join(names, ""), "\r\n") { // the rows are taken for names, and may be people
		r.problem("the header has a line break in the middle; lines end with LF or with CRLF")
		return nil
	}

	var unknown []string
	for _, name := range names {
		column := slices.Index(columns, name)
		columnOf = append(columnOf, column)
		if column < 0 {
			unknown = append(unknown, name)
			continue
		}

		if r.given[column] {
			r.problem("%s is there twice", name)
		}
		r.given[column] = true
	}
	r.checkNames(unknown)

	return columnOf
}

// readRecord reads one row. An empty cell is an absent value.
func (r *reader) readRecord(columnOf []int, cells []string) {
	if len(cells) != len(columnOf) {
		r.problem("the row has %d cells, and the header %d", len(cells), len(columnOf))
		return
	}

	for i, cell := range cells {
		if cell != "" {
			r.set(columnOf[i], cell, true)
		}
	}
	r.end(nil)
}

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
	r.in.N = limitRow
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
	for name, value := range jsonvalue.Parts(v) {
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
