// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

// Kind is what an operation does, and so what repeating it means for the service.
type Kind int

// The kinds of operations. Reads is the zero value.
const (
	Reads   Kind = iota // changes nothing
	Writes              // leaves the same behind, however often it arrives
	Queues              // each request that arrives is another one in the queue
	Exports             // a read that is repeated from its beginning
	LogsIn              // each failure counts towards the locking of the account
	kinds
)

// changes are the kinds that change something: read_only refuses them, and a lost answer leaves open
// whether they were carried out.
var changes = [kinds]bool{Writes: true, Queues: true}

// Operation describes an endpoint of section 4 for all calls of it.
type Operation struct {
	Name    string // for messages and logs
	Method  string
	Kind    Kind
	Path    string // template, behind that of the scope; empty outside of the path families
	Streams bool   // the answer may be larger than memory, and request_timeout bounds each of its silences
}

// Endpoint is the path of a request below the base address.
type Endpoint struct {
	Template string // for messages and logs, such as /v1/org/{orgId}/…
	Escaped  string // as it is sent
}

// Request is what an endpoint asks the service for.
type Request struct {
	Op Operation
	To Endpoint

	Query     string
	Header    http.Header // of the body; not changed
	Body      []byte
	Attribute string // whose value the body holds; empty where the body is small

	Private []string // values that no message may show
	Absent  []string // answers that say that there is nothing about the person; nil of a request about nobody
}

// Where the parameters of a request are.
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"
)

// JSONBody is the header of a request with a body of JSON.
var JSONBody = http.Header{"Content-Type": {"application/json"}}

// SetParameters puts parameters, by name, into the body or the query, as one of these says.
func (r *Request) SetParameters(in string, parameters map[string]any) (err error) {
	if in == InJSON {
		r.Header = JSONBody
		r.Body, err = json.Marshal(parameters, json.Deterministic(true))
		return err
	}

	values := url.Values{}
	for name, value := range parameters {
		values.Set(name, fmt.Sprint(value))
	}
	if in == InQuery {
		r.Query = values.Encode()
		return nil
	}
	r.Body, r.Header = []byte(values.Encode()), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}

	return nil
}

// Exchange is what an error or an answer is about: an operation, and what is known of its attempts.
type Exchange struct {
	Op       Operation
	To       Endpoint
	Attempts int
	Status   int       // of the answer; 0 without one
	Redact   *Redactor // of what the service says; nil where nothing of it is known
	Cached   bool      // a cache has kept the answer: it has an Age, or its Date is before that of an earlier answer
	Date     time.Time // when the service made the answer; zero if it does not say so

	absent []string // of the request
	host   string   // of base_url
	sent   bool     // by the latest attempt, so that the service may know of it
}

// call is a request on its way, and what is learned of it. It is the http.RoundTripper of its attempts.
type call struct {
	Request

	sender   *Sender
	known    Exchange   // what is known before an answer
	compared *time.Time // when the latest comparison of its admission was answered; nil without one

	// Of the latest attempt.
	sent, isHTTP2 atomic.Bool // its header was written, and over which protocol
	newestBefore  int64       // Sender.newest when it began
	token         string      // of a login; empty without one
	began         time.Time   // when it had that
	answer        Answer
	refusal       *Error // that the answer is, or why there is none; nil for a success
}

// admissionKey is the key of an admission in a context: when its latest comparison was answered.
type admissionKey struct{}
