// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
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

	// MayBeAbsent: that there is none is an ordinary answer, so that nobody reads what the
	// service says beside it. A batch compares thousands of such rows.
	MayBeAbsent bool
	// Private are values that no message may show.
	Private []string
	// Compared is when the comparison was answered from which the request follows; zero
	// where it follows from none. It is not sent where it would have to wait.
	Compared time.Time
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

// Call is one use of an operation: a request with what is known of its attempts.
type Call struct {
	Request
	Redact *Redactor
	sender *Sender

	attempts int
	token    string      // of a login, in the last attempt; empty without one
	sent     atomic.Bool // the request of the last attempt reached the connection
	answer   Answer      // of the last attempt
}

// newCall returns a call and its HTTP request, which has no credentials. A write of a
// read-only sender is an error.
func (s *Sender) newCall(ctx context.Context, r Request) (*Call, *retryablehttp.Request, error) {
	k := &Call{Request: r, Redact: &Redactor{secrets: &s.secrets, values: r.Private}, sender: s}
	if r.Op.Effect && s.cfg.ReadOnly {
		return nil, nil, k.Fail(ClassReadOnly, 0, "nothing was sent, because read_only is set")
	}

	var body any
	if r.Body != nil {
		body = r.Body
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, r.Op.Method, "http://invalid", body)
	if err != nil {
		return nil, nil, k.Fail(ClassInternal, 0, "the request could not be built")
	}

	req.URL = r.To.Under(s.cfg.Base)
	req.URL.RawQuery = r.Query
	req.Host = req.URL.Host

	req.Header.Set("Cache-Control", "no-cache") // what the service shows decides about requests
	req.Header.Set("Accept", "application/json")
	if r.Op.Streams {
		req.Header.Set("Accept", "application/json, application/x-ndjson, */*;q=0.1")
		req.Header.Set("Accept-Encoding", "zstd, gzip")
	}
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}

	return k, req, nil
}

// Fail returns an error of this call. status is 0 where there was no answer.
func (k *Call) Fail(class ErrorClass, status int, detail string) *Error {
	return &Error{
		Class:     class,
		Status:    status,
		Detail:    detail,
		Operation: k.Op.Name,
		Method:    k.Op.Method,
		Template:  k.To.template,
		Attempts:  k.attempts,
		Queued:    k.Op.Queues,
		// An unreadable success is still a success: the change may be there.
		Ambiguous: k.Op.Effect && status/100 == 2,
		passes:    slices.Contains([]ErrorClass{ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassTruncated}, class),
	}
}

// Interrupted returns the error of an operation whose context ended before anything was sent.
func Interrupted(op Operation, to Endpoint, err error) *Error {
	return (&Call{Request: Request{Op: op, To: to}}).TransportError(err)
}

// ErrOutdated is the cause of the error of a write that was not sent, because it would have
// had to wait after its comparison. It needs another one.
var ErrOutdated = errors.New("the update had to wait each time after it was compared with what the service holds, so it was not sent")

// staleAfter is how long a comparison is valid. Its write follows without a wait, so that a
// longer time means that the machine stood still.
const staleAfter = time.Second

// outdated returns the error with the cause ErrOutdated.
func (k *Call) outdated() *Error {
	e := k.Fail(ClassRateLimited, 0, ErrOutdated.Error())
	e.Cause = ErrOutdated
	return e
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
