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
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// operation describes an endpoint of section 4 once, for all calls of it.
type operation struct {
	name   string
	method string
	// effect: the service changes something, so that a lost answer leaves open
	// whether it did, and read_only refuses it.
	effect bool
	// queues: each request that arrives is another one in the service's queue, so that
	// messages warn of repeating it.
	queues bool
	// streams: the answer may be larger than memory and is read while it comes, so that
	// request_timeout bounds each silence and not the whole.
	streams bool
	// lingers: an attempt that was sent is given InterruptGrace to end where the run is
	// interrupted, because its outcome could not be found out otherwise.
	lingers bool
	// suffix is what follows /user/:identityId in the path, where that is the form.
	suffix string
}

// call is one use of an operation. It travels in the request's context, so that
// every layer of the transport knows what it is carrying.
type call struct {
	op       operation
	endpoint endpoint
	host     string
	scheme   string
	redact   *redactor
	// attribute is whose value the body holds, where it can be large; size is that of
	// the body, in bytes.
	attribute string
	size      int
	// beforeRetry looks whether the request should still be sent again; nil: it should.
	beforeRetry func() error

	attempts   int
	truncated  int           // answers that ended in the middle of the JSON
	retryAfter time.Duration // what the service last asked to wait
	location   string        // where the service wanted to send the request
	remark     string        // what the layers below know about a 401
	sent       atomic.Bool   // this attempt's request reached the connection
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	k, _ := ctx.Value(callKey{}).(*call)
	return k
}

// do carries out one call: it refuses writes of a read-only client, sends with
// retries, and returns the answer or an *Error.
func (c *Client) do(ctx context.Context, op operation, to endpoint, p payload, private ...string) (answer, error) {
	k := c.newCall(op, to, p, private...)
	if op.effect && c.readOnly {
		return answer{}, k.fail(ClassReadOnly, 0, "read_only is set, so nothing was sent")
	}
	ctx = context.WithValue(ctx, callKey{}, k)
	req, err := c.newRequest(ctx, op, to, p)
	if err != nil {
		return answer{}, k.fail(ClassInternal, 0, "the request could not be built")
	}
	var got answer
	var read *http.Response
	req.SetResponseHandler(func(resp *http.Response) (err error) {
		read = resp
		got, err = k.readAnswer(ctx, resp)
		return err
	})
	resp, err := c.retries.Do(req)
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		return answer{}, k.transportError(err)
	}
	if read != resp { // retries are used up: the last answer was to be retried, so nobody read it
		return k.readAnswer(ctx, resp)
	}
	return got, nil
}

func (c *Client) newCall(op operation, to endpoint, p payload, private ...string) *call {
	return &call{
		op: op, endpoint: to, host: hostOf(c.base), scheme: c.base.Scheme, beforeRetry: p.beforeRetry,
		attribute: p.attribute, size: len(p.body),
		redact: newRedactor(slices.Concat(private, c.auth.secrets)...),
	}
}

func (c *Client) newRequest(ctx context.Context, op operation, to endpoint, p payload) (*retryablehttp.Request, error) {
	u := to.under(c.base)
	u.RawQuery = p.query
	var body any
	if p.body != nil {
		body = p.body
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, op.method, "http://invalid", body)
	if err != nil {
		return nil, err
	}
	req.URL, req.Host = u, u.Host
	req.Header.Set("Accept", "application/json")
	if p.contentType != "" {
		req.Header.Set("Content-Type", p.contentType)
	}
	return req, nil
}

// fail makes an error of this call.
func (k *call) fail(kind ErrorClass, status int, detail string) *Error {
	return &Error{
		Class: kind, Status: status, Detail: detail,
		Operation: k.op.name, Method: k.op.method, Template: k.endpoint.template,
		Attempts: k.attempts,
		Queued:   k.op.queues,
		// An unreadable success is still a success: the change may be there.
		Ambiguous: k.op.effect && status/100 == 2,
	}
}

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
		return proxy.kind(), "the proxy answered with status " + http.StatusText(proxy.status)
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
