package client

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

// transportError turns whatever the HTTP stack reported into an *Error. The
// original is dropped: it holds the whole URL, and with it possibly the key.
func (k *call) transportError(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		shared := *own // a failed login is one error for all its callers
		return &shared
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	kind, detail := judgeTransport(err)
	if kind == ClassUnreachable && k.host != "" {
		detail += "; the host is " + k.host
	}
	e := k.fail(kind, 0, detail)
	e.NotProcessed = !k.sent.Load() || errors.Is(err, errNotProcessed)
	e.Ambiguous = k.op.effect && !e.NotProcessed
	if kind == ClassCancelled {
		e.cause = context.Canceled
		if errors.Is(err, context.DeadlineExceeded) {
			e.cause = context.DeadlineExceeded
		}
	}
	return e
}

// judgeTransport classifies an error of the HTTP stack by type.
func judgeTransport(err error) (ErrorClass, string) {
	var (
		dns     *net.DNSError
		proxy   *proxyError
		netErr  net.Error
		opErr   *net.OpError
		stall   *stallError
		timeout = errors.As(err, &netErr) && netErr.Timeout()
	)
	switch {
	case errors.As(err, &stall):
		return ClassTimeout, stall.Error()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ClassCancelled, "the run was interrupted or its time was up"
	case errors.As(err, &proxy):
		return proxy.class(), "the proxy answered with status " + http.StatusText(proxy.status)
	case isTLS(err):
		return ClassTLS, describeTLS(err)
	case errors.As(err, &dns):
		return ClassUnreachable, "the host name cannot be resolved"
	case errors.As(err, &opErr) && opErr.Op == "dial" && !timeout:
		return ClassUnreachable, "the connection was refused or there is no route"
	case timeout:
		return ClassTimeout, "the connection timed out"
	case errors.Is(err, errNotProcessed):
		return ClassConnectionLost, "the connection was closing, and the service refused the request before it processed it (HTTP/2)"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ClassConnectionLost, "the answer was cut off"
	default:
		return ClassConnectionLost, "the connection broke before the answer was complete"
	}
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		invalid      x509.CertificateInvalidError
		hostname     x509.HostnameError
		record       tls.RecordHeaderError
		alert        tls.AlertError
	)
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &invalid) ||
		errors.As(err, &hostname) || errors.As(err, &record) || errors.As(err, &alert) || errors.Is(err, http.ErrSchemeMismatch)
}

func describeTLS(err error) string {
	var (
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return "the certificate is signed by an authority that is not trusted here; ca_cert_file can name another"
	case errors.As(err, &hostname):
		return "the certificate is for another host name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate has expired or is not yet valid"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the other side does not speak TLS"
	}
	return "the certificate or the handshake was not accepted"
}
