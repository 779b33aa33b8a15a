// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// RoundTrip makes one attempt, for which it enters the gate. Only a stream leaves it later,
// when its answer is closed.
func (k *Call) RoundTrip(req *http.Request) (*http.Response, error) {
	gate := k.sender.Gate
	if err := gate.Enter(req.Context(), 1); err != nil {
		return nil, err
	}

	if err := k.attempt(req); err != nil {
		gate.Leave(0)
		return nil, err
	}
	if !k.Op.Streams {
		gate.Leave(0)
		return k.response, nil
	}

	end := k.body.end
	k.body.end = sync.OnceFunc(func() {
		end()
		gate.Leave(0)
	})

	return k.response, nil
}

// attempt sends the request once and reads its answer, both within request_timeout. An
// answer that streams is read later and may take any time; the limit is for each of its
// silences. After a 401 it renews the credential, for the next attempt.
func (k *Call) attempt(req *http.Request) error {
	k.attempts++
	k.sent.Store(false)

	timeout := k.sender.cfg.RequestTimeout
	ctx, cancel := k.attemptContext(req.Context())
	limit := time.AfterFunc(timeout, func() { cancel(errTimeUp) })
	end := func() {
		limit.Stop()
		cancel(nil)
	}

	began := time.Now()
	resp, err := k.send(req.WithContext(ctx))
	if err != nil {
		err = k.TransportError(stallOr(ctx, err, "no answer within", timeout))
	}
	k.log(req.Context(), resp, err, time.Since(began))
	if err != nil {
		end()
		return err
	}

	if wait, ok := askedToWait(resp); ok && !k.Op.Anonymous {
		k.sender.Gate.hold(wait)
	}

	k.body = &answerBody{ReadCloser: resp.Body, ctx: ctx, end: end, limit: limit, timeout: timeout}
	resp.Body, k.response = k.body, resp
	if k.Op.Streams && resp.StatusCode/100 == 2 {
		limit.Stop()
		k.body.streams = true
		return nil
	}

	k.answer, err = k.readAnswer(req.Context(), resp)
	if resp.StatusCode != http.StatusUnauthorized || k.Op.Anonymous || k.sender.cfg.Credentials.Email == "" {
		return err
	}

	e := k.TransportError(err)
	renewed, reason := k.sender.login.renew(req.Context(), k.generation)
	e.Renewed, e.Detail = renewed, joined(reason, e.Detail)

	return e
}

// interruptGrace is how long an attempt of a deferred request that was sent goes on after
// an interrupt.
const interruptGrace = 700 * time.Millisecond

// attemptContext returns the context of one attempt. It ends with the caller's, or
// interruptGrace later where the operation lingers and the request was sent.
func (k *Call) attemptContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if k.Op.Lingers && k.sent.Load() {
			_ = Pause(ctx, interruptGrace)
		}
		cancel(context.Cause(parent))
	})

	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// send sends a clone with credentials and the user's headers, and only to the configured
// origin: the layers that retry, log and describe requests never see them.
func (k *Call) send(req *http.Request) (*http.Response, error) {
	cfg := k.sender.cfg
	if req.URL.Scheme != cfg.Base.Scheme || req.URL.Host != cfg.Base.Host {
		return nil, k.Fail(ClassInternal, 0, "a request was about to be sent to another address than base_url")
	}

	clone, err := k.sentOnce(req)
	if err != nil {
		return nil, err
	}
	for name, value := range cfg.Headers {
		clone.Header.Set(name, value)
	}
	clone.Header.Set("User-Agent", cfg.UserAgent)
	if err := k.authorize(req.Context(), clone); err != nil {
		return nil, err
	}

	// Nothing that follows from a comparison waits, from here back to its answer.
	if k.follows() && (time.Since(k.Compared) > staleAfter || k.sender.Gate.remaining() > 0) {
		return nil, k.outdated()
	}

	resp, err := k.sender.pool.RoundTrip(clone)
	if err != nil {
		return nil, err
	}

	resp.Request = req // and not the one with credentials
	if cfg.Observer != nil {
		cfg.Observer(Head{Operation: k.Op.Name, Status: resp.StatusCode})
	}

	return resp, nil
}

// authorize adds the credential to a request (section 5): the application-level key, the JWT
// from the configuration, or the token of a login.
func (k *Call) authorize(ctx context.Context, req *http.Request) error {
	c := k.sender.cfg.Credentials
	token := c.Token

	switch {
	case k.Op.Anonymous:
		return nil
	case c.APISecretKey != "":
		parameter := "apiSecretToken=" + url.QueryEscape(c.APISecretKey)
		if req.URL.RawQuery != "" {
			parameter = req.URL.RawQuery + "&" + parameter
		}
		req.URL.RawQuery = parameter
		return nil
	case token == "":
		held, err := k.sender.login.present(ctx, k)
		if err != nil {
			return err
		}
		token, k.generation = held.text, held.generation
	}

	req.Header.Set("Authorization", "bearer "+token)

	return nil
}

// errNotProcessed is the error of a request that HTTP/2 refused before the service saw it:
// its stream was reset with REFUSED_STREAM, or left out by a GOAWAY (RFC 9113, sections 6.8
// and 8.7).
var errNotProcessed = errors.New("HTTP/2 refused the request before it was processed")

// errNotRepeated is the error of a request that broke off and that the HTTP stack would
// have repeated.
var errNotRepeated = errors.New("the connection broke and the request is not repeated by itself")

// sentOnce returns a clone of a request, with its body from the beginning. If k changes
// something, the HTTP stack sends the clone at most once.
//
// The stack repeats some requests by itself, which the layers above would not see. It asks
// GetBody for a body before it does, so that GetBody can stop it, and learn why it would
// repeat. Over HTTP/2 that is where the request is known to be unprocessed;
// golang.org/x/net/http2 does so, and net/http's own copy also after a PROTOCOL_ERROR, which
// proves nothing. Over HTTP/1 it is where nothing was written, and, of a GET, wherever a
// connection breaks; of other methods a header could allow that, which ValidateHeaders refuses.
func (k *Call) sentOnce(req *http.Request) (*http.Request, error) {
	var isHTTP2 atomic.Bool
	clone := req.Clone(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			secured, ok := info.Conn.(*tls.Conn)
			isHTTP2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { k.sent.Store(true) },
	}))

	body := req.GetBody
	if req.ContentLength == 0 && !k.Op.Effect {
		return clone, nil
	}
	if req.ContentLength == 0 { // the stack does not ask for none, and sends nothing of an empty one
		body = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }
	}

	first, err := body()
	clone.Body = first
	clone.GetBody = func() (io.ReadCloser, error) {
		if k.Op.Effect && k.sent.Load() && isHTTP2.Load() {
			return nil, errNotProcessed
		}
		if k.Op.Effect && k.sent.Load() && clone.Method == http.MethodGet {
			return nil, errNotRepeated
		}
		return body()
	}

	return clone, err
}

// log logs the operation, path template and status of an attempt, and how long the head of its
// answer took; never what was sent or received.
func (k *Call) log(ctx context.Context, resp *http.Response, err error, took time.Duration) {
	if k.sender.cfg.LogIsOff {
		return
	}

	fields := map[string]any{
		"operation":   k.Op.Name,
		"method":      k.Op.Method,
		"path":        k.To.template,
		"attempt":     k.attempts,
		"duration_ms": took.Milliseconds(),
	}
	if err != nil {
		fields["failure"] = k.TransportError(err).Title()
		tflog.Debug(ctx, "Request to the analytics service failed", fields)
		return
	}

	fields["status"] = resp.StatusCode
	tflog.Debug(ctx, "Request to the analytics service answered", fields)
}

// stallError is the error of an attempt that request_timeout has ended. Its text is safe
// to show.
type stallError struct {
	what  string
	after time.Duration
}

func (e *stallError) Error() string { return e.what + " " + e.after.String() + " (request_timeout)" }

// errTimeUp is the cause of the end of an attempt's context where its time was up.
var errTimeUp = errors.New("the time of the attempt is up")

// stallOr returns a *stallError where the time of an attempt was up, or else err.
func stallOr(ctx context.Context, err error, what string, after time.Duration) error {
	if errors.Is(context.Cause(ctx), errTimeUp) {
		return &stallError{what, after}
	}
	return err
}

// answerBody is the body of an answer, with the time limit of its attempt until it is
// closed.
type answerBody struct {
	io.ReadCloser
	//nolint:containedctx // the body lives exactly as long as its attempt, and this is the attempt's context.
	ctx context.Context
	end func() // releases the time limit; may be called twice
	err error  // with which the network ended the answer

	limit   *time.Timer
	timeout time.Duration // of the answer, or of each of its silences if it streams
	streams bool
}

// Read reads from the answer. The error is a *stallError where the time is up.
func (b *answerBody) Read(p []byte) (int, error) {
	stall := "the answer stalled: it began and was not complete after"
	if b.streams {
		stall = "the answer stalled: nothing more of it came for"
		b.limit.Reset(b.timeout)
		defer b.limit.Stop()
	}

	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = stallOr(b.ctx, err, stall, b.timeout)
		b.err = err
	}

	return n, err
}

// Close closes the answer and releases the time limit.
func (b *answerBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}
