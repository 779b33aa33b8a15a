// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// errMorePeople ends the export of a day that has more people than a list takes.
var errMorePeople = errors.New("the day has more people than a list takes")

// source holds the people of a list, each of them once.
type source struct {
	people []string
	known  map[string]bool
	isCut  bool // the day has more people than a list takes

	fields  []string // members of a Person record that hold the identity, in the order of preference
	persons int      // Person records
	unnamed int      // of them, those without a usable identity
	example string   // of those
}

// add adds a person, unless the person is known.
func (s *source) add(identity string) {
	if s.known[identity] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[identity] = true
	s.people = append(s.people, identity)
}

// readDay reads the people of a day, before anybody is looked up: an export that stays open
// keeps one of the client's slots while the requests about its people wait for one, and the
// service waits for its reader.
func (l *listing) readDay(ctx context.Context, m listModel) {
	day, ok := tfkit.StartedDay(m.UTCDate, l.Client.Today(), &l.diags)
	if !ok {
		return
	}
	if !day.Before(l.Client.Today()) {
		tfkit.Problem{
			Summary: "The day is not over",
			Detail:  tfkit.WhyNotOver + " No request was sent.",
			Do:      "list the people of a day that is over.",
			At:      tfkit.AtUTCDate,
		}.AddError(&l.diags)

		return
	}

	// The interface shows no field of such a record (section 2), so the names are our assumption.
	fields := []string{"identityId", "identity_id"}
	if !m.IdentityField.IsNull() {
		fields = []string{m.IdentityField.ValueString()}
	}
	query := client.ExportQuery{Day: day, Kinds: []records.Kind{records.Person}, Finished: true}
	_, err := l.Client.Export(ctx, l.scope, query, func(day client.Records) error {
		l.source = source{fields: fields} // in place of a reading that has failed
		return l.source.read(day)
	})
	if err != nil && !errors.Is(err, errMorePeople) {
		tfkit.ProblemOf(err, "").AddError(&l.diags)
		return
	}

	l.source.addProblem(&l.diags)
}

// read takes the people of a day.
func (s *source) read(day client.Records) error {
	for _, record := range day {
		s.persons++
		identity, ok := identityIn(record, s.fields)
		switch {
		case !ok:
			s.unnamed++
			s.example = cmp.Or(s.example, answer.Members(record, ""))
		case len(s.people) == limitDayPeople && !s.known[identity]:
			s.isCut = true
			return errMorePeople
		default:
			s.add(identity)
		}
	}

	return nil
}

// identityIn returns the identity in a record: the text of a string, or a whole number as
// it is written. It is that of the first field which holds one, if it can be used. One that is
// not in NFC is a person who is refused when looked up.
func identityIn(record jsontext.Value, fields []string) (identity string, ok bool) {
	members := jsonvalue.Members(record)
	for _, field := range fields {
		value := members[field]
		if value.Kind() == '"' {
			identity = cmp.Or(identity, jsonvalue.Text(value))
		} else if strings.Trim(string(value), "0123456789") == "" {
			identity = cmp.Or(identity, string(value))
		}
	}

	err := client.ValidateSegment(identity)

	return identity, err == nil || errors.Is(err, client.ErrNotNFC)
}

// addProblem reports records that were not taken for people.
func (s *source) addProblem(diags *diag.Diagnostics) {
	if s.unnamed == 0 {
		return
	}

	unnamed := tfkit.Problem{
		Summary: "Person records without an identity",
		Detail: fmt.Sprintf("%d of the %d Person records that were read are skipped, because they have no usable identity in ", s.unnamed, s.persons) +
			`"` + strings.Join(s.fields, `" or "`) + `".`,
		Do: "if another member holds the identity, set identity_field to its name.",
		At: path.Root("identity_field"),
	}
	if s.example != "" {
		unnamed.Detail += " The first one has none there" + s.example + "."
	}
	if s.unnamed == s.persons {
		unnamed.AddError(diags)
		return
	}

	unnamed.AddWarning(diags)
}
