// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
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

// Config configures a Client. New sets Base, LoginParametersIn and Envelope of the embedded one. Limits
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

// ParseBaseURL parses {base_url}: an absolute https address, with an optional port and
// sub-path, without user, query and fragment. Plain http is accepted only for this machine
// (localhost, 127.0.0.0/8, ::1), since credentials and personal data would be readable in
// the network. Errors complete a sentence about the setting, and never repeat the value.
func ParseBaseURL(raw string) (*url.URL, error) {
	const example = "; it is the address of the service, such as https://analytics.example.com"
	if strings.TrimSpace(raw) == "" {
		return nil, errors.New("is empty" + example)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("is not a valid address" + example)
	}

	port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
	isPort := err == nil && port > 0
	for _, check := range []struct {
		wrong   bool
		problem string
	}{
		{u.Scheme == "", "has no scheme; write https:// in front of the host"},
		{u.Scheme == "http" && !isLoopback(u.Hostname()), "uses plain http to another machine; credentials and personal data would be readable on the way, use https"},
		{!slices.Contains([]string{"https", "http"}, u.Scheme), "has a scheme other than https"},

		{u.User != nil, "contains user information; credentials belong into email and password, token or api_secret_key"},
		{strings.Contains(raw, "#"), "contains a fragment; give only scheme, host, port and path"},
		{strings.Contains(raw, "?"), "contains a query; give only scheme, host, port and path"},
		{u.Opaque != "", "is not of the form https://host"},

		{u.Hostname() == "", "has no host"},
		{strings.HasSuffix(u.Host, ":"), "has a colon but no port"},
		{!isPort, "has a port outside 1 to 65535"},

		// They would move every request, a deletion included, to another path.
		{strings.Contains(u.Path+"/", "/./"), "has a path with . or .. segments"},
		{strings.Contains(u.Path+"/", "/../"), "has a path with . or .. segments"},
	} {
		if check.wrong {
			return nil, errors.New(check.problem)
		}
	}

	path := strings.TrimRight(u.EscapedPath(), "/")
	decoded, _ := url.PathUnescape(path) // Parse has done so

	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: decoded, RawPath: path}, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
