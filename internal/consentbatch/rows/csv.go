// SPDX-License-Identifier: MPL-2.0

package rows

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// readCSV reads a header and the records below it. An empty cell is an absent value.
func (r *reader) readCSV() error {
	records := csv.NewReader(r.in)
	records.ReuseRecord = true
	records.FieldsPerRecord = -1 // another number of cells is a problem of its row, not the end

	var columnOf []int
	for {
		r.in.beginRow()
		line := r.in.line(records.InputOffset())

		record, err := records.Read()
		if err != nil {
			goesOn, err := r.refuseRecord(err, line, columnOf == nil)
			if !goesOn {
				return err
			}
			continue
		}

		line, _ = records.FieldPos(0) // without the empty lines before it
		r.startRow(line)
		if columnOf == nil {
			if columnOf = r.parseHeader(record); r.flagged {
				return nil
			}
			continue
		}

		if len(record) != len(columnOf) {
			r.problem("the row has %d cells, and the header %d", len(record), len(columnOf))
			continue
		}
		for i, cell := range record {
			if cell != "" {
				r.set(columnOf[i], r.valueOf(columnOf[i], cell))
			}
		}
		r.end()
	}
}

// refuseRecord records why a record cannot be read, and reports whether the next one can. The
// error is the reader's.
func (r *reader) refuseRecord(err error, line int, isHeader bool) (goesOn bool, _ error) {
	if errors.Is(err, io.EOF) {
		if isHeader {
			r.startRow(1)
			r.problem("there is no header; the first line names the columns, separated by commas")
		}
		return false, nil
	}

	if errors.Is(err, errRowTooLong) {
		r.startRow(line)
		r.problem("%v; what follows was not read", err)
		return false, nil
	}

	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		r.startRow(broken.StartLine)
		r.problem("a quote is not closed, or stands where none may be; a quote inside a quoted cell is written twice")
		return !isHeader, nil
	}

	return false, err
}

// parseHeader returns the index in columns of each cell. With a problem, the rows below are not read.
func (r *reader) parseHeader(names []string) (columnOf []int) {
	if !slices.Contains(names, identityColumn) {
		r.problem("the header has no column identity_id. The first line names the columns, separated by commas; it is not shown, because without a header it is a person's row")
		return nil
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.ContainsAny(name, "\r\n") }) {
		r.problem("the header has a line break in the middle; lines end with LF or with CRLF")
		return nil
	}

	unknown := 0
	has := make([]bool, len(columns))
	for i, name := range names {
		column := columnNamed(name)
		columnOf = append(columnOf, column)
		if column < 0 {
			if unknown++; unknown <= limitNames {
				r.problem("the column %d is not known: %s", i+1, shown(name))
			}
			continue
		}

		if has[column] {
			r.problem("the header has the column %s twice", columns[column])
		}
		has[column] = true
	}

	for i, name := range columns[:requiredColumns] {
		if !has[i] {
			r.problem("the header has no column %s", name)
		}
	}

	return columnOf
}

// valueOf returns the value of a cell, a bool where the column has one. Spreadsheets write TRUE
// and FALSE.
func (r *reader) valueOf(column int, cell string) any {
	isTrue, isFalse := strings.EqualFold(cell, "true"), strings.EqualFold(cell, "false")
	isTruth := isTrue || isFalse
	if isTruth && r.row.flag(columns[column]) != nil {
		return isTrue
	}
	return cell
}
