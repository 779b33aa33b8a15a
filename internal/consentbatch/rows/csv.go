// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// readCSV reads a header and the records below it. It returns io.EOF at the end.
func (r *reader) readCSV() error {
	records := csv.NewReader(r.in)
	records.ReuseRecord = true
	records.FieldsPerRecord = -1 // another number of cells is a problem of its row, not the end

	line := 0
	var columnOf []int
	for {
		r.startRow(line + 1)
		cells, err := records.Read()
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			r.startRow(broken.StartLine)
		}
		if err != nil {
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
