// SPDX-License-Identifier: MPL-2.0

// Package mockserver is the analytics service in memory. It is written from the
// description of the interface and shares no code with the client, so that an error in
// one is not hidden by the same error in the other. "Section" in the comments is a
// section of that description; where it is silent, the comments name the assumption.
//
// A request passes these layers, outermost first:
//
//	Server.ServeHTTP   reads and logs the request, chooses a fault, waits Latency
//	Fault              scripted answers, cuts and hangs (fault.go, cut.go)
//	Server.Wrap        a handler of the test, such as the contract's validator
//	Server.answer      authentication and the operation itself (route.go)
//
// Faults apply before authentication. Wrap does not see what a fault keeps from the
// service.
package mockserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody is the largest request body that the server reads, in bytes.
const maxBody = 32 << 20

// Server is the service. The zero value is ready for use and knows no credentials and
// no persons. The exported fields must be set before the first request and not changed
// after it. All methods are safe for concurrent use.
type Server struct {
	// Clock is the time of the service; nil is that of package time.
	Clock Clock
	// Latency is waited for before every answer, including scripted ones.
	Latency time.Duration
	// StreamEnd is how a Cut that resets the connection ends a request over HTTP/2.
	StreamEnd StreamEnd
	// BasePath is the path of {base_url}, percent-encoded, such as "/api"; empty is the
	// root.
	BasePath string
	// Wire chooses among the forms of requests that the interface leaves open.
	Wire Wire
	// IgnoreMisplaced answers a consent update whose parameters are in another place as a
	// success that changes nothing, instead of refusing it.
	IgnoreMisplaced bool
	// Accepts reports whether an operation accepts a method of authentication, AuthBearer
	// or AuthSecret (section 5, rule 3). Nil accepts both everywhere.
	Accepts func(operation, auth string) bool
	// Lacks is the prefix of a path family that does not exist (section 9): requests for it
	// are answered with 404. Empty: both families exist.
	Lacks string
	// Answer changes each answer of an operation but an export, in place, before it is sent.
	// Reshape and its like add to it.
	Answer func(Request, *Response)
	// Claims returns the claims of a new JWT. Nil: sub, iat and exp. The claims do not
	// change how long the token is accepted.
	Claims func(now time.Time) map[string]any
	// TokenLifetime is how long a token is accepted; 0 is one hour (section 8).
	TokenLifetime time.Duration

	// FulfilmentDelay is the time from the acceptance of a deferred request to its
	// fulfilment. 0 fulfils it before the next request is processed. The real service
	// takes up to 60 seconds for a profile (section 8).
	FulfilmentDelay time.Duration
	// Fulfil decides the outcome of each deferred request when it is accepted. Nil
	// fulfils it after FulfilmentDelay.
	Fulfil func(QueuedRequest) Outcome
	// PendingLag delays the appearance of accepted requests on the list of pending
	// requests.
	PendingLag Lag
	// DataRetention is how long all data of a person can be fetched once they are
	// ready; 0 is one hour.
	DataRetention time.Duration

	// Export describes how an export is answered.
	Export ExportAnswer
	// ExportRecords is the number of events of every day that PutExport has not set. A
	// day has a session for every twenty events and a person for every hundred. The
	// records are generated while they are sent: 1,000,000 are about 400 MB.
	ExportRecords int

	// FaultFor returns a fault for a request that no injected fault takes, or nil. Skip
	// and Times of the result are ignored. The request has no status yet.
	FaultFor func(Request) *Fault
	// DiscardLog keeps no log for Requests and Count, so that a server can run for long.
	DiscardLog bool
	// OnRequest is called with each request once its status is known and before the
	// client has the answer.
	OnRequest func(Request)
	// OnViolation is called with each violation when it happens.
	OnViolation func(string)
	// Wrap returns a handler around the service, inside the faults: it sees the requests
	// that reach the service, and their answers. It is called once per request.
	Wrap func(service http.Handler) http.Handler

	mu          sync.Mutex        // guards the fields below; never held while sending or waiting
	users       map[string]string // password by email
	keys        map[string]bool
	tokens      map[string]grant
	signingKey  []byte
	issued      int
	consents    map[person]ConsentRecord
	profiles    map[person]map[string]any // a profile is replaced, never changed
	data        map[person]map[string]any // as profiles
	prepared    map[person]allData
	exports     map[exportKey]explicitDay
	queue       []*queued // every request ever accepted, in the order of acceptance
	waiting     []*queued // those whose outcome is not applied yet, by due time
	faults      []*injected
	log         []*Request
	seq         int
	violations  []string
	connections int
}

// person is the subject of a record: an identity within a scope.
type person struct {
	scope    Scope
	identity string
}

// ServeHTTP answers a request of section 4. It panics with http.ErrAbortHandler where
// the connection is to break off.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}

	r = s.relative(r)
	r.Body = io.NopCloser(bytes.NewReader(body))
	c := s.receive(r, body)
	defer s.finish(c)

	fault := s.faultFor(c)
	if !s.wait(r.Context(), s.Latency) {
		panic(http.ErrAbortHandler)
	}

	if fault != nil {
		s.perform(fault, c, w, r)
		return
	}

	s.service(c).ServeHTTP(&statusWriter{ResponseWriter: w, call: c}, r)
}

// relative returns the request without the base path. A request outside the base path
// keeps its path, which no route matches.
func (s *Server) relative(r *http.Request) *http.Request {
	relative := r.Clone(r.Context())

	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), trimBase(s.BasePath))
	decoded, err := url.PathUnescape(rest)
	if ok && err == nil && strings.HasPrefix(rest, "/") {
		relative.URL.Path, relative.URL.RawPath = decoded, rest
	}

	return relative
}

func trimBase(path string) string { return strings.TrimSuffix(path, "/") }

// finish completes a call that was not answered. A panic of the service or of a hook
// becomes a violation, since the HTTP server would only log it.
func (s *Server) finish(c *call) {
	p := recover()
	c.complete(0)
	if p == nil {
		return
	}

	if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
		s.violate("the mock server panicked in %s: %v", c.name(), p)
	}
	panic(http.ErrAbortHandler)
}

// service returns the service without its faults, as the handler of one call.
func (s *Server) service(c *call) http.Handler {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := s.answer(c)
		if a.Header == nil {
			a.Header = http.Header{}
		}
		a.Header.Set("Date", s.clock().Now().UTC().Format(http.TimeFormat))
		if s.Answer != nil && a.export == nil {
			s.Answer(c.snapshot(), &a)
		}

		if a.Status/100 == 2 {
			c.update(func(e *Request) { e.Committed = true })
		}

		a.write(w)
	})

	if s.Wrap != nil {
		h = s.Wrap(h)
	}

	return h
}

// answer authenticates a call and runs its operation.
func (s *Server) answer(c *call) Response {
	if c.route == nil {
		s.violate("there is no such operation: %s %s", c.entry.Method, c.entry.EscapedPath)
		return failure(http.StatusNotFound, "unknown_route", "There is no such endpoint.")
	}

	if c.route.authenticated {
		if refusal := s.authenticate(c); refusal != nil {
			return *refusal
		}
	}

	if s.Lacks != "" && strings.HasPrefix(c.route.template, s.Lacks) {
		return failure(http.StatusNotFound, "unknown_route", "There is no such endpoint.")
	}

	s.lockUpToDate()
	s.mu.Unlock()

	return c.route.handle(s, c)
}

// wait waits for d by the server's clock. It returns false if the client has gone
// before that.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}

	select {
	case <-s.clock().After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Violations returns how clients violated the interface, in order: requests for unknown
// routes, credentials that are missing or presented otherwise than section 5 says, and
// what was passed to Violate.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Violate records a violation that was found elsewhere, such as by the contract's
// validator.
func (s *Server) Violate(text string) {
	s.mu.Lock()
	s.violations = append(s.violations, text)
	s.mu.Unlock()

	if s.OnViolation != nil {
		s.OnViolation(text)
	}
}

func (s *Server) violate(format string, args ...any) { s.Violate(fmt.Sprintf(format, args...)) }

// statusWriter completes a call before its answer is sent, so that a client that has
// the answer finds the request complete in the log.
type statusWriter struct {
	http.ResponseWriter
	call *call
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	w.call.complete(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.call.complete(http.StatusOK)
	return w.ResponseWriter.Write(b)
}
