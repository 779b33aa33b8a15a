// SPDX-License-Identifier: MPL-2.0

// Package rows reads the consent of many people from one file: CSV, NDJSON or a JSON array.
// Errors never hold a value of a row.
package rows

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Format is the format of a file of rows.
type Format string

// The formats, as named in a configuration.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	JSON   Format = "json"
)

var formatsByExtension = map[string]Format{".csv": CSV, ".ndjson": NDJSON, ".jsonl": NDJSON, ".json": JSON}

// FormatOf returns the format that the extension of a file names; empty if it names none.
func FormatOf(path string) Format { return formatsByExtension[strings.ToLower(filepath.Ext(path))] }

// FormatIn returns the format that the first character of a content indicates.
func FormatIn(content string) Format {
	rest := strings.TrimLeft(strings.TrimPrefix(content, bom), " \t\r\n")
	switch {
	case strings.HasPrefix(rest, "["):
		return JSON
	case strings.HasPrefix(rest, "{"):
		return NDJSON
	}
	return CSV
}

// Position is where a row begins.
type Position struct {
	Line    int32
	Element int32 // of a JSON array, counted from 1; 0 in other formats
}

// String returns the position as text that follows the word "line". The elements of a JSON
// array may all be on one line, so their number is included.
func (p Position) String() string {
	if p.Element > 0 {
		return fmt.Sprintf("%d (element %d)", p.Line, p.Element)
	}
	return fmt.Sprint(p.Line)
}

// Limits on what an Error says.
const (
	limitBadRows = 100
	limitNames   = 10 // of unknown columns or members of one row
)

// Shard selects a part of the rows of a file. The shards with the same Count and every Index
// below it have each row once. The zero Shard has all rows.
type Shard struct {
	Index, Count uint64
}

// Has reports whether the row of a person belongs to the shard: whether the first eight bytes
// of the SHA-256 of the identity, as a big-endian number, modulo Count are Index. Users split
// files by the same rule, so it must not change.
func (s Shard) Has(identity string) bool {
	if s.Count == 0 {
		return true
	}

	sum := sha256.Sum256([]byte(identity))
	return binary.BigEndian.Uint64(sum[:])%s.Count == s.Index
}

// Error lists everything that is wrong with a file, one problem on each line. It holds no
// value of a row.
type Error struct {
	// Rows is how many rows have a problem; the header counts as a row.
	Rows  int
	texts []string
}

func (p *Error) Error() string {
	text := strings.Join(p.texts, "\n")
	if more := p.Rows - limitBadRows; more > 0 {
		text += fmt.Sprintf("\nand %d more rows with problems.", more)
	}

	return text
}

// Read reads and checks all rows. The error is an *Error if rows or their form are wrong, and
// otherwise the reader's.
//
// It does not look at the clock, so that the same content always has the same result.
func Read(in io.Reader, format Format) ([]Row, error) {
	return (&reader{format: format, anyTime: true}).readAll(in)
}

// ReadShard reads and checks all rows, and returns those of a shard. Its errors are those of
// Read, and times of agreement that lie in the future.
func ReadShard(in io.Reader, format Format, shard Shard) ([]Row, error) {
	return (&reader{format: format, shard: shard}).readAll(in)
}

// reader checks rows one by one and collects those of a shard.
type reader struct {
	format  Format
	shard   Shard
	anyTime bool // times of agreement may lie in the future
	in      *input

	rows     []Row
	seen     map[string]Position // of all people, to find repeated ones
	problems Error

	count   int32  // of rows so far, bad ones included
	row     Row    // the present one
	given   []bool // by column: the present row has a value
	flagged bool   // the present row has a problem
}

func (r *reader) readAll(in io.Reader) ([]Row, error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if begin, _ := buffered.Peek(len(bom)); bytes.Equal(begin, []byte(bom)) {
		_, _ = buffered.Discard(len(bom)) // was read by Peek
	}

	r.in = &input{in: buffered}
	r.seen = map[string]Position{}
	r.given = make([]bool, len(columns))
	readFormat := map[Format]func() error{CSV: r.readCSV, NDJSON: r.readJSON, JSON: r.readJSON}[r.format]
	if err := readFormat(); err != nil {
		return nil, err
	}

	if r.problems.Rows == 0 && len(r.seen) == 0 {
		r.startRow(1)
		r.problem("there are no rows; to manage nobody any more, take the resource out of the configuration")
	}
	if r.problems.Rows > 0 {
		return nil, &r.problems
	}

	return r.rows, nil
}

// startRow starts a row at a line.
func (r *reader) startRow(line int) {
	r.count++
	r.flagged = false
	clear(r.given)
	r.row = Row{Record: choice.Record{Manual: true}, Position: Position{Line: int32(line)}} //nolint:gosec // a file is of two billion lines
	if r.format == JSON {
		r.row.Element = r.count
	}
}

// problem records what is wrong with the present row.
func (r *reader) problem(format string, args ...any) {
	if !r.flagged {
		r.flagged = true
		r.problems.Rows++
	}

	if r.problems.Rows <= limitBadRows {
		r.problems.texts = append(r.problems.texts, "line "+r.row.String()+": "+fmt.Sprintf(format, args...))
	}
}

// set sets a column of the present row to a string or a bool. A value of another type is a
// problem.
func (r *reader) set(i int, value any) {
	r.given[i] = true
	flag := r.row.flag(columns[i])
	text, isText := value.(string)
	isTrue, isBool := value.(bool)

	switch {
	case flag != nil && isBool:
		*flag = isTrue
	case flag != nil && r.format == CSV:
		r.problem("%s has to be true or false", columns[i])
	case flag != nil:
		r.problem("%s has to be true or false, without quotes", columns[i])
	case !isText:
		r.problem("%s has to be a string", columns[i])
	default:
		if err := r.row.setText(columns[i], text); err != nil {
			r.problem("%s %v", columns[i], err)
		}
	}
}

// end checks the present row as a whole, and adds it if it belongs to the shard.
func (r *reader) end() {
	for i, name := range columns[:requiredColumns] {
		if !r.given[i] {
			r.problem("%s is missing", name)
		}
	}

	if !r.anyTime {
		if err := client.CheckAgreed(r.row.AgreementTime); err != nil {
			r.problem("agreement_time %v", err)
		}
	}

	identity := r.row.Identity
	if identity == "" { // missing, or unusable
		return
	}

	if first, repeated := r.seen[identity]; repeated {
		r.problem("identity_id is the same as in line %s; a person can have one row only", first)
		return
	}

	r.seen[identity] = r.row.Position
	if r.shard.Has(identity) {
		r.rows = append(r.rows, r.row)
	}
}

const bom = "\uFEFF"

// limitRow is how long a row may be, in bytes. Without a limit, a quote that is not closed
// would take the rest of the file into memory.
const limitRow = 1 << 20

var errRowTooLong = errors.New("the row is longer than 1 MiB; a quote or a bracket may not be closed")

// input is the content as it is read. It counts lines and bounds rows.
type input struct {
	in     io.Reader
	offset int64
	breaks []int64 // offsets of the line breaks after the last argument of line
	passed int     // line breaks before those
	left   int     // how much may be read for the present row
	err    error   // the reader's error; nil at its end
}

// beginRow lets a row of limitRow bytes be read. What was read ahead does not count.
func (in *input) beginRow() { in.left = limitRow }

func (in *input) Read(p []byte) (int, error) {
	if in.left <= 0 {
		return 0, errRowTooLong
	}

	n, err := in.in.Read(p[:min(len(p), in.left)])
	for i, c := range p[:n] {
		if c == '\n' {
			in.breaks = append(in.breaks, in.offset+int64(i))
		}
	}
	in.offset += int64(n)
	in.left -= n

	if err != nil && !errors.Is(err, io.EOF) {
		in.err = err
	}

	return n, err
}

// line returns the line of an offset, counted from 1. It must be called with increasing
// offsets, and drops what it has counted.
func (in *input) line(offset int64) int {
	for len(in.breaks) > 0 && in.breaks[0] < offset {
		in.breaks = in.breaks[1:]
		in.passed++
	}

	return in.passed + 1
}
