// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
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
	// Anonymous: the request is sent without credentials.
	Anonymous bool
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

// Request is what an endpoint asks the service for.
type Request struct {
	Op Operation
	To Endpoint
	Payload

	// Private are values that no message may show.
	Private []string
}

// Payload holds the parameters of a request as they are sent.
type Payload struct {
	Body        []byte
	ContentType string
	Query       string

	// Attribute names the attribute whose value the body holds; empty where the body is
	// small.
	Attribute string
}

// Where the parameters of a request are.
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"
)

// EncodeParameters puts parameters, by name, into the body or the query, as one of these says.
func EncodeParameters(in string, parameters map[string]any) (Payload, error) {
	if in == InJSON {
		body, err := json.Marshal(parameters, json.Deterministic(true))
		return Payload{Body: body, ContentType: "application/json"}, err
	}

	values := url.Values{}
	for name, value := range parameters {
		values.Set(name, fmt.Sprint(value))
	}
	if in == InQuery {
		return Payload{Query: values.Encode()}, nil
	}

	return Payload{Body: []byte(values.Encode()), ContentType: "application/x-www-form-urlencoded"}, nil
}

// Exchange is what an error or an answer is about: an operation, and what is known of its attempts.
type Exchange struct {
	Op       Operation
	Template string // of the path
	Attempts int
	Status   int       // of the answer; 0 without one
	Redact   *Redactor // of what the service says; nil where nothing of it is known

	// Cached reports whether a cache has kept the answer for some time: it has an Age, or its Date is
	// before that of an answer which came before the request. Date is when the service
	// made it; zero if it does not say so.
	Cached bool
	Date   time.Time

	host   string // of base_url
	isSent bool   // a request without an answer reached the connection
}

// About returns the exchange of an operation that was not sent.
func About(op Operation, to Endpoint) Exchange { return Exchange{Op: op, Template: to.template} }

// call is a request on its way through the chain, and what the links learn of it. It is in the
// context of the request.
type call struct {
	Request

	sender       *Sender
	newestBefore int64 // Sender.newest when the latest attempt began

	known     Exchange
	admission *Admission // under which it is sent; nil without one
	sent      atomic.Bool
	renewal   renewal // after a 401 to a token of a login

	body []byte         // of the answer, unless it streams
	json jsontext.Value // that it holds, if it is a success
}

type (
	callKey      struct{}
	admissionKey struct{}
)

// callOf returns the call of a request that is on its way.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// newCall returns a call and its HTTP request, which has no credentials. A write of a
// read-only sender is an error.
func (s *Sender) newCall(ctx context.Context, r Request) (*call, *retryablehttp.Request, error) {
	c := &call{Request: r, sender: s}
	c.known = Exchange{Op: r.Op, Template: r.To.template, Redact: &Redactor{secrets: &s.hidden, values: r.Private}, host: s.cfg.Base.Host}
	if !r.Op.Anonymous { // a login belongs to no admission
		c.admission, _ = ctx.Value(admissionKey{}).(*Admission)
	}
	if r.Op.Effect && s.cfg.ReadOnly {
		return nil, nil, NewError(c.exchange(), ClassReadOnly, "nothing was sent, because read_only is set")
	}

	var body any
	if r.Body != nil {
		body = r.Body
	}
	to := r.To.Under(s.cfg.Base)
	to.RawQuery = r.Query
	req, err := retryablehttp.NewRequestWithContext(context.WithValue(ctx, callKey{}, c), r.Op.Method, to.String(), body)
	if err != nil {
		return nil, nil, NewError(c.exchange(), ClassInternal, "the request could not be built")
	}
	req.SetResponseHandler(c.read)

	req.Header.Set("Cache-Control", "no-cache") // what the service shows decides about requests
	req.Header.Set("Accept", "application/json")
	if r.Op.Streams {
		req.Header.Set("Accept", "application/json, application/x-ndjson, */*;q=0.1")
		req.Header.Set("Accept-Encoding", "zstd, gzip")
	}
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}

	return c, req, nil
}

// exchange returns what is known of the call now.
func (c *call) exchange() Exchange {
	x := c.known
	x.isSent = c.sent.Load()
	return x
}

// outdated returns the error of a write that would have to wait after its comparison.
func (c *call) outdated() *Error {
	return NewError(c.exchange(), ClassOutdated, "the update had to wait each time after it was compared with what the service holds, so it was not sent")
}

// PrivateValues returns the texts and numbers in a JSON value, at any depth, for a
// redactor. Names are those of fields and not private.
func PrivateValues(v jsontext.Value) []string {
	switch v.Kind() {
	case '"':
		return []string{jsonvalue.Text(v)}
	case '0':
		return []string{string(v)}
	}

	var values []string
	for _, member := range jsonvalue.EachMember(v) {
		values = append(values, PrivateValues(member)...)
	}
	for _, element := range jsonvalue.Elements(v) {
		values = append(values, PrivateValues(element)...)
	}

	return values
}
