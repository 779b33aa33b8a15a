// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// seen is what the provider makes of an answer.
type seen struct {
	// text describes it. It may hold personal data, and is compared, never shown.
	text string
	// lacking is how many fields are missing from it that the provider needs.
	lacking int
	held    answer.Consent // of a consent record
}

// What an answer is that holds nothing: of a person, or of a list and a day.
const (
	none  = "none"
	empty = "empty"
)

func (s seen) isNothing() bool { return s.text == none || s.text == empty }

func (s seen) isSame(other seen) bool { return s.text == other.text && s.lacking == other.lacking }

// reader is a reading of the service by the provider's own client.
type reader func(context.Context, *client.Client) (seen, error)

// readToken logs in.
func readToken(ctx context.Context, c *client.Client) (seen, error) {
	token, _, err := c.NewSessionToken(ctx)
	return seen{text: token}, err
}

// readUser reads the current user.
func readUser(ctx context.Context, c *client.Client) (seen, error) {
	_, err := c.CurrentUser(ctx)
	return seen{text: "user"}, err
}

// readConsent reads a consent record.
func readConsent(p client.Person) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		held, err := c.GetConsent(ctx, p)
		if transport.IsClass(err, transport.ClassNotFound) {
			return seen{text: none}, nil
		}
		return seen{text: consentText(held), held: held}, err
	}
}

// readWritten reads a consent record that has to be one of those that were written. What it has otherwise
// than it was sent is lacking.
func readWritten(p client.Person, written ...sentUpdate) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		s, err := readConsent(p)(ctx, c)
		if err != nil {
			return s, err
		}

		sent := sentAs(s.held, written)
		if sent == nil {
			return s, reason("the record is not one that was written")
		}
		s.lacking = len(choice.Keeping{}.Differences(sent.ConsentUpdate, s.held))

		return s, nil
	}
}

// consentText returns a record as its clauses, its time, its address and how it was obtained.
func consentText(held answer.Consent) string {
	clauses := make([]byte, 0, answer.Clauses)
	for _, clause := range held.Clauses {
		digit := byte('?')
		if agreed, isKnown := clause.Get(); isKnown {
			digit = map[bool]byte{true: '1', false: '0'}[agreed]
		}
		clauses = append(clauses, digit)
	}

	text := string(clauses) + " without a time"
	if at, isTimed := held.AgreementTime.Get(); isTimed {
		text = string(clauses) + " " + at.UTC().Format(time.RFC3339Nano)
	}
	if address, ok := held.UserIPv6.Get(); ok {
		text += " " + address
	}
	if manual, ok := held.Manual.Get(); ok {
		text += map[bool]string{true: " manual", false: " by banner"}[manual]
	}

	return text
}

// readProfile reads a profile of which these members are managed.
func readProfile(p client.Person, managed map[string]jsontext.Value) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		profile, err := c.GetProfile(ctx, p, managed)
		if transport.IsClass(err, transport.ClassNotFound) {
			return seen{text: none}, nil
		}
		return seen{text: jsonvalue.FormatObject(profile.Members)}, err
	}
}

// readHolding reads a profile that has to hold these members.
func readHolding(p client.Person, members map[string]jsontext.Value) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		profile, err := c.GetProfile(ctx, p, members)
		if err == nil && !profile.Holds(members) {
			err = reason("the profile does not hold what was written")
		}
		return seen{text: jsonvalue.FormatObject(profile.Members)}, err
	}
}

// readNone returns a reader that wants to read that there is nothing.
func readNone(read reader) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		s, err := read(ctx, c)
		if err == nil && s.text != none && s.text != "{}" {
			return s, reason("the service shows something about a person who does not exist")
		}
		return seen{text: none}, err
	}
}

// readData asks for all data of a person: it sends another request that the service queues.
func readData(p client.Person) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		receipt, err := c.FetchData(ctx, p, answer.DataCall{Person: p.Identity, Seen: true}, io.Discard)
		if err == nil && !receipt.Delivered {
			return seen{text: strings.TrimSpace("accepted " + receipt.ID)}, nil
		}
		return seen{text: "data"}, err
	}
}

// readPending reads the list of pending requests.
func readPending(scope client.Scope) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		list, err := c.ListPending(ctx, scope)
		if err != nil {
			return seen{}, err
		}

		s := seen{text: empty}
		var texts []string
		for _, r := range list.Records {
			text, lacking := requestText(r)
			texts = append(texts, text)
			s.lacking += lacking
		}
		if len(texts) > 0 {
			s.text = strings.Join(texts, "; ")
		}
		if list.Gap != "" {
			return s, &transport.Error{Class: transport.ClassPayload, Detail: list.Gap}
		}

		return s, nil
	}
}

// requestText returns a record of the list, and how many of its fields are not recognised.
func requestText(r answer.PendingRecord) (text string, lacking int) {
	var words []string
	for _, field := range []struct {
		value  answer.Optional[string]
		needed bool
	}{{r.ID, false}, {r.RequestType, true}, {r.Identity, true}} {
		word, isKnown := field.value.Get()
		if !isKnown && field.needed {
			lacking++
		}
		if !isKnown {
			word = "?"
		}
		words = append(words, word)
	}

	progress := map[answer.Progress]string{answer.Waiting: "waiting", answer.Done: "done", answer.Failed: "failed", answer.Unclear: "?"}[r.Progress]
	if progress == "?" {
		lacking++
	}

	return strings.Join(append(words, progress), " "), lacking
}

// sampleRecords is how many records of each answer are read at most.
const sampleRecords = 100

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// readDay reads the beginning of a day. With a parameter that selects a kind, it reads the beginning
// of each kind.
func readDay(scope client.Scope, day time.Time) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		var counts records.Counts
		_, err := c.Export(ctx, client.Scope{OrgID: scope.OrgID, ProjectID: scope.ProjectID}, client.ExportQuery{Day: day}, func(all client.Records) error {
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

		return seen{text: countsText(counts), lacking: int(counts[records.Unknown])}, err
	}
}

func countsText(counts records.Counts) string {
	var parts []string
	for _, kind := range append(records.Kinds, records.Unknown) {
		switch n := counts[kind]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+kind.String())
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, kind.Plural()))
		}
	}
	if len(parts) == 0 {
		return empty
	}

	return list(parts)
}
