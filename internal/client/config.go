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
	cfg.MaxConcurrency = cmp.Or(cfg.MaxConcurrency, DefaultMaxConcurrency)
	cfg.RequestTimeout = cmp.Or(cfg.RequestTimeout, DefaultRequestTimeout)
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
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("is not a valid address; it is the address of the service, such as https://analytics.example.com")
	}

	const more = "contains user information, a query or a fragment; give only scheme, host, port and path"
	const noPort = "has a port outside 1 to 65535"
	const dots = "has a path with . or .. segments" // which would move every request, a deletion included, to another path
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
	for _, check := range []struct {
		wrong   bool
		problem string
	}{
		{!slices.Contains([]string{"https", "http"}, u.Scheme), "does not begin with https://"},
		{u.Scheme == "http" && !isLoopback(u.Hostname()), "uses plain http to another machine; credentials and personal data would be readable on the way, use https"},
		{u.User != nil, more},
		{strings.ContainsAny(raw, "?#"), more},
		{u.Hostname() == "", "has no host"},
		{err != nil, noPort},
		{port == 0, noPort},
		{strings.HasSuffix(u.Host, ":"), noPort},
		{strings.Contains(u.Path+"/", "/./"), dots},
		{strings.Contains(u.Path+"/", "/../"), dots},
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
	addr, _ := netip.ParseAddr(host) // zero beside an error
	return strings.EqualFold(host, "localhost") || addr.IsLoopback()
}
