package main

import (
	"fmt"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

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
