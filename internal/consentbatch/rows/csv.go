package rows

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// readCSV reads a header and the records below it. An empty cell is an absent value.
func (b *builder) readCSV(in io.Reader) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	r.FieldsPerRecord = -1 // another number of cells is a problem of its row, not the end
	header, err := b.header(r)
	if header == nil || err != nil {
		return err
	}

	expected := make([]bool, len(columns))
	for _, column := range header {
		if column >= 0 {
			expected[column] = true
		}
	}

	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if failed := b.beginRecord(r, err); failed != nil {
			return failed
		}
		if err != nil { // a problem of this row
			continue
		}

		if len(record) != len(header) {
			b.problem("the row has %d cells, and the header %d", len(record), len(header))
			continue
		}
		b.cells(header, record)
		b.end(expected)
	}
}

// beginRecord begins the row that was read. A row that is no CSV is a problem; any other
// error is returned.
func (b *builder) beginRecord(r *csv.Reader, err error) error {
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		b.begin(broken.StartLine)
		b.problem("a quote is not closed, or stands where none may be; a quote inside a quoted cell is written twice")
		return nil
	}
	if err != nil {
		return err
	}

	line, _ := r.FieldPos(0)
	b.begin(line)
	return nil
}

// header reads the names of the columns and returns the index of each in columns; negative
// for an unknown one. It returns nil where the rows below cannot be read.
func (b *builder) header(r *csv.Reader) ([]int, error) {
	names, err := r.Read()
	if errors.Is(err, io.EOF) {
		b.begin(1)
		b.problem("there is no header; the first line names the columns, separated by commas")
		return nil, nil
	}
	if failed := b.beginRecord(r, err); failed != nil || err != nil {
		return nil, failed
	}

	if !slices.Contains(names, columns[columnIdentity]) {
		b.problem("the header has no column identity_id. The first line names the columns, separated by commas; it is not shown, because without a header it is a person's row")
		return nil, nil
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.ContainsAny(name, "\r\n") }) {
		b.problem("the header has a line break in the middle; lines end with LF or with CRLF")
		return nil, nil
	}
	header := b.indexOf(names)
	for column, name := range columns[:columnAddress] {
		if !slices.Contains(header, column) {
			b.problem("the header has no column %s", name)
		}
	}
	return header, nil
}

// indexOf returns the index of each name in columns; negative for an unknown one.
func (b *builder) indexOf(names []string) []int {
	header := make([]int, len(names))
	unknown := 0
	for i, name := range names {
		header[i] = slices.Index(columns, name)
		if header[i] < 0 {
			if unknown++; unknown <= limitNames {
				b.problem("the column %d is not known: %s", i+1, shown(name))
			}
			continue
		}
		if slices.Contains(header[:i], header[i]) {
			b.problem("the header has the column %s twice", columns[header[i]])
		}
	}
	return header
}

func (b *builder) cells(header []int, record []string) {
	for i, cell := range record {
		column := header[i]
		switch {
		case column < 0 || cell == "":
		case column == columnIdentity || column == columnAddress || column == columnAgreed:
			b.text(column, cell)
		case strings.EqualFold(cell, "true"), strings.EqualFold(cell, "false"): // spreadsheets write TRUE
			b.boolean(column, strings.EqualFold(cell, "true"))
		default:
			b.draft.given[column] = true
			b.problem("%s has to be true or false", columns[column])
		}
	}
}
