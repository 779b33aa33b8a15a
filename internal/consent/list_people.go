package consent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// candidate is a person of the source of a list, who may have a consent record.
type candidate struct {
	identity string
	position int // in the source, from 1; what messages call the person
}

// seenPeople remembers people by a hash of their identities, 16 bytes for each.
type seenPeople map[[16]byte]struct{}

// add remembers a person, and reports whether the person is new.
func (s seenPeople) add(identity string) (isNew bool) {
	hash := hashOf(identity)
	if _, known := s[hash]; known {
		return false
	}

	s[hash] = struct{}{}
	return true
}

func (s seenPeople) remove(identity string) { delete(s, hashOf(identity)) }

func hashOf(identity string) [16]byte {
	sum := sha256.Sum256([]byte(identity))
	return [16]byte(sum[:16])
}

// source is where the people of a list come from.
type source interface {
	// all yields each person once. limit is how many people are wanted, 0 for all of them.
	// It ends early if the source cannot be read.
	all(ctx context.Context, limit int64) iter.Seq[candidate]
	// place returns what messages call the person at a position.
	place(position int) string
	// report reports what is wrong with the source, as far as it was read.
	report(diags *diag.Diagnostics)
}

// identityList is a configured list of identities.
type identityList []string

func (l identityList) all(context.Context, int64) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		seen := seenPeople{}
		for i, identity := range l {
			if seen.add(identity) && !yield(candidate{identity, i + 1}) {
				return
			}
		}
	}
}

func (identityList) place(position int) string {
	return "identity_ids[" + strconv.Itoa(position-1) + "]"
}

func (identityList) report(*diag.Diagnostics) {}

// Sizes of the blocks in which people are taken from an export.
const (
	smallestBlock = 1_000
	largestBlock  = 100_000
)

// dayPeople takes people from the Person records of a day, in blocks. No export is under
// way between two blocks: it would keep one of the client's slots while the requests about
// its people wait for one, and the service would wait for its reader. So each block reads
// the day from its beginning, and is twice as large as the one before.
type dayPeople struct {
	client *client.Client
	scope  client.Scope
	day    time.Time
	fields []string // members that hold the identity, in the order of preference

	tally dayTally
	err   error // why the day could not be read; nil after a day that was read
}

// dayTally is what the last reading of a day has shown.
type dayTally struct {
	persons int // Person records
	unnamed int // of them, those without a usable identity
	example string
	unknown int // records that do not state their kind
}

func (d *dayPeople) all(ctx context.Context, limit int64) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		seen := seenPeople{}
		for size := firstBlock(limit); ; size = min(2*size, largestBlock) {
			reader := &blockReader{fields: d.fields, size: size, seen: seen}
			isLast := d.read(ctx, reader)
			if d.err != nil {
				return
			}

			for _, person := range reader.people {
				if !yield(person) {
					return
				}
			}

			if isLast {
				return
			}
		}
	}
}

func (*dayPeople) place(position int) string {
	return "Person record " + strconv.Itoa(position) + " of the day"
}

// firstBlock returns the size of the first block. It has room for people without a consent
// record among those who are wanted.
func firstBlock(limit int64) int {
	if limit <= 0 || limit > largestBlock/2 {
		return largestBlock
	}
	return max(smallestBlock, 2*int(limit))
}

// read reads the day until the block is full, and reports whether the day has ended.
func (d *dayPeople) read(ctx context.Context, into *blockReader) (ended bool) {
	query := client.ExportQuery{Day: d.day, Kinds: []records.Kind{records.Person}, Finished: true}
	_, err := d.client.Export(ctx, d.scope, query, into)
	d.tally = into.tally

	if errors.Is(err, errBlockFull) {
		return false
	}

	d.err = err

	return true
}

// errBlockFull ends an export as soon as a block has enough people.
var errBlockFull = errors.New("the block is full")

// blockReader takes people from the records of an export until it has enough of them.
type blockReader struct {
	fields []string
	size   int        // largest number of people
	seen   seenPeople // people of the blocks before, and of this one

	people []candidate
	tally  dayTally
}

// Restart forgets every record.
func (b *blockReader) Restart() error {
	for _, person := range b.people {
		b.seen.remove(person.identity)
	}

	b.people, b.tally = nil, dayTally{}
	return nil
}

// Record takes the person of one record.
func (b *blockReader) Record(kind records.Kind, record jsontext.Value) error {
	if kind != records.Person {
		b.tally.unknown++
		return nil
	}

	b.tally.persons++
	identity, ok := identityIn(record, b.fields)
	if !ok {
		b.skip(record)
		return nil
	}

	if !b.seen.add(identity) {
		return nil
	}
	if len(b.people) == b.size {
		b.seen.remove(identity)
		return errBlockFull
	}

	b.people = append(b.people, candidate{identity, b.tally.persons})

	return nil
}

// skip counts a record without a usable identity.
func (b *blockReader) skip(record jsontext.Value) {
	b.tally.unnamed++
	if b.tally.example == "" {
		b.tally.example = answers.Members(record)
	}
}

// identityIn returns the identity in a record: the text of a string, or a whole number as
// it is written. It is that of the first field which holds one, if it can be used. One that is
// not in NFC is a person who is refused when looked up.
func identityIn(record jsontext.Value, fields []string) (identity string, ok bool) {
	identities := make([]string, len(fields))
	for name, value := range jsonvalue.EachMember(record) {
		for i, field := range fields {
			if string(name) == field {
				identities[i] = identityText(value)
			}
		}
	}

	identity = cmp.Or(identities...)
	err := client.ValidateSegment(identity)

	return identity, err == nil || errors.Is(err, client.ErrNotNFC)
}

func identityText(value jsontext.Value) string {
	if value.Kind() == '"' {
		return jsonvalue.Text(value)
	}

	for _, c := range value {
		if c < '0' || c > '9' {
			return ""
		}
	}

	return string(value)
}
