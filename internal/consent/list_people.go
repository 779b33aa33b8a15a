// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// limitDayPeople is the largest number of people that a list takes from a day.
const limitDayPeople = 100_000

// candidate is a person of the source of a list, who may have a consent record.
type candidate struct {
	identity string
	place    int // in the source
}

// source holds the people of a list, each of them once.
type source struct {
	people []candidate
	placed string // describes a place for messages, which never name a person
	isCut  bool   // the source has more people, and the others were not read
	seen   map[string]struct{}
}

func newSource(placed string) source { return source{placed: placed, seen: map[string]struct{}{}} }

// add adds a person at the next place, and reports whether the person is new.
func (s *source) add(identity string, place int) (isNew bool) {
	if _, known := s.seen[identity]; known {
		return false
	}

	s.seen[identity] = struct{}{}
	s.people = append(s.people, candidate{identity, place})

	return true
}

// dayReader takes people from the Person records of a day.
type dayReader struct {
	source

	fields []string // members that hold the identity, in the order of preference

	persons int // Person records
	unnamed int // of them, those without a usable identity
	example string
	unknown int // records that do not state their kind
}

// dayPlace describes the place of a person in a day.
const dayPlace = "Person record %d of the day"

// errEnoughPeople ends the export of a day that has more people than a list takes.
var errEnoughPeople = errors.New("the day has more people than a list takes")

// read reads the people of a day. It reads the whole day before anybody is looked up: an
// export that stays open keeps one of the client's slots while the requests about its people
// wait for one, and the service waits for its reader.
func (d *dayReader) read(ctx context.Context, c *client.Client, scope client.Scope, day time.Time) error {
	query := client.ExportQuery{Day: day, Kinds: []records.Kind{records.Person}, Finished: true}
	_, err := c.Export(ctx, scope, query, d)
	if errors.Is(err, errEnoughPeople) {
		return nil
	}

	return err
}

// Restart forgets every record.
func (d *dayReader) Restart() error {
	*d = dayReader{source: newSource(dayPlace), fields: d.fields}
	return nil
}

// Record takes the person of one record.
func (d *dayReader) Record(kind records.Kind, record jsontext.Value) error {
	if kind != records.Person {
		d.unknown++
		return nil
	}

	d.persons++
	identity, ok := identityIn(record, d.fields)
	if !ok {
		d.unnamed++
		d.example = cmp.Or(d.example, answers.Members(record, ""))

		return nil
	}

	if d.add(identity, d.persons) && len(d.people) > limitDayPeople {
		d.people, d.isCut = d.people[:limitDayPeople], true
		return errEnoughPeople
	}

	return nil
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
