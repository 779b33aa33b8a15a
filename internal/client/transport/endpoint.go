// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/url"
	"strings"
)

// Operation describes an endpoint of section 4 for all calls of it.
type Operation struct {
	Name   string // for messages and logs
	Method string
	// Path is the template of the path behind that of the scope; empty for an operation
	// outside of the path families.
	Path string
	// Effect: the service changes something. read_only refuses the operation, and a lost
	// answer leaves open whether it was carried out.
	Effect bool
	// Queues: each request that arrives is another one in the service's queue. Messages
	// warn of repeating it.
	Queues bool
	// Streams: the answer may be larger than memory and is read while it comes.
	// request_timeout bounds each of its silences and not the whole.
	Streams bool
	// Lingers: where the run is interrupted, an attempt that was sent goes on for
	// interruptGrace, because its outcome could not be found out otherwise.
	Lingers bool
	// Anonymous: the request is sent without credentials.
	Anonymous bool
	// Fresh: what the service shows decides about requests, so that no cache must answer.
	Fresh bool
}

// Endpoint is the path of a request below the base address.
type Endpoint struct {
	template string // for messages and logs, such as /v1/org/{orgId}/…
	Escaped  string // as it is sent
}

// Expand returns the endpoint of a template with values in place of its {names}, in their
// order.
func Expand(template string, values ...string) Endpoint {
	var escaped strings.Builder
	rest := template
	for _, v := range values {
		before, after, _ := strings.Cut(rest, "{")
		_, rest, _ = strings.Cut(after, "}")
		escaped.WriteString(before + EscapeSegment(v))
	}

	return Endpoint{template: template, Escaped: escaped.String() + rest}
}

// EscapeSegment percent-encodes every byte that is not unreserved in RFC 3986, so that
// proxies and servers have nothing left to interpret.
func EscapeSegment(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// Under returns the address of the endpoint below base. It cleans nothing.
func (e Endpoint) Under(base *url.URL) *url.URL {
	decoded, _ := url.PathUnescape(e.Escaped) // Expand has escaped it
	u := *base
	u.Path = base.Path + decoded
	u.RawPath = base.EscapedPath() + e.Escaped
	return &u
}
