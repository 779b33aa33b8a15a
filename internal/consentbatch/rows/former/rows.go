// Package former reads the consent of many people from one file: CSV, NDJSON or a JSON array.
// Rows are kept small, since there may be millions of them. Errors never hold a value of a
// row.
package former

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Format is the format of a file of rows.
type Format string

// The formats, as named in a configuration.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
	JSON   Format = "json"
)

// FormatOf returns the format that the extension of a file names; empty if it names none.
func FormatOf(path string) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return CSV
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".json":
		return JSON
	}

	return ""
}

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

const bom = "\uFEFF"

// Row is the consent of one person, and the line at which the row begins.
type Row struct {
	Line     int
	Identity string
	Clauses  [answer.Clauses]bool
	Address  netip.Addr // the zero Addr for none
	Agreed   time.Time  // to the millisecond; the zero Time for none
	Manual   bool
}

// Rows are the rows of one file. Each takes 40 bytes and its identity.
type Rows struct {
	// Untimed is how many rows have no agreement_time.
	Untimed int

	format Format
	count  int
	chunks []*chunk // all but the last are full
}

// chunkRows is how many rows a chunk has. Growing by chunks copies no row.
const chunkRows = 1024

// chunk holds rows and their identities, one after the other.
type chunk struct {
	identities []byte
	list       []packed
}

// packed is a row without pointers, so that the garbage collector skips it.
type packed struct {
	agreed  int64 // milliseconds since 1970; 0 is none, since times before 2000 are refused
	address [16]byte
	end     int32 // of the identity; it begins where that of the row before ends
	line    int32
	element int32 // of an array, counted from 1
	flags   uint16
}

// The flags of a row. The clauses are the lowest bits.
const (
	flagManual uint16 = 1 << (answer.Clauses + iota)
	flagAddress
)

// Len returns the number of rows.
func (r *Rows) Len() int { return r.count }

// At returns row i, counted from 0.
func (r *Rows) At(i int) Row {
	p := r.packed(i)
	row := Row{Line: int(p.line), Identity: string(r.identity(i)), Manual: p.flags&flagManual != 0}

	for c := range row.Clauses {
		row.Clauses[c] = p.flags&(1<<c) != 0
	}
	if p.flags&flagAddress != 0 {
		row.Address = netip.AddrFrom16(p.address)
	}
	if p.agreed != 0 {
		row.Agreed = time.UnixMilli(p.agreed)
	}

	return row
}

func (r *Rows) packed(i int) packed { return r.chunks[i/chunkRows].list[i%chunkRows] }

// Position returns the line at which row i begins, and its number among the elements of a
// JSON array, counted from 1. The number is 0 for other formats.
func (r *Rows) Position(i int) (line, element int) {
	p := r.packed(i)
	if r.format == JSON {
		element = int(p.element)
	}

	return int(p.line), element
}

// Place returns the position of row i as text, to follow the word "line". The elements of a
// JSON array may all be on one line, so their number is included.
func (r *Rows) Place(i int) string {
	return place(r.format, int(r.packed(i).line), int(r.packed(i).element))
}

func place(format Format, line, element int) string {
	if format == JSON {
		return fmt.Sprintf("%d (element %d)", line, element)
	}
	return fmt.Sprint(line)
}

func (r *Rows) identity(i int) []byte {
	c, at := r.chunks[i/chunkRows], i%chunkRows

	var from int32
	if at > 0 {
		from = c.list[at-1].end
	}

	return c.identities[from:c.list[at].end]
}

func (r *Rows) add(d *draft, element int) {
	if r.count%chunkRows == 0 {
		r.chunks = append(r.chunks, &chunk{list: make([]packed, 0, chunkRows)})
	}
	c := r.chunks[len(r.chunks)-1]

	p := d.pack()
	c.identities = append(c.identities, d.identity...)
	p.end, p.element = int32(len(c.identities)), int32(element) //nolint:gosec // 1024 identities are short of 2 GiB, and a file is of two billion rows
	c.list = append(c.list, p)

	r.count++
	if d.agreed.IsZero() {
		r.Untimed++
	}
}

// pack returns the row without its place among the others.
func (d *draft) pack() packed {
	p := packed{line: int32(d.line)} //nolint:gosec // a file is of two billion lines

	for c, agreed := range d.clauses {
		if agreed {
			p.flags |= 1 << c
		}
	}
	if d.manual {
		p.flags |= flagManual
	}

	if d.address.IsValid() {
		p.flags |= flagAddress
		p.address = d.address.As16()
	}
	if !d.agreed.IsZero() {
		p.agreed = d.agreed.UnixMilli()
	}

	return p
}

// Read reads and checks all rows. The error is an *Error if rows or their form are wrong, and
// otherwise the reader's.
//
// It does not look at the clock, so that the same content always has the same result.
func Read(in io.Reader, format Format) (*Rows, error) { return read(in, format, Shard{}, true) }

// ReadShard reads and checks all rows, and returns those of a shard. Its errors are those of
// Read, and times of agreement that lie in the future.
func ReadShard(in io.Reader, format Format, shard Shard) (*Rows, error) {
	return read(in, format, shard, false)
}

func read(in io.Reader, format Format, shard Shard, anyTime bool) (*Rows, error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if err := skipBOM(buffered); err != nil {
		return nil, err
	}

	b := newBuilder(format, shard, anyTime)
	readAll := map[Format]func(io.Reader) error{CSV: b.readCSV, NDJSON: b.readNDJSON, JSON: b.readJSON}[format]
	if err := readAll(buffered); err != nil {
		return nil, err
	}

	if b.problems.Rows == 0 && b.kept.rows.count+b.others.rows.count == 0 {
		b.begin(1)
		b.problem("there are no rows; to manage nobody any more, take the object out of the configuration")
	}
	if b.problems.Rows > 0 {
		return nil, &b.problems
	}

	return b.kept.rows, nil
}

// skipBOM skips a byte order mark at the beginning of a file.
func skipBOM(in *bufio.Reader) error {
	begin, _ := in.Peek(len(bom)) // an error comes again with the first read
	if !bytes.Equal(begin, []byte(bom)) {
		return nil
	}

	_, err := in.Discard(len(bom))
	return err
}

// index finds rows by identity. It takes about ten bytes per row; a map would take more than
// the rows themselves.
type index struct {
	rows  *Rows
	seed  maphash.Seed
	slots []int32 // the number of a row, counted from 1, at or after its hash; 0 is free
}

func newIndex(rows *Rows) index {
	return index{rows: rows, seed: maphash.MakeSeed(), slots: make([]int32, 2*chunkRows)}
}

// find returns the row that has an identity.
func (x *index) find(identity string) (row int, found bool) {
	for at := x.slot(maphash.String(x.seed, identity)); x.slots[at] != 0; at = x.slot(at + 1) {
		if row := int(x.slots[at]) - 1; string(x.rows.identity(row)) == identity {
			return row, true
		}
	}
	return 0, false
}

// slot returns the slot of a hash. The number of slots is a power of two.
func (x *index) slot(hash uint64) uint64 {
	return hash & uint64(len(x.slots)-1) //nolint:gosec // a length is not negative
}

// enterLast adds the last row. Its identity must not be in the index.
func (x *index) enterLast() {
	if 4*x.rows.Len() > 3*len(x.slots) {
		x.slots = make([]int32, 2*len(x.slots))
		for row := range x.rows.Len() - 1 {
			x.enter(row)
		}
	}

	x.enter(x.rows.Len() - 1)
}

func (x *index) enter(row int) {
	at := x.slot(maphash.Bytes(x.seed, x.rows.identity(row)))
	for x.slots[at] != 0 {
		at = x.slot(at + 1)
	}

	x.slots[at] = int32(row) + 1 //nolint:gosec // rows are counted in int32
}
