// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// decoded is what the provider makes of an answer.
type decoded struct {
	// text describes it. It may hold personal data, and is compared, never shown.
	text string
	// lacking is how many fields are missing from it that the provider needs.
	lacking int

	consent  decode.Consent
	requests []decode.PendingRecord
}

// What an answer is that holds nothing: of a person, or of a list and a day.
const (
	none  = "none"
	empty = "empty"
)

func (d decoded) isEmpty() bool { return d.text == none || d.text == empty }

func (d decoded) isSame(other decoded) bool {
	return d.text == other.text && d.lacking == other.lacking
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
	profile map[string]jsontext.Value // its members that are managed, or were written
	updates []sentUpdate              // of the consent

	isListed bool // the list has shown the request for the data
}

// consent reads the consent record. Once updates were sent, it has to be one of those, and what it has otherwise than it
// was sent is lacking.
func (p person) consent(ctx context.Context, c *client.Client) (decoded, error) {
	record, err := c.GetConsent(ctx, p.Person)
	d := decoded{text: fmt.Sprint(choice.PrintOf(record)), consent: record}
	if transport.IsClass(err, transport.ClassNotFound) {
		d.text, err = none, nil
	}
	if err != nil || len(p.updates) == 0 {
		return d, err
	}

	sent := p.sentAs(record)
	if sent == nil {
		return d, reason("the record is not one that was written")
	}
	d.lacking = len(choice.Keeping{}.Differences(sent.Print(), choice.PrintOf(record)))

	return d, nil
}

// readProfile reads the profile. A profile without what was written lacks something.
func (p person) readProfile(ctx context.Context, c *client.Client) (decoded, error) {
	profile, err := c.GetProfile(ctx, p.Person, p.profile)
	if transport.IsClass(err, transport.ClassNotFound) {
		return decoded{text: none}, nil
	}

	d := decoded{text: jsonvalue.FormatObject(profile.Members)}
	if !profile.Holds(p.profile) {
		d.lacking = 1
	}

	return d, err
}

// nothing is a reading that wants to see that there is nothing.
type nothing struct{ of reader }

func (n nothing) read(ctx context.Context, c *client.Client) (decoded, error) {
	s, err := n.of(ctx, c)
	if err == nil && s.text != none && s.text != "{}" {
		return s, reason("the service shows something about a person who does not exist")
	}
	return decoded{text: none}, err
}

// data asks for all data again: it sends another request that the service queues. Data that come before the
// list has shown the request are read only where the settings say where they are.
func (p person) data(ctx context.Context, c *client.Client) (decoded, error) {
	receipt, err := c.FetchData(ctx, p.Person, decode.DataCall{Person: p.Identity, Seen: p.isListed}, io.Discard)
	switch {
	case err != nil, receipt.Delivered:
		return decoded{text: "data"}, err
	case receipt.NotUnderstood != "":
		return decoded{}, reason("the answer is no receipt, and the list has not shown the request")
	}
	return decoded{text: strings.TrimSpace("accepted " + receipt.ID)}, nil
}

// updateProfile, askForData and deleteData send a request that the service queues. The text of the answer
// is its id.
func (p person) updateProfile(ctx context.Context, c *client.Client) (decoded, error) {
	receipt, err := c.UpdateProfile(ctx, p.Person, p.profile)
	return decoded{text: receipt.ID}, err
}

func (p person) askForData(ctx context.Context, c *client.Client) (decoded, error) {
	receipt, err := c.FetchData(ctx, p.Person, decode.DataCall{Person: p.Identity}, io.Discard)
	return decoded{text: receipt.ID}, err
}

func (p person) deleteData(ctx context.Context, c *client.Client) (decoded, error) {
	receipt, err := c.DeleteData(ctx, p.Person)
	return decoded{text: receipt.ID}, err
}

// pendingOf is the list of the pending requests of a scope.
type pendingOf client.Scope

var progressWords = map[decode.Progress]string{
	decode.Waiting: decode.StatusWaiting, decode.Done: decode.StatusDone, decode.Failed: decode.StatusFailed, decode.Ended: decode.StatusEnded,
}

// read reads each request with its ID, type, person and status. Without an ID or a time, nothing tells it from
// another one.
func (p pendingOf) read(ctx context.Context, c *client.Client) (d decoded, _ error) {
	list, err := c.ListPending(ctx, client.Scope(p))
	if err == nil && list.Gap != "" {
		err = &transport.Error{Class: transport.ClassPayload, Detail: list.Gap}
	}

	var texts []string
	for _, r := range list.Records {
		words := []string{r.ID, r.RequestType, r.Identity, progressWords[r.Progress]}
		if !r.CreatedAt.IsZero() {
			words[0] = cmp.Or(r.ID, "?")
		}
		for i, word := range words {
			if word == "" {
				words[i], d.lacking = "?", d.lacking+1
			}
		}
		texts = append(texts, strings.Join(words, " "))
	}
	d.text, d.requests = cmp.Or(strings.Join(texts, "; "), empty), list.Records

	return d, err
}

// sampleRecords is how many records of each answer are read at most.
const sampleRecords = 100

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// exportOf is the export of a project on a day.
type exportOf struct {
	project client.Scope
	day     time.Time
}

// read reads the beginning of the day. With a parameter that selects a kind, it reads the beginning
// of each kind.
func (e exportOf) read(ctx context.Context, c *client.Client) (decoded, error) {
	var counts records.Counts
	_, err := c.Export(ctx, e.project, client.ExportQuery{Day: e.day, Kinds: records.Kinds}, func(all client.Records) error {
		counts = records.Counts{}
		for kind := range all {
			if counts[kind]++; counts[kind] == sampleRecords {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}

	var parts []string
	for _, kind := range append(records.Kinds, records.Unknown) {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", kind.Plural()))
		}
	}

	return decoded{text: cmp.Or(list(parts), empty), lacking: int(counts[records.Unknown])}, err
}
