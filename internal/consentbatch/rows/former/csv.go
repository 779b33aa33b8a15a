package former

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

	columnOf, err := b.readHeader(r)
	if columnOf == nil || err != nil {
		return err
	}
	expected := columnOf.present()

	for {
		record, err := b.readRecord(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errNoCSV) {
			continue
		}
		if err != nil {
			return err
		}

		if len(record) != len(columnOf) {
			b.problem("the row has %d cells, and the header %d", len(record), len(columnOf))
			continue
		}
		b.cells(columnOf, record)
		b.end(expected)
	}
}

// errNoCSV is the error of a record that is not CSV. The problem was recorded.
var errNoCSV = errors.New("not CSV")

// readRecord reads a record and begins its row.
func (b *builder) readRecord(r *csv.Reader) ([]string, error) {
	record, err := r.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		b.begin(broken.StartLine)
		b.problem("a quote is not closed, or stands where none may be; a quote inside a quoted cell is written twice")
		return nil, errNoCSV
	}
	if err != nil {
		return nil, err
	}

	line, _ := r.FieldPos(0)
	b.begin(line)

	return record, nil
}

// header holds the index in columns of each cell; negative for an unknown column.
type header []int

// present reports for each column whether the header has it.
func (h header) present() []bool {
	present := make([]bool, len(columns))
	for _, column := range h {
		if column >= 0 {
			present[column] = true
		}
	}

	return present
}

// readHeader reads the names of the columns. It returns nil if the rows below cannot be read.
func (b *builder) readHeader(r *csv.Reader) (header, error) {
	names, err := b.readRecord(r)
	if errors.Is(err, io.EOF) {
		b.begin(1)
		b.problem("there is no header; the first line names the columns, separated by commas")
		return nil, nil
	}
	if errors.Is(err, errNoCSV) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	return b.parseHeader(names), nil
}

func (b *builder) parseHeader(names []string) header {
	if !slices.Contains(names, identityColumn) {
		b.problem("the header has no column identity_id. The first line names the columns, separated by commas; it is not shown, because without a header it is a person's row")
		return nil
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.ContainsAny(name, "\r\n") }) {
		b.problem("the header has a line break in the middle; lines end with LF or with CRLF")
		return nil
	}

	columnOf := b.indexOf(names)
	for column, c := range columns {
		if c.required && !slices.Contains(columnOf, column) {
			b.problem("the header has no column %s", c.name)
		}
	}

	return columnOf
}

// indexOf returns the index of each name in columns, and reports unknown and repeated names.
func (b *builder) indexOf(names []string) header {
	columnOf := make(header, len(names))
	unknown := 0

	for i, name := range names {
		columnOf[i] = columnNamed(name)
		if columnOf[i] < 0 {
			if unknown++; unknown <= limitNames {
				b.problem("the column %d is not known: %s", i+1, shown(name))
			}
			continue
		}

		if slices.Contains(columnOf[:i], columnOf[i]) {
			b.problem("the header has the column %s twice", columns[columnOf[i]].name)
		}
	}

	return columnOf
}

func (b *builder) cells(columnOf header, record []string) {
	for i, cell := range record {
		if columnOf[i] >= 0 && cell != "" {
			b.cell(columnOf[i], cell)
		}
	}
}

// cell sets a column. Spreadsheets write TRUE and FALSE.
func (b *builder) cell(column int, value string) {
	if columns[column].setText != nil {
		b.text(column, value)
		return
	}

	isTrue := strings.EqualFold(value, "true")
	if !isTrue && !strings.EqualFold(value, "false") {
		b.draft.given[column] = true
		b.problem("%s has to be true or false", columns[column].name)
		return
	}

	b.boolean(column, isTrue)
}
