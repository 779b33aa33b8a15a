// SPDX-License-Identifier: MPL-2.0

// Package transport gets requests to one origin and their answers back: credentials and
// tokens, TLS and proxies, the bounds of concurrency and rate, retries, the classes of
// failures, and what messages may show. It knows nothing of endpoints but the login.
//
// Do hands a Call to go-retryablehttp, which repeats its RoundTrip. One RoundTrip is one
// attempt: it waits for the gate, send adds the credentials to a clone, the pool carries it,
// and readAnswer says what the answer is. Section numbers in the comments are those of the
// interface description.
package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/net/http2"
	"golang.org/x/sync/semaphore"
)

// Config configures a sender. All limits are set.
type Config struct {
	Base              *url.URL
	Credentials       Credentials
	LoginParametersIn string // InJSON, InForm or InQuery
	ReadOnly          bool   // every write fails before anything is sent

	MaxConcurrency    int           // of requests in flight, and of connections
	RequestsPerSecond float64       // zero is unlimited
	RequestTimeout    time.Duration // of one attempt, with its answer
	MaxRetries        int           // of one request
	LogIsOff          bool          // saves the cost of a log line that nobody reads

	CACertPEM []byte            // certificates that are trusted in addition to the system's
	Headers   map[string]string // added to every request
	UserAgent string

	// DialContext replaces the dialer, and Proxy the proxy settings of the environment.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Proxy       func(*http.Request) (*url.URL, error)
	// Observer is called for each answer, including those to logins and to repeated
	// requests, and concurrently. The operation has its name in section 4.
	Observer func(operation string, status int)
}

// Sender sends requests to one origin with one set of credentials.
type Sender struct {
	cfg  Config
	pool http.RoundTripper
	Gate *Gate

	login   *login     // where the credentials are an e-mail and a password
	secrets vocabulary // what no message may show

	mu      sync.Mutex
	notices []string
}

// New returns a sender. It contacts nothing.
func New(cfg Config) (*Sender, error) {
	pool, err := newPool(cfg)
	if err != nil {
		return nil, err
	}

	s := &Sender{cfg: cfg, pool: pool, Gate: &Gate{slots: semaphore.NewWeighted(int64(cfg.MaxConcurrency))}}
	if cfg.RequestsPerSecond > 0 {
		s.Gate.interval = time.Duration(float64(time.Second) / cfg.RequestsPerSecond)
	}
	s.login = &login{sender: s, turn: semaphore.NewWeighted(1)}

	c := cfg.Credentials
	s.secrets.add(c.Password, c.APISecretKey, c.Email)
	s.secrets.add(tokenSecrets(c.Token)...)
	for _, value := range cfg.Headers {
		s.secrets.add(headerSecrets(value)...)
	}

	return s, nil
}

// Close closes idle connections. Requests in flight go on.
func (s *Sender) Close() { (&http.Client{Transport: s.pool}).CloseIdleConnections() }

// TakeNotices returns messages for the user although nothing failed, each once.
func (s *Sender) TakeNotices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	taken := s.notices
	s.notices = nil
	return taken
}

// Do sends a request until it succeeds or Again says no, and returns the answer, of a stream
// its beginning. Every failure, an answer without success included, is an error of RoundTrip,
// so that Again alone decides, and that go-retryablehttp and http.Client see no redirect.
// Errors are *Error.
func (s *Sender) Do(ctx context.Context, r Request) (Answer, error) {
	k, req, err := s.newCall(ctx, r)
	if err != nil {
		return Answer{}, err
	}

	var wait time.Duration
	retries := &retryablehttp.Client{
		HTTPClient: &http.Client{Transport: k}, // has no CloseIdleConnections: one failed call must not cost the others their connections
		RetryMax:   s.cfg.MaxRetries + 1,       // Again counts
		CheckRetry: func(ctx context.Context, _ *http.Response, err error) (again bool, _ error) {
			if err != nil {
				wait, again = s.Again(ctx, r.Op, k.TransportError(err))
			}
			return again, nil
		},
		Backoff:      func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return wait },
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	if _, err := retries.Do(req); err != nil { //nolint:bodyclose // it is that of k.answer
		return Answer{}, k.TransportError(err)
	}

	return k.answer, nil
}

// Once sends a request a single time, past the gate, which its caller has entered, and returns
// the answer. Errors are *Error.
func (s *Sender) Once(ctx context.Context, r Request) (Answer, error) {
	k, req, err := s.newCall(ctx, r)
	if err != nil {
		return Answer{}, err
	}

	err = k.attempt(req.Request, func() {})

	return k.answer, err
}

const (
	backoffBase  = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
	backoffFloor = 50 * time.Millisecond
)

// Again decides after a failure of an operation whether it is sent again, and when. e counts
// the attempts so far. A caller without the time to wait hears of it now instead of at its own
// end.
func (s *Sender) Again(ctx context.Context, op Operation, e *Error) (wait time.Duration, again bool) {
	if e.Operation != op.Name { // a failed login has been repeated already
		return 0, false
	}

	limit := s.cfg.MaxRetries
	if e.renewed { // this takes place without retries as well, and counts as one in what follows
		return 0, e.Attempts <= limit+1
	}
	if e.Class == ClassTruncated || op.Anonymous { // the answer was complete, and is read again once; and so is a login
		limit = min(limit, 1)
	}

	deadline, bounded := ctx.Deadline()
	if !e.passes || e.Ambiguous || e.Attempts > limit || bounded && e.RetryAfter > 0 && time.Until(deadline) < e.RetryAfter {
		return 0, false
	}

	return BackoffAfter(e.Attempts-1, e.RetryAfter), true
}

// BackoffAfter returns how long to wait before the next attempt: what the service asked for,
// or a random time below a limit that doubles (full jitter), so that many waiters do not
// come back together.
func BackoffAfter(attempt int, asked time.Duration) time.Duration {
	limit := min(backoffBase<<min(attempt, 10), backoffCap)
	if asked > 0 {
		limit = min(limit, asked/10+backoffBase)
	}

	return asked + backoffFloor + rand.N(limit) //nolint:gosec // spreading load needs no secrecy
}

// limitRetryAfter is the longest wait that a service can ask for: beyond it an error now
// is better than a run that seems to hang.
const limitRetryAfter = 120 * time.Second

// ParseRetryAfter reads both forms of the header, seconds and a date, and bounds the wait
// to 0…limit. What it cannot read is no wait.
func ParseRetryAfter(value string, now time.Time, limit time.Duration) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) {
		seconds = min(max(0, seconds), limit.Seconds())
		return time.Duration(seconds * float64(time.Second))
	}

	when, err := http.ParseTime(value)
	if err != nil {
		return 0
	}

	return min(max(0, when.Sub(now)), limit)
}

// newPool returns the innermost layer: connections, TLS and proxies. It keeps as
// many idle connections as there may be requests, since everything goes to one host.
// HTTP/2 is that of golang.org/x/net instead of net/http's copy; see sentOnce.
func newPool(cfg Config) (*http.Transport, error) {
	pool, err := trust(cfg.CACertPEM)
	if err != nil {
		return nil, err
	}

	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}

	proxy := cfg.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}

	t := &http.Transport{
		Proxy:                  proxy,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           cfg.MaxConcurrency,
		MaxIdleConnsPerHost:    cfg.MaxConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			refusal := &Error{Class: ClassUnreachable, Detail: "the proxy answered with status " + http.StatusText(resp.StatusCode)}
			switch resp.StatusCode {
			case http.StatusOK:
				return nil
			case http.StatusProxyAuthRequired:
				refusal.Class = ClassProxyAuth
			}

			return refusal
		},
	}

	//nolint:staticcheck // net/http's own HTTP/2 repeats a PATCH after a PROTOCOL_ERROR, which proves nothing; a test holds this.
	return t, http2.ConfigureTransport(t)
}

// trust returns the system's certificates with those of ca_cert_file; nil stands for the
// system's alone.
func trust(pem []byte) (*x509.CertPool, error) {
	if len(pem) == 0 {
		return nil, nil
	}

	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}

	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("ca_cert_file holds no certificate in PEM form")
	}

	return pool, nil
}
