package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// What a request was for, in words that a reader knows.
const (
	kindLogin    = "login"
	kindRead     = "read"
	kindWrite    = "write"
	kindAccess   = "data request"
	kindDeletion = "deletion"
	kindPoll     = "look at the queue"
	kindExport   = "export"
	kindOther    = "other"
)

// kinds is the order in which requests are told.
var kinds = []string{kindLogin, kindRead, kindWrite, kindAccess, kindDeletion, kindPoll, kindExport, kindOther}

// kindOf names what a request was for.
func kindOf(e stage.Entry) string {
	switch e.Operation {
	case "login":
		return kindLogin
	case "getConsent", "getProfile":
		return kindRead
	case "updateConsent", "updateProfile":
		return kindWrite
	case "getAllData":
		return kindAccess
	case "deleteAllData":
		return kindDeletion
	case "listPendingRequests":
		return kindPoll
	case "exportRecords":
		return kindExport
	}
	return kindOther
}

// count tells how many requests of which kind there were, such as
// "4 requests (1 login, 3 writes)".
func count(entries []stage.Entry) string {
	if len(entries) == 0 {
		return "no request"
	}
	var parts []string
	for _, kind := range kinds {
		if n := len(ofKind(entries, kind)); n > 0 {
			parts = append(parts, plural(n, kind))
		}
	}
	return fmt.Sprintf("%s (%s)", plural(len(entries), "request"), strings.Join(parts, ", "))
}

func ofKind(entries []stage.Entry, kind string) []stage.Entry {
	var found []stage.Entry
	for _, e := range entries {
		if kindOf(e) == kind {
			found = append(found, e)
		}
	}
	return found
}

// accepted counts those that the service has taken into its queue.
func accepted(entries []stage.Entry) int {
	n := 0
	for _, e := range entries {
		if e.Status == http.StatusAccepted {
			n++
		}
	}
	return n
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

// writes counts the requests that changed something.
func writes(entries []stage.Entry) int {
	return len(ofKind(entries, kindWrite)) + len(ofKind(entries, kindDeletion))
}
