// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
)

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

	class, detail := classify(err)
	e := k.Fail(class, 0, detail)
	if e.Class == ClassUnreachable && !isOperation("proxyconnect")(err) {
		e.Detail += "; the host is " + k.sender.host
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

// classify returns the class of an error of the HTTP stack, and what happened. It decides
// by type, and never by text.
func classify(err error) (class ErrorClass, detail string) {
	if stall, ok := errors.AsType[*stallError](err); ok {
		return ClassTimeout, stall.Error()
	}
	if proxy, ok := errors.AsType[*proxyError](err); ok {
		return proxy.class(), "the proxy answered with status " + http.StatusText(proxy.status)
	}

	for _, f := range failures {
		if f.matches(err) {
			return f.class, f.detail
		}
	}

	return ClassConnectionLost, "the connection broke before the answer was complete"
}

const (
	noTLS       = "the other side does not speak TLS"
	tlsRejected = "the certificate or the handshake was not accepted"
)

// failures are the errors of the HTTP stack that are told apart. The first that matches
// counts.
var failures = []struct {
	matches func(error) bool
	class   ErrorClass
	detail  string
}{
	{is(context.Canceled), ClassCancelled, "the run was interrupted or its time was up"},
	{is(context.DeadlineExceeded), ClassCancelled, "the run was interrupted or its time was up"},

	{isType[x509.UnknownAuthorityError], ClassTLS, "the certificate is signed by an authority that is not trusted here; ca_cert_file can name another"},
	{isType[x509.HostnameError], ClassTLS, "the certificate is for another host name"},
	{isExpired, ClassTLS, "the certificate has expired or is not yet valid"},
	{isType[tls.RecordHeaderError], ClassTLS, noTLS},
	{is(http.ErrSchemeMismatch), ClassTLS, noTLS},
	{isType[*tls.CertificateVerificationError], ClassTLS, tlsRejected},
	{isType[x509.CertificateInvalidError], ClassTLS, tlsRejected},
	{isType[tls.AlertError], ClassTLS, tlsRejected},

	{isOperation("proxyconnect"), ClassUnreachable, "the proxy cannot be reached; compare HTTPS_PROXY, HTTP_PROXY and NO_PROXY"},
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
