// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"cmp"
	jsonv1 "encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Request is a request in the log of the server, with its outcome. It holds credentials and personal
// data as they were sent, and what it refers to must not be changed.
type Request struct {
	Seq         int           // counts from 1 over the life of the server
	At          time.Time     // arrival, by the server's clock
	Took        time.Duration // from arrival to the answer, by the server's clock
	Operation   string        // one of the Op constants; empty on an unknown route
	Method      string
	Template    string // path of the operation with {placeholders}; empty on an unknown route
	EscapedPath string // as sent
	Scope       Scope  // zero if the path has none
	Identity    string // decoded once; empty if the path has none
	Auth        string // AuthBearer, AuthSecret or empty
	Token       string // the JWT that was presented
	// Sent are the parameters by name. Those in JSON are decoded, with numbers as
	// json.Number; those in a form or the query are strings, the first of each name.
	Sent   map[string]any
	Header http.Header
	Status int // of the answer; 0 if none was sent, or not yet
	// Committed reports whether the service answered with 2xx itself, whether or not that was delivered.
	Committed bool

	route     route
	place     string // of the parameters: InJSON, InForm or InQuery
	malformed bool   // some of the parameters cannot be read, or are there twice
	key       string // the secret key that was presented
	completed bool   // guarded by Server.mu, like Status, Took and Committed
}

func (c *Request) person() scoped { return scoped{c.Scope, c.Identity} }

// receive returns what is known of a request when it arrives, and adds it to the log.
func (s *Server) receive(o route, r *http.Request, body []byte) *Request {
	_, template, _ := strings.Cut(o.pattern, " ")
	c := &Request{
		At: s.now(), route: o, Operation: o.operation, Method: r.Method, Template: template, EscapedPath: r.URL.EscapedPath(),
		Scope:    Scope{OrgID: r.PathValue("orgId"), ProjectID: r.PathValue("projectId"), AccountID: r.PathValue("accountId")},
		Identity: r.PathValue("identityId"), Header: r.Header.Clone(), Sent: map[string]any{},
	}

	query, err := url.ParseQuery(r.URL.RawQuery)
	c.malformed = err != nil

	c.key = query.Get(secretParameter)
	token, bears := strings.CutPrefix(r.Header.Get("Authorization"), "bearer ")
	switch {
	case bears:
		c.Auth, c.Token = AuthBearer, token
	case query.Has(secretParameter):
		c.Auth = AuthSecret
	}
	delete(query, secretParameter)
	c.readParameters(query, r.Header.Get("Content-Type"), body)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	c.Seq = s.seq
	s.log = append(s.log, c)

	return c
}

// complete records the status of the answer, 0 if there is none. Only the first call has an effect.
func (s *Server) complete(c *Request, status int) {
	now := s.now()
	s.mu.Lock()
	isFirst := !c.completed
	if isFirst {
		c.completed, c.Status, c.Took = true, status, now.Sub(c.At)
	}
	done := *c
	s.mu.Unlock()

	if isFirst && s.OnRequest != nil {
		s.OnRequest(done)
	}
}

// Requests returns copies of the requests since the last Reset, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copies(s.log)
}

func copies[T any](list []*T) []T {
	all := make([]T, len(list))
	for i, e := range list {
		all[i] = *e
	}
	return all
}

// Count returns how many requests of an operation, empty for all, Requests returns.
func (s *Server) Count(operation string) int {
	isOther := func(r Request) bool { return r.Operation != cmp.Or(operation, r.Operation) }
	return len(slices.DeleteFunc(s.Requests(), isOther))
}

// Reset empties the log that Requests and Count read, which otherwise grows for ever. Request.Seq continues.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// Places of parameters and formats of a time, which the interface leaves open.
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"

	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"
	TimeUnixS   = "unix_s"
	TimeUTC     = "utc" // without a zone
	TimeDate    = "date"
)

// Wire chooses among the forms of requests that the interface leaves open, as the provider's block of this name
// does. Parameters in another place than the chosen one, InJSON if it is empty, count as absent.
type Wire struct {
	Login struct {
		ParametersIn string `json:"parameters_in"`
	} `json:"login"`
	Consent struct {
		ParametersIn string `json:"parameters_in"`
		TimeFormat   string `json:"time_format"`
	} `json:"consent"`
	// Each export chooses its kind of records with KindParameter, if there is one. KindValues are its values for
	// persons, sessions and events; by default, person, session and event.
	Export struct {
		KindParameter string            `json:"kind_parameter"`
		KindValues    map[string]string `json:"kind_values"`
	} `json:"export"`
}

// secretParameter is the query parameter of the secret key (section 5). It is not a parameter of any operation.
const secretParameter = "apiSecretToken"

// readParameters sets Sent from the query or the body. Parameters in both or there twice are malformed.
func (c *Request) readParameters(query url.Values, contentType string, body []byte) {
	if len(body) == 0 {
		c.take(InQuery, query)
		return
	}

	var isRead bool
	if media, _, _ := mime.ParseMediaType(contentType); media == "application/x-www-form-urlencoded" {
		form, err := url.ParseQuery(string(body))
		c.take(InForm, form)
		isRead = err == nil
	} else {
		c.place = InJSON
		c.Sent, isRead = readObject(body)
	}
	c.malformed = c.malformed || !isRead || len(query) > 0
}

// take sets Sent from a form or a query.
func (c *Request) take(place string, values url.Values) {
	c.place = place
	for name, list := range values {
		c.Sent[name] = list[0]
		c.malformed = c.malformed || len(list) > 1
	}
}

// readObject returns the one JSON object that text consists of; false if it is anything else or has a name twice.
func readObject(text []byte) (map[string]any, bool) {
	var object map[string]any
	if json.Unmarshal(text, &object, exactNumbers) != nil {
		return nil, false
	}
	return object, object != nil
}

// exactNumbers decodes a number of any type as the json.Number of encoding/json.
var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, value *any) error {
	if dec.PeekKind() != jsontext.KindNumber {
		return errors.ErrUnsupported
	}

	number, err := dec.ReadToken()
	*value = jsonv1.Number(number.String())

	return err
}))

// sentIn returns the parameters if they are in that place, empty for InJSON, and none if they are in another.
func (c *Request) sentIn(place string) map[string]any {
	if c.place != cmp.Or(place, InJSON) {
		return nil
	}
	return c.Sent
}

// Response is the answer of an operation before it is sent.
type Response struct {
	Status int
	Header http.Header
	// Body is encoded as JSON, unless it is a []byte. That of an export is generated while it is sent.
	Body any
	// Receipt reports whether this is the answer to a request that the service has queued.
	Receipt bool

	encoded []byte // Body as it is sent; nil if it is generated
}

// Change adds a step, behind those before, that changes each answer of the service before it is sent.
func (s *Server) Change(step func(Request, *Response)) { s.steps = append(s.steps, step) }

// Reshape replaces the bodies of some operations' answers by what change makes of them. Errors,
// receipts, and bodies of another type than T stay as they are.
func Reshape[T, U any](s *Server, change func(T) U, operations ...string) {
	s.Change(func(r Request, a *Response) {
		body, ok := a.Body.(T)
		if ok && !a.Receipt && a.Status < http.StatusBadRequest && slices.Contains(operations, r.Operation) {
			a.Body = change(body)
		}
	})
}

// ReshapePending changes each record on the list of pending requests.
func (s *Server) ReshapePending(change func(record map[string]any)) {
	Reshape(s, func(records []map[string]any) any {
		for _, record := range records {
			change(record)
		}
		return records
	}, OpListPendingRequests)
}

// success returns a 200 with v as JSON.
func success(v any) Response {
	return Response{Status: http.StatusOK, Header: http.Header{}, Body: v}
}

// failure returns an error with objections to parameters by their names, if there are some.
func failure(status int, code, message string, objections map[string]string) Response {
	problem := map[string]any{"code": code, "message": message}
	if objections != nil {
		problem["fields"] = objections
	}
	return Response{Status: status, Header: http.Header{}, Body: map[string]any{"error": problem}}
}

func invalid(objections map[string]string) Response {
	return failure(http.StatusBadRequest, "invalid_parameters", "Some parameters are missing or wrong.", objections)
}

// encode sets what is sent as the body, unless it is generated, and the header fields of content.
func (a *Response) encode() {
	switch body := a.Body.(type) {
	case *exportStream:
	case []byte:
		a.encoded = body
	default:
		a.encoded = encode(body)
	}

	if len(a.encoded) > 0 {
		a.Header.Set("Content-Length", strconv.Itoa(len(a.encoded)))
		a.Header.Set("Content-Type", cmp.Or(a.Header.Get("Content-Type"), "application/json"))
	}
}

// encode returns v as JSON. It panics where that cannot be, because of the hook of a test.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := jsonv1.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
