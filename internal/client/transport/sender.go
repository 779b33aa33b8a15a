// SPDX-License-Identifier: MPL-2.0

// Package transport gets requests to one origin and their answers back: credentials and
// tokens, TLS and proxies, the bounds of concurrency and rate, retries, the classes of
// failures, and what messages may show. It knows nothing of endpoints but the login.
//
// A request passes the layers that New assembles. Section numbers in the comments are those
// of the interface description.
package transport

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Config configures a sender. All limits are set.
type Config struct {
	Base        *url.URL
	Credentials Credentials
	// LoginParametersIn is InJSON, InForm or InQuery.
	LoginParametersIn string
	ReadOnly          bool

	MaxConcurrency    int
	RequestsPerSecond float64       // zero is unlimited
	RequestTimeout    time.Duration // of one attempt
	MaxRetries        int
	LogIsOff          bool

	CACertPEM []byte
	Headers   map[string]string
	UserAgent string

	// DialContext replaces the dialer, and Proxy the proxy settings of the environment.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Proxy       func(*http.Request) (*url.URL, error)
	Observer    Observer
}

// Sender sends requests to one origin with one set of credentials.
type Sender struct {
	base       *url.URL
	readOnly   bool
	maxRetries int

	retries *retryablehttp.Client // the outermost layer
	Gate    *Gate
	auth    *authTransport
	pool    *http.Transport // the innermost: TLS, proxy, connections
}

// New assembles the layers that every request passes. The order is important.
func New(cfg Config) (*Sender, error) {
	pool, err := newPool(cfg)
	if err != nil {
		return nil, err
	}

	// What answers look like, including those to logins.
	var next http.RoundTripper = pool
	if cfg.Observer != nil {
		next = &observingTransport{next: next, observer: cfg.Observer}
	}

	// Credentials, on a clone of the request and for the one origin. A request that is sent
	// again after a login keeps its place in the gate.
	auth := newAuthTransport(cfg, next)

	// The time limit of one attempt, which does not include the wait in the gate, and its log
	// line, which does not include credentials.
	attempts := &attemptTransport{next: auth, timeout: cfg.RequestTimeout, silent: cfg.LogIsOff}

	// Concurrency, rate, and a Retry-After for all callers. Each retry takes a turn of its own.
	gate := newGate(cfg.MaxConcurrency, cfg.RequestsPerSecond, attempts)

	return &Sender{
		base:       cfg.Base,
		readOnly:   cfg.ReadOnly,
		maxRetries: cfg.MaxRetries,
		retries:    newRetryClient(cfg.MaxRetries, gate),
		Gate:       gate,
		auth:       auth,
		pool:       pool,
	}, nil
}

// Close closes idle connections. Requests in flight go on.
func (s *Sender) Close() { s.pool.CloseIdleConnections() }

// TakeNotices returns messages for the user although nothing failed, each once.
func (s *Sender) TakeNotices() []string {
	s.auth.mu.Lock()
	defer s.auth.mu.Unlock()

	taken := s.auth.notices
	s.auth.notices = nil
	return taken
}

// Do sends a request with retries and returns the answer. Errors are *Error.
func (s *Sender) Do(ctx context.Context, r Request) (Answer, error) {
	req, k, err := s.newRequest(ctx, r)
	if err != nil {
		return Answer{}, err
	}

	var got Answer
	var read *http.Response
	req.SetResponseHandler(func(resp *http.Response) (err error) {
		read = resp
		got, err = k.readAnswer(ctx, resp)
		return err
	})

	resp, err := s.retries.Do(req)
	if err != nil {
		closeBody(resp)
		return Answer{}, k.TransportError(err)
	}
	if read != resp {
		// Retries are used up: the last answer was to be retried, so that nobody read it.
		return k.readAnswer(ctx, resp)
	}

	return got, nil
}

// Once sends a request a single time, for a caller that has entered the gate, and returns
// the answer. Errors are *Error.
func (s *Sender) Once(ctx context.Context, r Request) (Answer, error) {
	req, k, err := s.newRequest(ctx, r)
	if err != nil {
		return Answer{}, err
	}

	k.once = true
	if req.Body, err = req.GetBody(); err != nil {
		return Answer{}, k.Fail(ClassInternal, 0, "the request could not be built")
	}

	resp, err := s.Gate.pass(req.Request)
	if err != nil {
		return Answer{}, k.TransportError(err)
	}

	return k.readAnswer(ctx, resp)
}

// Stream sends a request with retries and returns the beginning of its answer, which has
// a status of class 2xx. The caller closes the stream. Errors are *Error.
func (s *Sender) Stream(ctx context.Context, r Request) (*Stream, error) {
	req, k, err := s.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Accept", "application/json, application/x-ndjson, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "zstd, gzip")

	resp, err := s.retries.Do(req)
	if err != nil {
		closeBody(resp)
		return nil, k.TransportError(err)
	}
	if resp.StatusCode/100 != 2 {
		_, err := k.readAnswer(ctx, resp)
		return nil, err
	}

	return &Stream{Call: k, Response: resp, body: &noted{Reader: resp.Body}}, nil
}

func closeBody(resp *http.Response) {
	if resp != nil {
		resp.Body.Close()
	}
}

// newRequest returns the HTTP request and the call that travels in its context. A write
// of a read-only client is an error.
func (s *Sender) newRequest(ctx context.Context, r Request) (*retryablehttp.Request, *Call, error) {
	k := s.auth.newCall(r)
	if r.Op.Effect && s.readOnly {
		return nil, nil, k.Fail(ClassReadOnly, 0, "read_only is set, so nothing was sent")
	}

	var body any
	if r.Body != nil {
		body = r.Body
	}
	req, err := retryablehttp.NewRequestWithContext(context.WithValue(ctx, callKey{}, k), r.Op.Method, "http://invalid", body)
	if err != nil {
		return nil, nil, k.Fail(ClassInternal, 0, "the request could not be built")
	}

	r.address(req.Request, s.base)

	return req, k, nil
}
