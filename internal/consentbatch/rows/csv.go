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

	names, err := r.readRecord(records)
	if errors.Is(err, io.EOF) {
		r.begin(1)
		r.problem("there is no header; the first line names the columns, separated by commas")
	}
	if err != nil {
		return ended(err)
	}

	columnOf := r.parseHeader(names)
	if columnOf == nil {
		return nil
	}

	for {
		record, err := r.readRecord(records)
		if errors.Is(err, errNoCSV) {
			continue
		}
		if err != nil {
			return ended(err)
		}

		if len(record) != len(columnOf) {
			r.problem("the row has %d cells, and the header %d", len(record), len(columnOf))
			continue
		}
		for i, cell := range record {
			if columnOf[i] >= 0 && cell != "" {
				r.cell(columnOf[i], cell)
			}
		}
		r.end()
	}
}

// errNoCSV is the error of a record that is not CSV. The problem was recorded.
var errNoCSV = errors.New("not CSV")

// ended returns the error of an input that was read to its end, or to a problem that was
// recorded.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, errNoCSV) || errors.Is(err, errRowTooLong) {
		return nil
	}
	return err
}

// readRecord reads a record and begins its row.
func (r *reader) readRecord(records *csv.Reader) ([]string, error) {
	r.in.beginRow()
	line := r.in.line(records.InputOffset())

	record, err := records.Read()
	if errors.Is(err, errRowTooLong) {
		r.begin(line)
		r.problem("%v; what follows was not read", err)
	}
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		r.begin(broken.StartLine)
		r.problem("a quote is not closed, or stands where none may be; a quote inside a quoted cell is written twice")
		return nil, errNoCSV
	}
	if err != nil {
		return nil, err
	}

	line, _ = records.FieldPos(0) // without the empty lines before it
	r.begin(line)

	return record, nil
}

// parseHeader returns the index in columns of each cell, negative for an unknown column.
// It returns nil if the rows below cannot be read.
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
	for i, name := range names {
		column := columnNamed(name)
		columnOf = append(columnOf, column)
		if column < 0 {
			if unknown++; unknown <= limitNames {
				r.problem("the column %d is not known: %s", i+1, shown(name))
			}
			continue
		}

		if r.expected[column] {
			r.problem("the header has the column %s twice", columns[column].name)
		}
		r.expected[column] = true
	}

	for i, c := range columns {
		if c.required && !r.expected[i] {
			r.problem("the header has no column %s", c.name)
		}
	}

	return columnOf
}

// cell sets a column. Spreadsheets write TRUE and FALSE.
func (r *reader) cell(column int, value string) {
	if columns[column].setText != nil {
		r.text(column, value)
		return
	}

	isTrue := strings.EqualFold(value, "true")
	if !isTrue && !strings.EqualFold(value, "false") {
		r.given[column] = true
		r.problem("%s has to be true or false", columns[column].name)
		return
	}

	r.boolean(column, isTrue)
}
