package client

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says what sort of failure an Error is. Callers decide by kind, never by
// the text of a message.
type Kind int

// The kinds of failure. NotFound is a 404 or 410 that the service itself gave,
// proven by a JSON object; EndpointNotFound is any other 404, which says nothing
// about the object asked for. NotReady is an answer that puts off the data.
const (
	KindInternal Kind = iota
	KindInvalid
	KindReadOnly
	KindCancelled
	KindUnreachable
	KindTimeout
	KindConnectionLost
	KindTLS
	KindProxyAuth
	KindRedirect
	KindLoginAnswer
	KindAuthentication
	KindForbidden
	KindNotFound
	KindEndpointNotFound
	KindRejected
	KindConflict
	KindRateLimited
	KindServer
	KindNotJSON
	KindEmpty
	KindTruncated
	KindTooLarge
	KindPayload
	KindUnknownOutcome
	KindNotReady
	KindRequestTooLarge
)

var kindTitles = map[Kind]string{
	KindInternal:         "Internal error",
	KindInvalid:          "Invalid request",
	KindReadOnly:         "The provider is read-only",
	KindCancelled:        "Cancelled",
	KindUnreachable:      "Cannot reach the service",
	KindTimeout:          "The service did not answer in time",
	KindConnectionLost:   "Connection lost",
	KindTLS:              "TLS verification failed",
	KindProxyAuth:        "Proxy authentication required",
	KindRedirect:         "Unexpected redirect",
	KindLoginAnswer:      "Unexpected login answer",
	KindAuthentication:   "Authentication rejected",
	KindForbidden:        "Not permitted",
	KindNotFound:         "Not found",
	KindEndpointNotFound: "Endpoint not found, check base_url",
	KindRejected:         "The service rejected the request",
	KindConflict:         "Changed elsewhere",
	KindRateLimited:      "Rate limited",
	KindServer:           "The service failed",
	KindNotJSON:          "Not JSON",
	KindEmpty:            "Empty response",
	KindTruncated:        "Truncated response",
	KindTooLarge:         "Response too large",
	KindPayload:          "Unexpected response",
	KindUnknownOutcome:   "Outcome unknown",
	KindNotReady:         "Not ready yet",
	KindRequestTooLarge:  "Request too large",
}

// FieldError is what the service said about one field of a request.
type FieldError struct {
	Field   string
	Message string
}

// Error is every failure of an operation. None of its fields ever holds a URL, a
// query, a header, a credential or a person: what the service says is redacted,
// escaped and cut before it gets here.
type Error struct {
	Kind      Kind
	Operation string // name of the operation, such as "Update consent" (section 4)
	Method    string
	Template  string // path template, such as /v1/org/{orgId}/…
	Status    int    // HTTP status; 0 where there was no answer
	Code      string // the service's own code
	Message   string // the service's own message
	Fields    []FieldError
	Attempts  int
	// RetryAfter is what the service last asked to wait; zero where it did not.
	RetryAfter time.Duration
	// Detail says in our words what was seen.
	Detail string
	// Hint is a sentence on what to do besides the advice that fits the kind; mostly empty.
	Hint string
	// Attribute is the attribute whose value the failure is about; empty where it is
	// about none or not known.
	Attribute string
	// Ambiguous: the service may have carried the request out all the same.
	Ambiguous bool
	// NotProcessed reports that the service did not carry the request out, because
	// nothing of it was sent or because HTTP/2 proves it. It can be sent again, even
	// where each arrival would queue another request.
	NotProcessed bool
	// Queued: each request of the operation that arrives is another one in the
	// service's queue, so that repeating it may do harm.
	Queued bool

	midway bool // the answer had begun when it broke off

	cause error // a context's error, or another *Error; never a raw network error
}

// Title is a short headline for the failure.
func (e *Error) Title() string {
	title := kindTitles[e.Kind]
	if e.Kind == KindNotJSON && e.Code != "" {
		return title + " (" + e.Code + ")"
	}
	return title
}

// Error is one line, safe to print and to log.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Title())
	if e.Operation != "" {
		fmt.Fprintf(&b, ": %s (%s %s)", e.Operation, e.Method, e.Template)
	}
	if e.Status != 0 {
		b.WriteString(": HTTP " + strconv.Itoa(e.Status))
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Message != "" {
		b.WriteString(": the service says " + strconv.Quote(e.Message))
	}
	return b.String()
}

// Unwrap gives the context's error where the call was cancelled.
func (e *Error) Unwrap() error { return e.cause }

// IsError reports whether err is a failure of an operation, and not of its caller.
func IsError(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

// IsKind reports whether err is a client error of one of the kinds.
func IsKind(err error, kinds ...Kind) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return slices.Contains(kinds, e.Kind)
}

// UnknownOutcome returns the error of a request whose answer was lost, and of which a
// look at the service does not show either whether it was carried out. look is the
// error of that look; nil where it showed nothing.
func UnknownOutcome(lost *Error, look error) *Error { return lost.unknownOutcome(look) }

// MayPass reports failures that a later try may not meet.
func MayPass(err error) bool {
	return IsKind(err, KindUnreachable, KindConnectionLost, KindTimeout, KindServer, KindRateLimited, KindTruncated, KindNotJSON, KindEmpty)
}
