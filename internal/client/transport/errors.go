// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrorClass is the class of a failure, written as its headline. Callers decide by class, and
// never by the text of a message.
type ErrorClass string

// The classes of failure. ClassNotFound is a 404 or 410 of the service itself, proven by a
// JSON object; ClassEndpointNotFound is any other 404, which says nothing about the object
// asked for. ClassNotReady is an answer that puts off the data.
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
	ClassServer           ErrorClass = "The service failed"
	ClassNotJSON          ErrorClass = "Not JSON"
	ClassEmpty            ErrorClass = "Empty response"
	ClassTruncated        ErrorClass = "Truncated response"
	ClassTooLarge         ErrorClass = "Response too large"
	ClassPayload          ErrorClass = "Unexpected response"
	ClassUnknownOutcome   ErrorClass = "Outcome unknown"
	ClassNotReady         ErrorClass = "Not ready yet"
	ClassRequestTooLarge  ErrorClass = "Request too large"
)

// FieldError is what the service said about one field of a request.
type FieldError struct {
	Field   string
	Message string
}

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
	Attempts  int
	// RetryAfter is how long the service last asked to wait; zero if it did not.
	RetryAfter time.Duration
	// Detail says what happened.
	Detail string
	// Attribute is the attribute whose value the failure is about; empty where it is not
	// known.
	Attribute string
	// Ambiguous reports whether the service may have carried the request out.
	Ambiguous bool
	// NotProcessed reports whether the service certainly did not carry the request out:
	// nothing of it was sent, or HTTP/2 proves it. It can be sent again, even where each
	// request that arrives is queued.
	NotProcessed bool
	// Queued reports whether each request of the operation that arrives is another one in
	// the service's queue, so that repeating it may do harm.
	Queued bool

	// Cached and Date are those of the answer, as in Answer.
	Cached bool
	Date   time.Time

	Renewed bool  // the credential was renewed after the 401
	Cause   error // nil, a context's error, ErrUntimed, ErrOutdated or a *answer.Error; never an error of the network
}

// Title returns the headline of the failure.
func (e *Error) Title() string {
	if e.Class == ClassNotJSON && e.Code != "" {
		return string(e.Class) + " (" + e.Code + ")"
	}
	return string(e.Class)
}

// Error returns one line that is safe to print and to log.
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

// Unwrap returns the cause, such as the context's error where the call was cancelled.
func (e *Error) Unwrap() error { return e.Cause }

// IsError reports whether err is a failure of an operation, and not of its caller.
func IsError(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

// IsClass reports whether err is an *Error of one of the classes.
func IsClass(err error, classes ...ErrorClass) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(classes, e.Class)
}

// MayPass reports whether err is a failure that a later try may not meet.
func MayPass(err error) bool {
	return IsClass(err, ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassServer, ClassRateLimited, ClassTruncated, ClassNotJSON, ClassEmpty)
}

// UnknownOutcome returns the error of a request that may have been carried out: its
// answer was lost, and a look at the service did not tell. look is the error of that
// look; nil where it showed nothing.
func UnknownOutcome(lost *Error, look error) *Error {
	unknown := *lost
	unknown.Class = ClassUnknownOutcome
	unknown.Detail = lost.Title()
	if lost.Detail != "" {
		unknown.Detail += " (" + lost.Detail + ")"
	}

	if seen, ok := errors.AsType[*Error](look); ok {
		unknown.Detail += ", and looking at the service failed as well: " + seen.Title()
		unknown.Cause = seen.Cause
	}

	return &unknown
}

// Invalid returns the error of an operation whose arguments cannot be sent.
func Invalid(op Operation, err error) *Error {
	return &Error{Class: ClassInvalid, Detail: err.Error(), Operation: op.Name, Method: op.Method}
}

// TransportError returns an error of the HTTP stack as an *Error. The original is
// dropped: it holds the whole URL, and with it possibly the key. An *Error is copied.
func (k *Call) TransportError(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		shared := *own // a failed login is one error for all its callers
		return &shared
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}

	e := k.Fail(ClassConnectionLost, 0, "the connection broke before the answer was complete")
	at := slices.IndexFunc(failures, func(f failure) bool { return f.matches(err) })
	if at >= 0 {
		e.Class, e.Detail = failures[at].class, failures[at].detail
	}

	if stall, ok := errors.AsType[*stallError](err); ok {
		e.Detail = stall.Error()
	}
	if proxy, ok := errors.AsType[proxyError](err); ok {
		e.Detail = proxy.Error()
		if proxy == http.StatusProxyAuthRequired {
			e.Class = ClassProxyAuth
		}
	} else if e.Class == ClassUnreachable && !isOperation("proxyconnect")(err) {
		e.Detail += "; the host is " + escapeText(k.sender.cfg.Base.Host, 260)
	}
	if e.Class == ClassCancelled {
		e.Cause = context.Canceled
		if errors.Is(err, context.DeadlineExceeded) {
			e.Cause = context.DeadlineExceeded
		}
	}

	e.NotProcessed = !k.sent.Load() || errors.Is(err, errNotProcessed)
	e.Ambiguous = k.Op.Effect && !e.NotProcessed

	return e
}

const (
	noTLS       = "the other side does not speak TLS"
	tlsRejected = "the certificate or the handshake was not accepted"
	interrupted = "the run was interrupted or its time was up"
)

// failure is an error of the HTTP stack that is told apart, by its type and never by its text.
type failure struct {
	matches func(error) bool
	class   ErrorClass
	detail  string
}

// failures are in the order in which they are tried. The first that matches counts.
var failures = []failure{
	{isType[*stallError], ClassTimeout, ""},
	{isType[proxyError], ClassUnreachable, ""},
	{is(context.Canceled), ClassCancelled, interrupted},
	{is(context.DeadlineExceeded), ClassCancelled, interrupted},

	{isType[x509.UnknownAuthorityError], ClassTLS, "the certificate is signed by an authority that is not trusted on this machine; ca_cert_file adds one"},
	{isType[x509.HostnameError], ClassTLS, "the certificate is for another host name"},
	{isExpired, ClassTLS, "the certificate has expired or is not yet valid"},
	{isType[tls.RecordHeaderError], ClassTLS, noTLS},
	{is(http.ErrSchemeMismatch), ClassTLS, noTLS},
	{isType[*tls.CertificateVerificationError], ClassTLS, tlsRejected},
	{isType[x509.CertificateInvalidError], ClassTLS, tlsRejected},
	{isType[tls.AlertError], ClassTLS, tlsRejected},

	{isOperation("proxyconnect"), ClassUnreachable, "the proxy cannot be reached; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"},
	{isType[*net.DNSError], ClassUnreachable, "the host name cannot be resolved"},
	{isTimeout, ClassTimeout, "the connection timed out"},
	{isOperation("dial"), ClassUnreachable, "the connection was refused or there is no route"},

	{is(errNotProcessed), ClassConnectionLost, "the connection was closing, and the service refused the request before it processed it (HTTP/2)"},
	{is(io.ErrUnexpectedEOF), ClassConnectionLost, "the answer was cut off"},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isExpired(err error) bool {
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok && invalid.Reason == x509.Expired
}

func isTimeout(err error) bool {
	failed, ok := errors.AsType[net.Error](err)
	return ok && failed.Timeout()
}

// isOperation returns whether an error is one of the connection's operation, such as dial.
func isOperation(op string) func(error) bool {
	return func(err error) bool {
		failed, ok := errors.AsType[*net.OpError](err)
		return ok && failed.Op == op
	}
}
