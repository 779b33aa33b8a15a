// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ErrorClass is the class of a failure, written as its headline. Callers decide by class, and
// never by the text of a message.
type ErrorClass string

// The classes of failure. ClassNotFound says that there is nothing; any other 404 or 410 is ClassEndpointNotFound, and
// proves nothing. ClassNotReady puts the data off.
const (
	ClassInternal         ErrorClass = "Internal error"
	ClassInvalid          ErrorClass = "Invalid request"
	ClassReadOnly         ErrorClass = "The provider is read-only"
	ClassCancelled        ErrorClass = "Cancelled"
	ClassUnreachable      ErrorClass = "Cannot reach the service"
	ClassTimeout          ErrorClass = "The service did not answer in time"
	ClassConnectionLost   ErrorClass = "Connection lost"
	ClassTLS              ErrorClass = "TLS verification failed"
	ClassProxyAuth        ErrorClass = "Proxy authentication required"
	ClassRedirect         ErrorClass = "Unexpected redirect"
	ClassLoginAnswer      ErrorClass = "Unexpected login answer"
	ClassAuthentication   ErrorClass = "Authentication rejected"
	ClassForbidden        ErrorClass = "Not permitted"
	ClassNotFound         ErrorClass = "Not found"
	ClassEndpointNotFound ErrorClass = "Endpoint not found, check base_url"
	ClassRejected         ErrorClass = "The service rejected the request"
	ClassConflict         ErrorClass = "Changed elsewhere"
	ClassRateLimited      ErrorClass = "Rate limited"
	ClassTooEarly         ErrorClass = "Not accepted yet"
	ClassServer           ErrorClass = "The service failed"
	ClassNotOffered       ErrorClass = "Not offered by the service"
	ClassOutdated         ErrorClass = "Not sent, the service asked to wait"
	ClassNotJSON          ErrorClass = "Not JSON"
	ClassEmpty            ErrorClass = "Empty response"
	ClassTruncated        ErrorClass = "Truncated response"
	ClassTooLarge         ErrorClass = "Response too large"
	ClassPayload          ErrorClass = "Unexpected response"
	ClassUnknownOutcome   ErrorClass = "Outcome unknown"
	ClassNotReady         ErrorClass = "Not ready yet"
	ClassCached           ErrorClass = "Answered from a cache"
	ClassRequestTooLarge  ErrorClass = "Request too large"
)

// FieldError is what the service said about one field of a request.
type FieldError struct{ Field, Message string }

// Error is a failure of an operation. None of its fields ever holds a URL, a query, a
// header, a credential or a person: what the service says is redacted, escaped and cut.
type Error struct {
	Class     ErrorClass
	Operation string // name of the operation, such as "Update consent" (section 4)
	Method    string
	Template  string // path template, such as /v1/org/{orgId}/…
	Status    int    // HTTP status; 0 where there was no answer
	Code      string // the service's own code
	Message   string // the service's own message
	Fields    []FieldError
	Detail    string // what happened
	Attempts  int

	RetryAfter time.Duration // how long the service last asked to wait; zero if it did not
	Ambiguous  bool          // the service may have carried the request out
	Cached     bool          // of the answer, like its Date
	Date       time.Time

	limit limit // how often it is repeated, by the policy
}

// Title returns the headline of the failure.
func (e *Error) Title() string {
	if e.Class == ClassNotJSON && e.Code != "" {
		return string(e.Class) + " (" + e.Code + ")"
	}
	return string(e.Class)
}

// Error returns the headline with the facts of Describe in one line, which is safe to print and to log.
func (e *Error) Error() string {
	return strings.NewReplacer(".\n", "; ", "\n", "; ").Replace(strings.TrimSpace(e.Title() + "\n" + e.Describe()))
}

// Describe returns what is known of a failure, one fact on each line: operation, status,
// the service's own words, attempts.
func (e *Error) Describe() string {
	var known []string
	addIf := func(isKnown bool, format string, args ...any) {
		if isKnown {
			known = append(known, fmt.Sprintf(format, args...))
		}
	}

	if e.Detail != "" {
		known = append(known, strings.ToUpper(e.Detail[:1])+e.Detail[1:]+".")
	}
	addIf(e.Operation != "", "Operation: %s", strings.TrimSpace(e.Operation+": "+e.Method+" "+e.Template))
	addIf(e.Status != 0, "HTTP status: %d", e.Status)
	addIf(e.Code != "" && e.Class != ClassNotJSON, "Code of the service: %q", e.Code)
	addIf(e.Message != "", "The service says: %q", e.Message)
	for _, f := range e.Fields {
		addIf(true, "About the field %q: %q", f.Field, f.Message)
	}

	addIf(e.RetryAfter > 0, "The service last asked to wait: %s", e.RetryAfter)
	addIf(e.Attempts > 0, "Attempts: %d", e.Attempts)
	addIf(e.Ambiguous, "The service may have carried the request out all the same.")

	return strings.Join(known, "\n")
}

// IsError reports whether err is a failure of an operation, and not of its caller.
func IsError(err error) bool { return isType[*Error](err) }

// IsClass reports whether err is an *Error of one of the classes.
func IsClass(err error, classes ...ErrorClass) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(classes, e.Class)
}

// Lasts reports whether err is a failure that a later try is expected to meet as well.
func Lasts(err error) bool {
	return err != nil && !IsClass(err, ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassServer, ClassTooEarly, ClassRateLimited, ClassTruncated, ClassNotJSON, ClassEmpty)
}

// UnknownOutcome returns the error of a request whose answer was lost. A reading after it did not show the request.
// reading is the error of that reading; nil where it showed nothing.
func UnknownOutcome(lost *Error, reading error) *Error {
	unknown := *lost
	unknown.Class = ClassUnknownOutcome
	unknown.Detail = lost.summary()

	if seen, ok := errors.AsType[*Error](reading); ok {
		unknown.Detail += ", and asking the service again failed as well: " + seen.summary()
	}

	return &unknown
}

// addDetail adds a clause to what happened.
func (e *Error) addDetail(clause string) { e.Detail = strings.TrimPrefix(e.Detail+"; "+clause, "; ") }

// summary returns the title of a failure with its detail, which may name the setting that ends it.
func (e *Error) summary() string { return strings.TrimSuffix(e.Title()+": "+e.Detail, ": ") }

// Final returns the error of a failure that is not repeated any more.
func (e *Error) Final() *Error {
	last := *e
	last.limit = final
	return &last
}

// NewError returns an error about an exchange. detail is a clause without a full stop, and safe to
// print.
func NewError(x Exchange, class ErrorClass, detail string) *Error {
	e := &Error{
		Class:     class,
		Status:    x.Status,
		Detail:    detail,
		Operation: x.Op.Name,
		Method:    x.Op.Method,
		Template:  x.To.Template,
		Attempts:  x.Attempts,
		Cached:    x.Cached,
		Date:      x.Date,
		limit:     policy[class][x.Op.Kind],
	}
	e.Ambiguous = x.sent && slices.Contains([]limit{compared, unknown}, e.limit)

	return e
}

// CauseError returns an error about an exchange that another error ended. That of the HTTP stack is dropped: it holds
// the whole URL, and with it possibly the key. An *Error is returned as it is, or completed if it has no operation.
func CauseError(x Exchange, err error) *Error {
	own, isOwn := errors.AsType[*Error](err)
	if isOwn && own.Operation != "" {
		return own
	}

	class, detail := classify(x, err)
	if isOwn {
		class, detail = own.Class, own.Detail
	}
	isBroken := slices.Contains([]ErrorClass{ClassConnectionLost, ClassTimeout}, class)
	if isBroken && !x.sent {
		class = ClassUnreachable
	}

	return NewError(x, class, detail)
}

// classify returns what an error of the HTTP stack or of a context stands for. It is told by its type, and
// never by its text.
func classify(x Exchange, err error) (class ErrorClass, detail string) {
	broken := &net.OpError{}
	_ = errors.As(err, &broken)
	operation := broken.Op
	other := cmp.Or(map[string]string{"proxyconnect": "the proxy that HTTPS_PROXY names"}[operation], "the other side")
	if rejected, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return ClassTLS, "the certificate of " + other + " was not accepted: " + x.Redact.Text(rejected.Err.Error(), limitMessage)
	}

	failed, isNet := errors.AsType[net.Error](err)
	isEnded := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	host := "; the host is " + x.host
	for _, row := range []struct {
		applies bool
		class   ErrorClass
		detail  string
	}{
		{isEnded && operation == "", ClassCancelled, "the run was interrupted or its time was up"}, // the end of a connection is not that of a context
		{isType[tls.RecordHeaderError](err), ClassTLS, other + " does not speak TLS"},
		{errors.Is(err, http.ErrSchemeMismatch), ClassTLS, other + " does not speak TLS"},
		{operation == "remote error", ClassTLS, "the handshake was not accepted"},
		{operation == "proxyconnect", ClassUnreachable, "the proxy cannot be reached; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"},
		{isType[*net.DNSError](err), ClassUnreachable, "the host name cannot be resolved" + host},
		{isNet && failed.Timeout(), ClassTimeout, "the connection timed out"},
		{operation == "dial", ClassUnreachable, "the connection was refused or there is no route" + host},
	} {
		if row.applies {
			return row.class, row.detail
		}
	}

	return ClassConnectionLost, "the connection broke before the answer was complete"
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
