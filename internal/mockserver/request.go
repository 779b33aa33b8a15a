package mockserver

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// How a request presented itself (section 5), in Request.Auth.
const (
	AuthNone   = "none"
	AuthBearer = "bearer"
	AuthSecret = "secret"
)

// Request is one request as the server received it, and what became of it. It holds
// credentials and personal data as they were sent: it is for assertions, not for
// printing.
type Request struct {
	Seq         int           // counts from 1 over the life of the server
	At          time.Time     // arrival, by the server's clock
	Took        time.Duration // from arrival to the decision of the outcome, by the server's clock
	Operation   string        // one of the Op constants; empty for an unknown route
	Method      string
	Template    string // path of the operation with {placeholders}; empty for an unknown route
	EscapedPath string // as sent, without the base path
	Scope       Scope  // zero where the path has none
	Identity    string // decoded once, otherwise byte by byte
	Auth        string // AuthNone, AuthBearer or AuthSecret
	Token       string // the JWT that was presented
	Place       string // where parameters were: InJSON, InForm, InQuery, two joined by "+", or empty
	Fields      []string
	// Sent has the parameters as sent: bool, string, json.Number, nil and their
	// like from JSON; string from a form or a query, []any of them where repeated.
	Sent       map[string]any
	Header     http.Header
	RemoteAddr string

	// Status is what was answered; 0 where no status was sent (yet).
	Status int
	// Committed reports whether the service carried the operation out: it answered
	// with 2xx itself, whether or not that answer was delivered. Of a deferred one it
	// means that it is in the queue.
	Committed bool
}

// call is one request on its way through the server.
type call struct {
	server  *Server
	route   *route   // nil for an unknown one
	entry   *Request // what can change in it is guarded by Server.mu
	settled bool     // likewise
	scope   Scope
	vars    map[string]string
	params  parameters
	key     string // the secret key that was presented
	email   string // of the user whom the token belongs to
}

// receive recognises a request and writes it into the log.
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

// name is the operation for messages, never the path, which holds personal data.
func (c *call) name() string {
	if c.route == nil {
		return "an unknown route"
	}
	return c.route.operation
}

func (c *call) update(change func(*Request)) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	change(c.entry)
}

// settle decides the outcome, once: an answer begins once.
func (c *call) settle(status int) {
	now := c.server.clock().Now()
	first := false
	c.update(func(e *Request) {
		if first = !c.settled; first {
			c.settled = true
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

// Requests returns the requests since the last Reset, in the order of their
// arrival; those that are not answered yet have no status.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Request, len(s.log))
	for i, e := range s.log {
		list[i] = e.clone()
	}
	return list
}

// Count returns how many requests of an operation Requests has, whatever became of
// them; of all operations where it is empty. It panics on an operation that there
// is none of, which would count nothing.
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

// Reset forgets the requests so far, for Requests and Count. Records, tokens,
// faults and violations stay, and Seq goes on.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}
