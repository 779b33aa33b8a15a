package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// record is a person's consent or profile, as the service has it.
type record map[string]any

// question asks the service about a person, and puts the answer into words.
type question struct {
	person   string
	about    string
	describe func(record) string
}

func consentOf(person string) question { return question{person, "consent", describeConsent} }
func profileOf(person string) question { return question{person, "profile", describeProfile} }

// holds shows what the service holds of a person, which has to be in these words.
func holds(q question, want string) action {
	return func(ctx context.Context, d *demo) error {
		held, err := ask(ctx, d.service, q)
		if err != nil {
			return err
		}

		got := q.describe(held)
		d.screen.say("%-18s %s", q.person, got)
		if got != want {
			return fmt.Errorf("the service should answer that %s %s", q.person, want)
		}

		return nil
	}
}

// change changes fields of a person's consent without Terraform.
func change(person string, fields record) action {
	return func(ctx context.Context, d *demo) error {
		held, err := ask(ctx, d.service, consentOf(person))
		if err != nil {
			return err
		}

		maps.Copy(held, fields)
		body, err := json.Marshal(held)
		if err != nil {
			return err
		}

		answer, err := d.service.PatchConsent(ctx, person, body)
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("the service answered with status %d", answer.Status)
		}

		return err
	}
}

// ask returns what the service holds; nil where it holds nothing.
func ask(ctx context.Context, service *stage.Service, q question) (record, error) {
	answer, err := service.Get(ctx, q.person, q.about)
	if err != nil || answer.Status == http.StatusNotFound {
		return nil, err
	}
	if answer.Status != http.StatusOK {
		return nil, fmt.Errorf("asked for the %s of %s, the service answered with status %d", q.about, q.person, answer.Status)
	}

	var held record

	return held, json.Unmarshal(answer.Body, &held)
}

// describeConsent names the clauses agreed to, such as "agrees to clauses 1 and 2".
func describeConsent(held record) string {
	var agreed []string
	for _, clause := range []string{"1", "2", "3", "4", "5"} {
		if held["clause_"+clause+"_consent"] == true {
			agreed = append(agreed, clause)
		}
	}

	switch len(agreed) {
	case 0:
		return "agrees to nothing"
	case 1:
		return "agrees to clause " + agreed[0]
	}

	last := len(agreed) - 1

	return "agrees to clauses " + strings.Join(agreed[:last], ", ") + " and " + agreed[last]
}

// describeProfile names the members in the order of their names, such as
// `newsletter: false, plan: "gold"`.
func describeProfile(held record) string {
	if held == nil {
		return "has no profile any more"
	}

	var members []string
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if text, ok := held[name].(string); ok {
			members = append(members, fmt.Sprintf("%s: %q", name, text))
		} else {
			members = append(members, fmt.Sprintf("%s: %v", name, held[name]))
		}
	}

	return strings.Join(members, ", ")
}

// purpose is what a request was for, in words that a reader knows.
type purpose string

const (
	logins       purpose = "login"
	reads        purpose = "read"
	writes       purpose = "write"
	dataRequests purpose = "data request"
	deletions    purpose = "deletion"
	looks        purpose = "look at the queue"
	exports      purpose = "export"
	others       purpose = "other"
)

// allPurposes are in the order in which requests are counted.
var allPurposes = []purpose{logins, reads, writes, dataRequests, deletions, looks, exports, others}

// purposes are those of the operations in the log; every other one is in others.
var purposes = map[string]purpose{
	"login":               logins,
	"getConsent":          reads,
	"getProfile":          reads,
	"updateConsent":       writes,
	"updateProfile":       writes,
	"getAllData":          dataRequests,
	"deleteAllData":       deletions,
	"listPendingRequests": looks,
	"exportRecords":       exports,
}

// count describes requests, such as "4 requests (1 login, 3 writes)".
func count(entries []stage.Entry) string {
	if len(entries) == 0 {
		return "no request"
	}

	var parts []string
	for _, p := range allPurposes {
		if n := len(withPurpose(entries, p)); n > 0 {
			parts = append(parts, plural(n, string(p)))
		}
	}

	return fmt.Sprintf("%s (%s)", plural(len(entries), "request"), strings.Join(parts, ", "))
}

func withPurpose(entries []stage.Entry, want purpose) []stage.Entry {
	var found []stage.Entry
	for _, e := range entries {
		got, known := purposes[e.Operation]
		if got == want || !known && want == others {
			found = append(found, e)
		}
	}
	return found
}

// plural counts a noun; of several words the first one is the noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if first, rest, ok := strings.Cut(noun, " at "); ok {
		return fmt.Sprintf("%d %ss at %s", n, first, rest)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
