// SPDX-License-Identifier: MPL-2.0

// Package transport gets requests to one origin and their answers back: credentials and
// tokens, TLS and proxies, the bounds of concurrency and rate, repetitions, the classes of
// failures, and what messages may show. It knows nothing of endpoints but the login.
//
// A request takes this way:
//
//	Do               builds it; go-retryablehttp repeats it, by the table in policy.go
//	call.RoundTrip   an attempt: waits for its turn, bounds the time until the end of the answer, and reads that
//	call.send        adds the token or key to a clone, for the configured origin alone, and sends that once
//	pool             connections, TLS, HTTP/2
//
// No log ever sees a credential. An admission takes turns for a comparison and the write that
// follows from it; under one, a request takes no other turn and is not repeated. Repeat takes such a
// sequence, or an export, from its beginning again, by the same table. Section numbers in the comments
// are those of the interface description.
package transport

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/sync/semaphore"
)

// Config configures a sender. All limits are set.
type Config struct {
	Base              *url.URL
	Credentials       Credentials
	LoginParametersIn string           // InJSON, InForm or InQuery
	Envelope          jsontext.Pointer // of answers; the token may also be at the top
	ReadOnly          bool             // every write fails before anything is sent

	MaxConcurrency    int           // of requests in flight, and of connections
	RequestsPerSecond float64       // zero is unlimited
	RequestTimeout    time.Duration // of one attempt, with its answer
	MaxRetries        int           // of one request
	LogIsOff          bool          // leaves out log lines that nobody reads

	CACertPEM []byte            // certificates that are trusted in addition to the system's
	Headers   map[string]string // added to every request
	UserAgent string

	// DialContext replaces the dialer.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// Around returns what carries requests in place of the pool, below the credentials, such as a recorder
	// of all answers. Nil is the pool itself.
	Around func(pool http.RoundTripper) http.RoundTripper
}

// Sender sends requests to one origin with one set of credentials.
type Sender struct {
	cfg    Config
	gate   gate
	login  *login // nil where the credentials are not an e-mail and a password
	pool   *http.Transport
	around http.RoundTripper // the pool, or what is around it
	header http.Header       // of every request, and query: what is configured, and a key or token that was given (section 5)
	query  string
	hidden vocabulary // what no message may show

	Notice atomic.Pointer[string] // tells the user that a clock is far off, although nothing failed; nil without one

	mu     sync.Mutex
	newest atomic.Int64 // the latest Date of an answer, in seconds since 1970; mu is held to change it
}

// New returns a sender. It contacts nothing.
func New(cfg Config) (*Sender, error) {
	pool, err := newPool(cfg)
	if err != nil {
		return nil, err
	}

	s := &Sender{cfg: cfg, pool: pool, around: pool, header: http.Header{"User-Agent": {cfg.UserAgent}}}
	if cfg.Around != nil {
		s.around = cfg.Around(pool)
	}
	s.gate.until.Store(&time.Time{})
	s.gate.slots = semaphore.NewWeighted(int64(cfg.MaxConcurrency))
	if cfg.RequestsPerSecond > 0 {
		s.gate.interval = time.Duration(float64(time.Second) / cfg.RequestsPerSecond)
	}
	if cfg.Credentials.Email != "" {
		s.login = &login{sender: s}
	}

	c := cfg.Credentials
	s.hidden.add(c.Password, c.APISecretKey, c.Email)
	s.hidden.add(tokenSecrets(c.Token)...)
	if c.APISecretKey != "" {
		s.query = "&" + KeyParameter + "=" + url.QueryEscape(c.APISecretKey)
	}
	if c.Token != "" {
		s.header.Set("Authorization", "bearer "+c.Token)
	}
	for name, value := range cfg.Headers {
		s.header.Set(name, value)
		s.hidden.add(headerSecrets(value)...)
	}

	return s, nil
}

// accepted are the header fields by which a request says what it accepts, of a stream and of JSON. What
// the service shows decides about requests, so that no cache may answer.
var accepted = map[bool]http.Header{
	false: {"Cache-Control": {"no-cache"}, "Accept": {"application/json"}},
	true:  {"Cache-Control": {"no-cache"}, "Accept": {"application/json, application/x-ndjson, */*;q=0.1"}, "Accept-Encoding": {"zstd, gzip"}},
}

// Do sends a request and returns its answer, of a stream its beginning. It is repeated by the policy,
// except under an admission. Errors are *Error.
func (s *Sender) Do(ctx context.Context, r Request) (Answer, error) {
	c := &call{Request: r, sender: s, known: Exchange{Op: r.Op, To: r.To, absent: r.Absent, host: s.cfg.Base.Host}}
	c.known.Redact = &Redactor{Values: r.Private, secrets: &s.hidden}
	c.compared, _ = ctx.Value(admissionKey{}).(*time.Time)
	if s.cfg.ReadOnly && changes[r.Op.Kind] {
		return Answer{}, NewError(c.known, ClassReadOnly, "nothing was sent, because read_only is set")
	}

	var body any = r.Body // also an empty one, about which the HTTP stack asks before it repeats; see bodyAgain
	if !slices.Contains([]Kind{Writes, Queues, LogsIn}, r.Op.Kind) {
		body = nil
	}
	address := s.cfg.Base.String() + r.To.Escaped + "?" + r.Query
	req, err := retryablehttp.NewRequestWithContext(ctx, r.Op.Method, strings.TrimSuffix(address, "?"), body)
	if err != nil {
		return Answer{}, NewError(c.known, ClassInternal, "the request could not be built")
	}
	maps.Copy(req.Header, accepted[r.Op.Streams])
	maps.Copy(req.Header, r.Header)

	// A call has no CloseIdleConnections, which go-retryablehttp calls after a failure: it would cost the other
	// callers their connections.
	repeating := &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: c},
		RetryMax:     s.cfg.MaxRetries + 1, // checkRetry counts
		CheckRetry:   c.checkRetry,
		Backoff:      c.backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	_, err = repeating.Do(req) //nolint:bodyclose // RoundTrip has closed it, and the caller closes a stream
	if err != nil {
		return Answer{}, CauseError(c.known, err)
	}
	if c.refusal != nil {
		return Answer{}, c.refusal
	}

	return c.answer, nil
}

// Close closes idle connections. Requests in flight go on.
func (s *Sender) Close() { s.pool.CloseIdleConnections() }
