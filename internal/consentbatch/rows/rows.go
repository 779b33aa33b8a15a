// SPDX-License-Identifier: MPL-2.0

// Package rows reads the consent of many people from one file: CSV, NDJSON or a JSON array.
// Errors never hold a value of a row.
package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

// Row is the consent of one person. There may be millions of them.
type Row struct {
	Identity string
	choice.Record
	Position
}

// Position is where a row begins.
type Position struct {
	Line    int32 `json:"line"`
	Element int32 `json:"element,omitempty"` // of a JSON array, counted from 1; 0 in other formats
}

// String returns the position as text that follows the word "line". The elements of a JSON
// array may all be on one line, so their number is included.
func (p Position) String() string {
	if p.Element > 0 {
		return fmt.Sprintf("%d (element %d)", p.Line, p.Element)
	}
	return fmt.Sprint(p.Line)
}

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

const identityColumn = "identity_id"

// columns are the columns of a CSV file, or the members of a JSON object: the identity, and the fields
// of a record. The first ones are required.
var columns = append([]string{identityColumn}, decode.ConsentFields...)

const requiredColumns = 1 + decode.Clauses

// Sum returns a hash of the values of all rows, in their order. It does not depend on the
// format or on the lines. States hold digests of it, so it must not change.
func Sum(rows []Row) (sum [sha256.Size]byte) {
	hash := sha256.New()
	for _, r := range rows {
		var at int64
		if !r.AgreementTime.IsZero() {
			at = r.AgreementTime.UnixMilli()
		}
		// An identity has no line break, and the other values have no space.
		fmt.Fprintf(hash, "%s %d %t %t %s\n", r.UserIPv6.Unmap(), at, r.Clauses, r.Manual, r.Identity)
	}

	hash.Sum(sum[:0])

	return sum
}

// field returns a pointer to the value of a column.
func (r *Row) field(column string) any {
	if column == identityColumn {
		return &r.Identity
	}
	return r.Field(column)
}

// set sets one of the fields to a text. The error completes a sentence about the column.
func (r *Row) set(field any, text string) (err error) {
	switch field := field.(type) {
	case *bool:
		*field, err = parseFlag(text)
	case *netip.Addr:
		*field, err = formats.Address.Parse(text)
	case *time.Time:
		*field, err = formats.Instant.Parse(text)
		*field = field.UTC().Truncate(time.Millisecond)
	case *string:
		*field = strings.Clone(text) // not the whole line
	}
	if field == any(&r.Identity) {
		err = client.ValidateSegment(text)
	}

	return err
}

// parseFlag returns a truth value. Spreadsheets write TRUE and FALSE.
func parseFlag(text string) (isTrue bool, err error) {
	isTrue = strings.EqualFold(text, "true")
	if !isTrue && !strings.EqualFold(text, "false") {
		err = errors.New("has to be true or false")
	}

	return isTrue, err
}

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
