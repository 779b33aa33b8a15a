// SPDX-License-Identifier: MPL-2.0

// Package mockserver is the analytics service in memory. It is written from the description of the interface,
// whose sections the comments name, and shares no code with the client, so that an error in one is not hidden
// by the same error in the other. Where the description is silent, x-assumption in the contract's openapi.yaml
// says what is assumed.
//
// A request passes ServeHTTP, which logs it, Server.Wrap, the faults, Server.Check, the steps of
// Server.Change, and in the end authentication and the operation. Check and Change do not see
// what a fault keeps from the service.
package mockserver

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"sync"
	"sync/atomic"
	"time"
)

// Server is the service. The zero value is ready for use and knows no credentials and no persons. The exported
// fields must not be changed after the first request. All methods are safe for concurrent use.
type Server struct {
	Now     func() time.Time // the time of the service; nil is time.Now
	Latency time.Duration    // before every answer, including scripted ones
	Wire    Wire
	// Claims returns the claims of a new JWT, which is accepted for an hour anyway. Nil: sub, iat and exp.
	Claims func(now time.Time) map[string]any

	// FulfilmentDelay is the time from the acceptance of a deferred request to its fulfilment. 0 fulfils it
	// before the next request.
	FulfilmentDelay time.Duration
	// Fulfil decides the outcome of each deferred request when it is accepted; nil is the zero Outcome.
	Fulfil func(QueuedRequest) Outcome
	// DataRetention is how long all data of a person can be fetched once they are ready; 0 is one hour.
	DataRetention time.Duration

	Export ExportAnswer
	// ExportRecords is the number of events of every day that PutExport has not set. A day has a session for every
	// twenty of them and a person for every hundred; 1,000,000 are about 400 MB.
	ExportRecords int

	// FaultFor returns the fault of a request, or nil. One that was injected takes precedence.
	FaultFor func(Request) *Fault
	// OnRequest is called with each request once its status is known, before the client has the answer.
	OnRequest func(Request)
	// Wrap returns a handler around the service and its faults. It is called once per request.
	Wrap func(service http.Handler) http.Handler
	// Check is called with each answer that is not scripted before it is sent. A generated body is nil.
	Check func(*http.Response)

	mux                      http.ServeMux
	ready                    sync.Once
	steps                    []func(Request, *Response) // what Change has added
	users, keys, tokens      sync.Map                   // password by email, secret keys, and grant by token
	consents, profiles, data sync.Map                   // map[string]any by person (scoped), replaced and never changed
	prepared                 sync.Map                   // allData by person
	exports                  sync.Map                   // exportDay by day (scoped)
	accepted                 atomic.Int64

	mu     sync.Mutex       // guards the fields below; never held while sending or waiting
	queue  []*QueuedRequest // all that were ever accepted, in the order of acceptance
	faults []*Fault
	lag    Lag
	log    []*Request
	seq    int
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// ServeHTTP answers a request of section 4. It panics with http.ErrAbortHandler to break the connection off.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.ready.Do(func() {
		for _, o := range routes {
			s.mux.HandleFunc(o.pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(o, w, r) })
		}
	})
	if escaped := r.URL.EscapedPath(); escaped != path.Clean(escaped) { // the mux would redirect it
		s.serve(unknown, w, r)
		return
	}

	s.mux.ServeHTTP(w, r)
}

// serve logs a request and answers it.
func (s *Server) serve(o route, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	r.Body = io.NopCloser(bytes.NewReader(body))
	c := s.receive(o, r, body)
	defer s.complete(c, 0)

	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.respond(c, w, r) })
	if s.Wrap != nil {
		handler = s.Wrap(handler)
	}
	handler.ServeHTTP(w, r)
}

// answer carries out a request and returns its answer, ready to be sent.
func (s *Server) answer(c *Request, r *http.Request) Response {
	a := s.operate(c)
	for _, step := range s.steps {
		step(*c, &a)
	}

	a.encode()
	a.Header.Set("Date", s.now().UTC().Format(http.TimeFormat))
	s.mu.Lock()
	c.Committed = a.Status/100 == 2
	s.mu.Unlock()
	if s.Check == nil {
		return a
	}

	checked := &http.Response{StatusCode: a.Status, Header: a.Header, Request: r}
	if a.encoded != nil {
		checked.Body = io.NopCloser(bytes.NewReader(a.encoded))
	}
	s.Check(checked)

	return a
}

// operate authenticates a request and runs its operation.
func (s *Server) operate(c *Request) Response {
	if c.Operation != OpLogin && !s.authenticate(c) {
		return failure(http.StatusUnauthorized, "unauthenticated", "The credentials are missing, wrong or have expired.", nil)
	}
	if c.malformed {
		return failure(http.StatusBadRequest, "malformed", "The parameters cannot be read.", nil)
	}

	s.lockUpToDate()
	s.mu.Unlock()

	return c.route.handle(s, c)
}
