// SPDX-License-Identifier: MPL-2.0

// Package rows reads the consent of many people from one file: CSV, NDJSON or a JSON array.
// Errors never hold a value of a row.
package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Format is the format of a file of rows.
type Format string

// The formats, as named in a configuration.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	JSON   Format = "json"
)

// formatsByFirst are the formats by their first character. All other content is CSV.
var formatsByFirst = map[string]Format{"[": JSON, "{": NDJSON}

// Options says how Read reads.
type Options struct {
	Format  Format // empty for that of the first character
	Shard   Shard  // of which the rows are returned; all rows are checked
	AnyTime bool   // times of agreement may lie in the future, so that Read does not look at the clock
}

// Error lists everything that is wrong with a file, one problem on each line. It holds no
// value of a row.
type Error struct {
	texts []string
	count int
}

// limitProblems is how many problems an Error lists.
const limitProblems = 100

func (e *Error) Error() string {
	text := strings.Join(e.texts, "\n")
	if more := e.count - limitProblems; more > 0 {
		text += fmt.Sprintf("\nand %d more problems.", more)
	}

	return text
}

// limitRow is how long a row may be, in bytes. Without a limit, a quote that is not closed
// would take the rest of the file into memory.
const limitRow = 1 << 20

// Read reads and checks all rows, and returns those of a shard. The error is an *Error if rows or
// their form are wrong, and otherwise the reader's.
func Read(in io.Reader, o Options) ([]Row, error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	begin, _ := buffered.Peek(buffered.Size()) // an error is met again
	text := bytes.TrimPrefix(begin, []byte("\uFEFF"))
	_, _ = buffered.Discard(len(begin) - len(text)) // was read by Peek
	first := bytes.TrimLeft(text, " \t\r\n")
	o.Format = cmp.Or(o.Format, formatsByFirst[string(first[:min(len(first), 1)])], CSV)

	r := &reader{Options: o, in: &io.LimitedReader{R: buffered}, seen: map[string]Position{}, given: make([]bool, len(columns))}
	read := r.readJSON
	if o.Format == CSV {
		read = r.readCSV
	}
	if err := r.finish(read()); err != nil {
		return nil, err
	}

	if r.problems.count == 0 && len(r.seen) == 0 {
		r.problem("there are no rows; to manage nobody any more, take the resource out of the configuration")
	}
	if r.problems.count > 0 {
		return nil, &r.problems
	}

	return r.rows, nil
}

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

// checkNames checks which columns the present row has. unknown are names that are not columns. A name that may
// be personal data is not shown: without a header, the first line is a person's row.
func (r *reader) checkNames(unknown []string) {
	for _, name := range unknown {
		shown := strconv.Quote(name)
		if isFirst := !r.given[0]; isFirst || !jsonvalue.IsFieldName(name) { // identity_id is the first column
			shown = "(not shown, because it may be personal data)"
		}
		r.problem("a name is not known: %s", shown)
	}

	for i, name := range columns[:requiredColumns] {
		if !r.given[i] {
			r.problem("%s is missing", name)
		}
	}
}

// end checks the present row as a whole, and adds it if it belongs to the shard. unknown are names that are not
// columns.
func (r *reader) end(unknown []string) {
	r.checkNames(unknown)
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
