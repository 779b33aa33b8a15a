// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// decoded is what the provider makes of an answer.
type decoded struct {
	text    string // that describes it; empty if it holds nothing. It may hold personal data, and is compared, never shown
	lacking int    // how many fields are missing from it that the provider needs; unread if it is not read

	consent  decode.Consent
	sent     *update // that the consent is; nil if it is not compared
	requests []decode.PendingRecord
}

const unread = math.MaxInt

// fits reports whether an answer is read as it was before, with as many fields at least.
func (d decoded) fits(before decoded) bool {
	return d.text == before.text && d.lacking <= before.lacking
}

// reader is a reading of the service by the provider's own client.
type reader func(context.Context, *client.Client) (decoded, error)

func readToken(ctx context.Context, c *client.Client) (decoded, error) {
	token, _, err := c.NewSessionToken(ctx)
	return decoded{text: token}, err
}

func readUser(ctx context.Context, c *client.Client) (decoded, error) {
	_, err := c.CurrentUser(ctx)
	return decoded{text: "user"}, err
}

// person is whom readings and requests are about.
type person struct {
	client.Person
	profile  map[string]jsontext.Value // its members that are managed, or were written
	updates  []update                  // of the consent, that were sent
	kept     choice.Keeping            // how the service shows them
	isListed bool                      // the list has shown the request for the data
}

// consent reads the consent record. Once updates were sent, it has to be one of those, and what it has otherwise than it
// was sent is lacking.
func (p person) consent(ctx context.Context, c *client.Client) (decoded, error) {
	record, err := c.GetConsent(ctx, p.Person)
	d := decoded{text: fmt.Sprint(choice.PrintOf(record)), consent: record}
	if transport.IsClass(err, transport.ClassNotFound) {
		d, err = decoded{}, nil
	}
	if err != nil || len(p.updates) == 0 {
		return d, err
	}

	i := slices.IndexFunc(p.updates, func(u update) bool { return record.HasClauses(u.Clauses) })
	if i < 0 {
		return d, errors.New("the record is not one that was written")
	}
	d.sent = &p.updates[i]
	d.lacking = len(p.kept.Differences(d.sent.Print(), choice.PrintOf(record)))

	return d, nil
}

// overwrite returns what sends an update whatever the service holds, and once more if it is lost and not shown.
func (p person) overwrite(u choice.Record) reader {
	isMissing := func(read choice.Reading) bool { return !read.Record.HasClauses(u.Clauses) }
	return func(ctx context.Context, c *client.Client) (decoded, error) {
		_, err := c.UpdateConsent(ctx, p.Person, client.ConsentWrite{Record: u, Blind: true, Judge: isMissing})
		return decoded{text: "written"}, err
	}
}

// readProfile reads the profile. A profile without what was written lacks something.
func (p person) readProfile(ctx context.Context, c *client.Client) (decoded, error) {
	profile, err := c.GetProfile(ctx, p.Person, p.profile)
	if transport.IsClass(err, transport.ClassNotFound) {
		return decoded{}, nil
	}

	d := decoded{text: jsonvalue.FormatObject(profile.Members)}
	if !profile.Holds(p.profile) {
		d.lacking = 1
	}

	return d, err
}

// proposeProfile proposes where the profile is, by the members of it that are known.
func (p person) proposeProfile(a infer.Answer) []infer.Settings {
	return infer.Profile(a, len(p.profile) > 0)
}

// nothing makes a reading want to see that there is nothing.
func nothing(of reader) reader {
	return func(ctx context.Context, c *client.Client) (decoded, error) {
		d, err := of(ctx, c)
		if d.text != "" && d.text != "{}" {
			err = cmp.Or(err, errors.New("the service shows something about a person of whom there is nothing"))
		}
		return decoded{}, err
	}
}

// submit returns what sends a request that the service queues. The text of the answer is its id.
func (p person) submit(requestType string) reader {
	return func(ctx context.Context, c *client.Client) (_ decoded, err error) {
		var receipt decode.Receipt
		switch requestType {
		case decode.RequestProfileUpdate:
			receipt, err = c.UpdateProfile(ctx, p.Person, p.profile)
		case decode.RequestDataAccess:
			receipt, err = c.FetchData(ctx, p.Person, decode.DataCall{Person: p.Identity}, io.Discard)
		case decode.RequestDataDeletion:
			receipt, err = c.DeleteData(ctx, p.Person)
		}

		return decoded{text: receipt.ID}, err
	}
}

// data asks for all data again: it sends another request, which the service queues. Before the list has shown
// the request, data count only where the settings say they are.
func (p person) data(ctx context.Context, c *client.Client) (decoded, error) {
	receipt, err := c.FetchData(ctx, p.Person, decode.DataCall{Person: p.Identity, Seen: p.isListed}, io.Discard)
	switch {
	case err != nil, receipt.Delivered:
		return decoded{text: "data"}, err
	case receipt.NotUnderstood != "":
		return decoded{}, errors.New("the answer is not a receipt, and the list has not shown the request")
	}
	return decoded{}, nil
}

// pendingOf is the list of pending requests of a scope.
type pendingOf client.Scope

// read reads each request with its ID, type, person and status. Without an ID, its time tells it from another one.
func (scope pendingOf) read(ctx context.Context, c *client.Client) (d decoded, _ error) {
	list, err := c.ListPending(ctx, client.Scope(scope))
	if list.Gap != "" {
		err = &transport.Error{Class: transport.ClassPayload, Detail: list.Gap}
	}

	var texts []string
	for _, r := range list.Records {
		fields := []string{r.ID, r.RequestType, r.Identity, ""}
		if r.Progress != decode.Unclear {
			fields[3] = decode.StatusMeanings[r.Progress]
		}
		if r.ID == "" && !r.CreatedAt.IsZero() {
			fields = fields[1:]
		}
		known := slices.DeleteFunc(fields, func(field string) bool { return field == "" })
		d.lacking += len(fields) - len(known)
		texts = append(texts, strings.Join(known, " "))
	}
	d.text, d.requests = strings.Join(texts, "; "), list.Records

	return d, err
}

// readDay reads the beginning of the export of a day, or that of each kind if a parameter selects the kind.
func readDay(project client.Scope, day time.Time) reader {
	return func(ctx context.Context, c *client.Client) (decoded, error) {
		var counts records.Counts
		_, err := c.Export(ctx, project, client.ExportQuery{Day: day, Kinds: records.Kinds}, func(all client.Records) error {
			counts = records.Counts{}
			for kind := range all {
				if counts[kind]++; counts[kind] == 100 {
					break
				}
			}
			return nil
		})
		if !transport.IsError(err) { // enough records were read
			err = nil
		}

		var parts []string
		for _, kind := range records.Kinds {
			if n := counts[kind]; n > 0 {
				parts = append(parts, fmt.Sprint(n, " ", kind.Plural()))
			}
		}

		return decoded{text: strings.Join(parts, ", ")}, err
	}
}
