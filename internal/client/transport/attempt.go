// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
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
// when its answer is closed. A login is a part of an attempt, which is in the gate.
func (k *Call) RoundTrip(req *http.Request) (*http.Response, error) {
	leave := func() {}
	if !k.Op.Anonymous {
		if err := k.sender.Gate.Enter(req.Context(), 1); err != nil {
			return nil, err
		}
		leave = func() { k.sender.Gate.Leave(0) }
	}

	if err := k.attempt(req, leave); err != nil {
		return nil, err
	}

	return k.answer.Response, nil
}

// attempt sends the request once and reads its answer, both within request_timeout, and calls
// leave at its end. An answer that streams is read later and may take any time; the limit is
// for each of its silences. After a 401 it gives up the token, for the next attempt.
func (k *Call) attempt(req *http.Request, leave func()) error {
	k.attempts++
	k.sent.Store(false)

	ctx, cancel := k.attemptContext(req.Context())
	limit := k.limit(cancel, "no answer, or one that stalled: it was not complete within")
	end := func() {
		limit.Stop()
		cancel(nil)
		leave()
	}

	began := time.Now()
	resp, err := k.send(req.WithContext(ctx))
	if err != nil {
		err = k.TransportError(cmp.Or(context.Cause(ctx), err))
	}
	k.log(req.Context(), resp, err, time.Since(began))
	if err != nil {
		end()
		return err
	}

	if k.Op.Streams && resp.StatusCode/100 == 2 {
		limit.Stop()
		resp.Body = &streamBody{
			ReadCloser: resp.Body,
			limit:      func() *time.Timer { return k.limit(cancel, "the answer stalled: nothing more of it came for") },
			ended:      func() error { return context.Cause(ctx) },
			end:        sync.OnceFunc(end),
		}
		k.answer = Answer{Call: k, Status: resp.StatusCode, Response: resp}

		return nil
	}
	defer end()

	k.answer, err = k.readAnswer(ctx, resp)
	if err == nil {
		return nil
	}

	e, _ := errors.AsType[*Error](err)
	if e.passes {
		e.RetryAfter = ParseRetryAfter(resp.Header.Get("Retry-After"), time.Now(), limitRetryAfter)
		k.sender.Gate.hold(e.RetryAfter)
	}
	if e.Status == http.StatusUnauthorized && k.token != "" {
		if e.renewed = k.sender.login.giveUp(k.token, began); !e.renewed {
			e.Detail = strings.TrimSuffix(rejectedAgain+"; "+e.Detail, "; ")
		}
	}

	return e
}

// limit returns a timer that cancels an attempt after request_timeout. late says what has not
// happened by then.
func (k *Call) limit(cancel context.CancelCauseFunc, late string) *time.Timer {
	timeout := k.sender.cfg.RequestTimeout
	return time.AfterFunc(timeout, func() {
		cancel(&Error{Class: ClassTimeout, Detail: late + " " + timeout.String() + " (request_timeout)"})
	})
}

// interruptGrace is how long an attempt of a write that was sent goes on after an interrupt:
// its outcome could not be found out otherwise.
const interruptGrace = 700 * time.Millisecond

// attemptContext returns the context of one attempt. It ends with the caller's, or
// interruptGrace later where a write was sent.
func (k *Call) attemptContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if k.Op.Effect && k.sent.Load() {
			_ = Pause(ctx, interruptGrace)
		}
		cancel(context.Cause(parent))
	})

	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// streamBody is the body of an answer that streams. Its attempt ends when it is closed.
type streamBody struct {
	io.ReadCloser

	limit func() *time.Timer
	ended func() error // why the attempt has ended; nil if it has not
	end   func()
	err   error // with which the network ended the answer
}

// Read reads from the answer, each time within request_timeout.
func (b *streamBody) Read(p []byte) (int, error) {
	defer b.limit().Stop()

	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = cmp.Or(b.ended(), err)
		b.err = err
	}

	return n, err
}

// Close closes the answer and ends its attempt.
func (b *streamBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// send sends a clone with credentials and the user's headers, and only to the configured
// origin: the layers that retry, log and describe requests never see them.
func (k *Call) send(req *http.Request) (*http.Response, error) {
	cfg := k.sender.cfg
	if req.URL.Scheme != cfg.Base.Scheme || req.URL.Host != cfg.Base.Host {
		return nil, k.Fail(ClassInternal, 0, "a request was about to be sent to another address than base_url")
	}

	clone := k.sentOnce(req)
	for name, value := range cfg.Headers {
		clone.Header.Set(name, value)
	}
	clone.Header.Set("User-Agent", cfg.UserAgent)
	if err := k.authorize(req.Context(), clone); err != nil {
		return nil, err
	}

	// Nothing that follows from a comparison waits, from here back to its answer.
	if !k.Compared.IsZero() && (time.Since(k.Compared) > staleAfter || k.sender.Gate.remaining() > 0) {
		return nil, k.outdated()
	}

	resp, err := k.sender.pool.RoundTrip(clone)
	if err != nil {
		return nil, err
	}

	resp.Request = req // and not the one with credentials
	if cfg.Observer != nil {
		cfg.Observer(k.Op.Name, resp.StatusCode)
	}

	return resp, nil
}

// authorize adds the credential to a request (section 5): the application-level key, the JWT
// from the configuration, or the token of a login.
func (k *Call) authorize(ctx context.Context, req *http.Request) error {
	if k.Op.Anonymous {
		return nil
	}

	c := k.sender.cfg.Credentials
	if c.APISecretKey != "" {
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&apiSecretToken="+url.QueryEscape(c.APISecretKey), "&")
		return nil
	}

	token := c.Token
	if token == "" {
		var err error
		if token, err = k.sender.login.present(ctx, k); err != nil {
			return err
		}
		k.token = token
	}
	req.Header.Set("Authorization", "bearer "+token)

	return nil
}

// errNotProcessed is the error of a request that HTTP/2 refused before the service saw it:
// its stream was reset with REFUSED_STREAM, or left out by a GOAWAY (RFC 9113, sections 6.8
// and 8.7).
var errNotProcessed error = &Error{
	Class:  ClassConnectionLost,
	Detail: "the connection was closing, and the service refused the request before it processed it (HTTP/2)",
}

// sentOnce returns a clone of a request, with its body from the beginning. If k changes
// something, the HTTP stack sends the clone at most once.
//
// The stack repeats some requests by itself, which the layers above would not see. It asks
// GetBody for a body before it does, so that GetBody can stop it, and learn why it would
// repeat. Over HTTP/2 that is where the request is known to be unprocessed;
// golang.org/x/net/http2 does so, and net/http's own copy also after a PROTOCOL_ERROR, which
// proves nothing. Over HTTP/1 it is where nothing was written, and, of a GET, wherever a
// connection breaks; of other methods a header could allow that, which ValidateHeaders refuses.
func (k *Call) sentOnce(req *http.Request) *http.Request {
	var isHTTP2 atomic.Bool
	clone := req.Clone(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			secured, ok := info.Conn.(*tls.Conn)
			isHTTP2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { k.sent.Store(true) },
	}))

	if !k.Op.Effect {
		return clone
	}

	body := req.GetBody
	if req.ContentLength == 0 { // the stack does not ask for none, and sends nothing of an empty one
		body = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }
	}

	clone.Body, _ = body() // from memory
	clone.GetBody = func() (io.ReadCloser, error) {
		if k.sent.Load() && isHTTP2.Load() {
			return nil, errNotProcessed
		}
		if k.sent.Load() && clone.Method == http.MethodGet {
			return nil, errors.New("the connection broke and the request is not repeated by itself")
		}
		return body()
	}

	return clone
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
