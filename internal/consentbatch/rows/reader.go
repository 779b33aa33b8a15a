// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var errNoArray = errors.New("the JSON has to be one array of objects")

// reader checks rows one by one and collects those of the shard.
type reader struct {
	Options
	in *io.LimitedReader // bounds the present row, without what was read ahead

	rows     []Row
	seen     map[string]Position // of all people, to find repeated ones
	problems Error

	row   Row    // the present one
	given []bool // by column: the present row has a value

	objects int32 // of JSON, that were read
	line    int   // of JSON, how many lines were read to their end
}

// finish records why the reading has ended before the end of the file, if that is about its form, without any of
// its text. It returns an error of the reader.
func (r *reader) finish(err error) error {
	var what string

	broken, isCSV := errors.AsType[*csv.ParseError](err)
	_, isJSON := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case r.in.N <= 0:
		what = "the row is longer than 1 MiB; a quote or a bracket may not be closed"
	case errors.Is(err, io.EOF):
		return nil
	case isCSV:
		what = broken.Err.Error() // is one of a few
	case isJSON:
		what = "this is not valid JSON, or a name is there twice"
	case errors.Is(err, errNoArray):
		what = err.Error()
	default:
		return err
	}
	r.problem("%s; what follows was not read", what)

	return nil
}

// startRow starts a row at a line.
func (r *reader) startRow(line int) {
	clear(r.given)
	r.row = Row{Record: choice.Record{Manual: true}, Position: Position{Line: int32(line)}} //nolint:gosec // a file is of two billion lines
	if r.Format == JSON {
		r.row.Element = r.objects + 1
	}
}

// problem records what is wrong with the present row.
func (r *reader) problem(format string, args ...any) {
	if r.problems.count++; r.problems.count <= limitProblems {
		r.problems.texts = append(r.problems.texts, "line "+r.row.String()+": "+fmt.Sprintf(format, args...))
	}
}

// set sets a column of the present row to a text: that of a string, or a JSON value as it is written. A value of
// another type is a problem.
func (r *reader) set(column int, text string, isString bool) {
	r.given[column] = true
	field := r.row.field(columns[column])
	if _, isFlag := field.(*bool); !isFlag && !isString {
		r.problem("%s has to be a string", columns[column])
		return
	}
	if err := r.row.set(field, text); err != nil {
		r.problem("%s %v", columns[column], err)
	}
}

// column returns the column of a name in the header or in an object. place is where it stands there, from 1 on. A name
// that is not known is a problem. It is not shown: without a header, the first line is a person's row.
func (r *reader) column(place int, name string) (column int, ok bool) {
	column = slices.Index(columns, name)
	if column < 0 {
		r.problem("name %d is not known; it is not shown, because it may be personal data", place)
	}

	return column, column >= 0
}

// checkNames checks which columns the present row has.
func (r *reader) checkNames() {
	for i, name := range columns[:requiredColumns] {
		if !r.given[i] {
			r.problem("%s is missing", name)
		}
	}
}

// end checks the present row as a whole, and adds it if it belongs to the shard.
func (r *reader) end() {
	r.checkNames()
	if err := client.CheckAgreed(r.row.AgreementTime); err != nil && !r.AnyTime {
		r.problem("agreement_time %v", err)
	}

	identity := r.row.Identity
	first, isRepeated := r.seen[identity]
	switch {
	case identity == "": // missing
	case isRepeated:
		r.problem("identity_id is the same as in line %s; a person can have one row only", first)
	default:
		r.seen[identity] = r.row.Position
		if r.Shard.Has(identity) {
			r.rows = append(r.rows, r.row)
		}
	}
}

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
	for i, name := range names {
		column, ok := r.column(1+i, name)
		columnOf = append(columnOf, column)
		if !ok {
			continue
		}

		if r.given[column] {
			r.problem("%s is there twice", name)
		}
		r.given[column] = true
	}
	r.checkNames()

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
	r.end()
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

	place := 0
	for name, value := range jsonvalue.Parts(v) {
		place++

		column, ok := r.column(place, string(name))
		switch {
		case !ok, value.Kind() == 'n':
		case value.Kind() == '"':
			r.set(column, jsonvalue.Text(value), true)
		default:
			r.set(column, string(value), false)
		}
	}
	r.end()
}
