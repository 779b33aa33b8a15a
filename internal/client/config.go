// SPDX-License-Identifier: MPL-2.0

package client

import (
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

// Config configures a Client. New sets Base and LoginParametersIn of the embedded one. Limits
// that are zero take the defaults above, except MaxRetries: zero retries nothing.
type Config struct {
	transport.Config

	// BaseURL is {base_url} of the interface; see ParseBaseURL for what is accepted.
	BaseURL string
	// Wire decides what the interface leaves open.
	Wire Wire
	// Now returns the current time, by which a day is over; nil is the system's clock.
	Now func() time.Time
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
