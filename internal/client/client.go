// Package client is the analytics service as Go: authentication, transport,
// retries, and one file per group of endpoints. It knows nothing of Terraform's
// schemas and types.
//
// The service is known only by its interface description; the section numbers in
// the comments are that document's. Where it is silent the client is tolerant,
// where it speaks the client is exact.
//
// A request passes these layers, outermost first:
//
//	Client.do          one operation: read-only guard, answer or *Error
//	retryablehttp      retries by class (retry.go)
//	answer             reads the body with limits and judges it (answer.go)
//	gate               concurrency, rate and a shared Retry-After (gate.go); one
//	                   admission for a comparison and its write (admission.go)
//	attempt            one attempt's time limit, its log line (attempt.go)
//	auth               credentials on a clone, for the one origin (auth.go)
//	http.Transport     TLS, proxy, connections (transport.go)
package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Defaults and bounds of the settings. The service documents no rate limits
// (section 8), so these are our choice: moderate, and all of them can be set.
const (
	DefaultMaxConcurrency = 16
	LimitMaxConcurrency   = 256
	DefaultRequestTimeout = 30 * time.Second
	MinRequestTimeout     = time.Second
	LimitRequestTimeout   = 10 * time.Minute
	DefaultMaxRetries     = 4
	LimitMaxRetries       = 10
	LimitRequestsPerSec   = 10_000
)

// Config is everything a Client needs. Zero values of the limits take the
// defaults above, except MaxRetries: zero retries nothing.
type Config struct {
	// BaseURL is {base_url} of the interface; see ParseBaseURL for what is accepted.
	BaseURL string
	// Credentials are exactly one of the accepted ways to authenticate (section 5).
	Credentials Credentials
	// Wire settles what the interface leaves open.
	Wire Wire
	// ReadOnly makes every write fail before anything is sent.
	ReadOnly bool
	// MaxConcurrency bounds requests in flight and connections.
	MaxConcurrency int
	// RequestsPerSecond bounds the rate of requests; zero is unlimited.
	RequestsPerSecond float64
	// RequestTimeout bounds one attempt, answer included.
	RequestTimeout time.Duration
	// MaxRetries is how often one request is sent again at most.
	MaxRetries int
	// CACertPEM holds certificates that are trusted beside the system's.
	CACertPEM []byte
	// Headers are added to every request to the service.
	Headers map[string]string
	// UserAgent is sent with every request.
	UserAgent string
	// Now is the clock by which a day is over; nil is the system's.
	Now func() time.Time
	// DialContext replaces the dialer, Proxy the proxy settings of the environment.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Proxy       func(*http.Request) (*url.URL, error)
}

// Client calls the service for one origin with one set of credentials. Nothing
// is shared between clients: no token, no connection, no limit. Safe for
// concurrent use.
type Client struct {
	base     *url.URL
	wire     Wire
	readOnly bool
	retries  *retryablehttp.Client
	pool     *http.Transport
	auth     *authTransport
	gate     *gate
	people   keyedLocks
	now      func() time.Time
}

// New checks the configuration and builds a client. It contacts nothing: the
// login happens with the first request that needs it. Errors name the setting,
// never its value.
func New(cfg Config) (*Client, error) {
	base, err := ParseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(cfg.Credentials.Validate(), ValidateHeaders(cfg.Headers), cfg.Wire.Validate()); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	transport, err := newTransport(cfg)
	if err != nil {
		return nil, err
	}
	auth := newAuthTransport(cfg, base, transport)
	attempt := &attemptTransport{next: auth, timeout: cfg.RequestTimeout}
	gate := newGate(attempt, cfg.MaxConcurrency, cfg.RequestsPerSecond)
	return &Client{
		base:     base,
		wire:     cfg.Wire.withDefaults(),
		readOnly: cfg.ReadOnly,
		retries:  newRetryClient(gate, cfg.MaxRetries),
		pool:     transport,
		auth:     auth,
		gate:     gate,
		now:      cfg.Now,
	}, nil
}

func (cfg Config) withDefaults() Config {
	if cfg.MaxConcurrency <= 0 {
		cfg.MaxConcurrency = DefaultMaxConcurrency
	}
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = DefaultRequestTimeout
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Wire = cfg.Wire.withDefaults()
	return cfg
}

// Close lets go of idle connections. Requests in flight are not touched.
func (c *Client) Close() { c.pool.CloseIdleConnections() }

// Today is the UTC day that is not over yet, whatever zone the machine is in.
func (c *Client) Today() time.Time { return c.now().UTC().Truncate(24 * time.Hour) }

// ReadOnly reports whether every write fails before anything is sent.
func (c *Client) ReadOnly() bool { return c.readOnly }

// Notices returns what a user should hear of once although nothing failed, such
// as a clock that is far off; each notice is returned by one call only.
func (c *Client) Notices() []string { return c.auth.takeNotices() }
