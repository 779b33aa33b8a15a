// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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

// Config configures a Client. Limits that are zero take the defaults above, except
// MaxRetries: zero retries nothing.
type Config struct {
	// BaseURL is {base_url} of the interface; see ParseBaseURL for what is accepted.
	BaseURL string
	// Credentials hold exactly one of the ways to authenticate (section 5).
	Credentials transport.Credentials
	// Wire decides what the interface leaves open.
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
	// CACertPEM holds certificates that are trusted in addition to the system's.
	CACertPEM []byte
	// Headers are added to every request to the service.
	Headers map[string]string
	// UserAgent is sent with every request.
	UserAgent string
	// LogIsOff leaves out the log line of each attempt. Preparing it costs time even if no
	// log is written.
	LogIsOff bool
	// Now returns the current time, by which a day is over; nil is the system's clock.
	Now func() time.Time
	// DialContext replaces the dialer, and Proxy the proxy settings of the environment.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Proxy       func(*http.Request) (*url.URL, error)
	// Observer is told what answers look like.
	Observer func(transport.Head)
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
