// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
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
	seen   map[string]struct{}
}

// add adds a person at a place, unless the person is known.
func (s *source) add(identity string, place int) {
	if _, known := s.seen[identity]; known {
		return
	}
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}

	s.seen[identity] = struct{}{}
	s.people = append(s.people, candidate{identity, place})
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

// errEnoughPeople ends the export of a day that has more people than a list takes.
var errEnoughPeople = errors.New("the day has more people than a list takes")

// readDay reads the people of a day, before anybody is looked up: an export that stays open
// keeps one of the client's slots while the requests about its people wait for one, and the
// service waits for its reader.
func (l *listing) readDay(ctx context.Context, m listModel, diags *diag.Diagnostics) {
	day, ok := tfkit.StartedDay(m.UTCDate, l.client.Today(), diags)
	if !ok {
		return
	}
	if !day.Before(l.client.Today()) {
		tfkit.Problem{
			Summary: "The day is not over",
			Detail:  tfkit.WhyNotOver + " No request was sent.",
			Do:      "list the people of a day that is over.",
			At:      tfkit.AtUTCDate,
		}.AddError(diags)

		return
	}

	reader := &dayReader{fields: defaultIdentityFields}
	if !m.IdentityField.IsNull() {
		reader.fields = []string{m.IdentityField.ValueString()}
	}

	query := client.ExportQuery{Day: day, Kinds: []records.Kind{records.Person}, Finished: true}
	_, err := l.client.Export(ctx, l.scope, query, reader)
	if err != nil && !errors.Is(err, errEnoughPeople) {
		tfkit.AddError(diags, err, "")
		return
	}

	reader.report(diags)
	l.source = reader.source
	l.placed = "Person record %d of the day"
}

// Restart forgets every record.
func (d *dayReader) Restart() error {
	*d = dayReader{fields: d.fields}
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
		d.example = cmp.Or(d.example, answer.Members(record, ""))

		return nil
	}

	d.add(identity, d.persons)
	if len(d.people) > limitDayPeople { // one more shows that there are more
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
			if string(name) != field {
				continue
			}
			if value.Kind() == '"' {
				identities[i] = jsonvalue.Text(value)
			} else if strings.Trim(string(value), "0123456789") == "" {
				identities[i] = string(value)
			}
		}
	}

	identity = cmp.Or(identities...)
	err := client.ValidateSegment(identity)

	return identity, err == nil || errors.Is(err, client.ErrNotNFC)
}

// report reports records that were not taken for people.
func (d *dayReader) report(diags *diag.Diagnostics) {
	if d.unknown > 0 {
		tfkit.Problem{
			Summary: "Records of an unknown kind",
			Detail:  "The records that were read include " + strconv.Itoa(d.unknown) + " that do not state their kind, so they were not taken for people.",
			Do:      "nothing, or set wire.export_kind_parameter in the provider block if your service selects the kind by a parameter.",
		}.AddWarning(diags)
	}
	if d.unnamed == 0 {
		return
	}

	unnamed := tfkit.Problem{
		Summary: "Person records without an identity",
		Detail: fmt.Sprintf("%d of the %d Person records that were read are skipped, because they have no usable identity in ", d.unnamed, d.persons) +
			`"` + strings.Join(d.fields, `" or "`) + `".`,
		Do: "if another member holds the identity, set identity_field to its name.",
	}
	if d.example != "" {
		unnamed.Detail += " The first one has none there" + d.example + "."
	}
	if d.unnamed < d.persons {
		unnamed.AddWarning(diags)
		return
	}

	unnamed.Summary = "No Person record holds an identity"
	unnamed.Do = "set identity_field to the member that holds the identity."
	unnamed.At = path.Root("identity_field")
	unnamed.AddError(diags)
}
