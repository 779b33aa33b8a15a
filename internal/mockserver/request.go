// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// Methods of authentication (section 5), in Request.Auth.
const (
	AuthNone   = "none"
	AuthBearer = "bearer"
	AuthSecret = "secret"
)

// Request is a request in the log of the server, with its outcome. It holds credentials
// and personal data as they were sent: it is meant for assertions, not for printing.
type Request struct {
	Seq         int           // counts from 1 over the life of the server
	At          time.Time     // arrival, by the server's clock
	Took        time.Duration // from arrival to the answer, by the server's clock
	Operation   string        // one of the Op constants; empty on an unknown route
	Method      string
	Template    string // path of the operation with {placeholders}; empty on an unknown route
	EscapedPath string // as sent, without the base path
	Scope       Scope  // zero if the path has none
	Identity    string // decoded once; empty if the path has none
	Auth        string // AuthNone, AuthBearer or AuthSecret
	Token       string // the JWT that was presented
	// Place is where the parameters were: InJSON, InForm or InQuery, two of them joined
	// by "+", or empty.
	Place  string
	Fields []string // the names in Sent, sorted
	// Sent are the parameters by name. Those in JSON are decoded, with numbers as
	// json.Number; those in a form or the query are strings, or []any of strings if
	// repeated.
	Sent       map[string]any
	Header     http.Header
	RemoteAddr string

	// Status is the status of the answer; 0 if none was sent, or not yet.
	Status int
	// Committed reports whether the service carried out the operation, that is, answered
	// with 2xx itself, whether or not that answer was delivered. A deferred request is
	// committed once it is in the queue.
	Committed bool
}

// call is one request on its way through the server.
type call struct {
	server *Server
	route  *route // nil if unknown
	scope  Scope
	vars   map[string]string // of the path, decoded
	params parameters
	key    string // the secret key that was presented
	email  string // of the token's user

	entry     *Request // its Status, Took and Committed are guarded by Server.mu
	completed bool     // guarded by Server.mu
}

// receive returns the call of a request and adds it to the log.
func (s *Server) receive(r *http.Request, body []byte) *call {
	c := &call{server: s, params: readParameters(r, body)}
	c.route, c.vars = findRoute(r.Method, r.URL.EscapedPath())
	c.scope = Scope{OrgID: c.vars["orgId"], ProjectID: c.vars["projectId"], AccountID: c.vars["accountId"]}

	c.entry = &Request{
		At:          s.clock().Now(),
		Method:      r.Method,
		EscapedPath: r.URL.EscapedPath(),
		Scope:       c.scope,
		Identity:    c.vars["identityId"],
		Place:       c.params.place,
		Fields:      slices.Sorted(maps.Keys(c.params.sent)),
		Sent:        c.params.sent,
		Header:      r.Header.Clone(),
		RemoteAddr:  r.RemoteAddr,
	}

	c.entry.Auth, c.entry.Token, c.key = credential(r)
	if c.route != nil {
		c.entry.Operation, c.entry.Template = c.route.operation, c.route.template
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	s.seq++
	c.entry.Seq = s.seq
	if !s.DiscardLog {
		s.log = append(s.log, c.entry)
	}

	return c
}

// name returns the operation for messages. The path is never in them, since it holds
// personal data.
func (c *call) name() string {
	if c.route == nil {
		return "an unknown route"
	}
	return c.route.operation
}

// update changes the log entry under Server.mu.
func (c *call) update(change func(*Request)) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()

	change(c.entry)
}

// complete records the status of the answer, 0 if there is none, and calls
// Server.OnRequest. Only the first call has an effect.
func (c *call) complete(status int) {
	now := c.server.clock().Now()

	first := false
	c.update(func(e *Request) {
		if first = !c.completed; first {
			c.completed = true
			e.Status, e.Took = status, now.Sub(e.At)
		}
	})

	if first && c.server.OnRequest != nil {
		c.server.OnRequest(c.snapshot())
	}
}

func (c *call) snapshot() Request {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()

	return c.entry.clone()
}

func (r *Request) clone() Request {
	c := *r
	c.Fields = slices.Clone(r.Fields)
	c.Sent = maps.Clone(r.Sent)
	c.Header = r.Header.Clone()

	return c
}

// Requests returns copies of the requests since the last Reset, in the order of
// arrival. Those that are not answered yet have no status.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()

	list := make([]Request, len(s.log))
	for i, e := range s.log {
		list[i] = e.clone()
	}

	return list
}

// Count returns how many requests of an operation Requests returns; of all operations
// if it is empty. It panics on an operation that does not exist.
func (s *Server) Count(operation string) int {
	mustBeOperation(operation)

	s.mu.Lock()
	defer s.mu.Unlock()

	n := 0
	for _, e := range s.log {
		if operation == "" || e.Operation == operation {
			n++
		}
	}

	return n
}

// Reset empties the log that Requests and Count read. Records, tokens, faults and
// violations stay, and Request.Seq continues.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}
