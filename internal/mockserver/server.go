// Package mockserver is the analytics service in memory, written from the
// interface description and not from the client: the two share no code, so that
// they cannot be wrong alike. "Section" in the comments is a section of that
// description; where it is silent, the comments say what is our assumption.
//
// A request passes these layers, outermost first:
//
//	Server.ServeHTTP   reads and logs the request, picks a fault, waits Latency
//	Fault              scripted answers, cuts and hangs (fault.go, cut.go)
//	Server.Wrap        whatever a test puts in between, such as a contract check
//	Server.answer      authentication and the operation itself (route.go)
//
// What a fault keeps from the service is never seen by Wrap, and faults apply
// before authentication.
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

// maxBody bounds what is read of a request's body, in bytes.
const maxBody = 32 << 20

// Server is the service. Its zero value is ready for use, any credential and any
// person being unknown to it. The exported fields are set before the first request
// and not changed after it; every method is safe for concurrent use.
type Server struct {
	// Clock is the time of the service; nil is the system's.
	Clock Clock
	// Latency is added to every answer, scripted ones included.
	Latency time.Duration
	// StreamEnd is how a Cut that resets the connection ends a request over HTTP/2.
	StreamEnd StreamEnd
	// BasePath is where in the host's path the interface begins, percent-encoded as
	// it is sent, such as "/api"; empty is the root.
	BasePath string
	// Wire settles what the interface leaves open.
	Wire Wire
	// Scopes are the projects and accounts that exist; with none given, all do. Any
	// other is answered with a JSON 404.
	Scopes []Scope

	// Claims makes the claims that a JWT shows; nil: sub, iat and exp. How long the
	// token is good for stays with Clock and TokenLifetime.
	Claims func(now time.Time) map[string]any
	// TokenLifetime is how long a token is accepted; 0 is one hour (section 8).
	TokenLifetime time.Duration
	// LoginAnswer makes the answer of a login, as JSON; nil: {"token": token}.
	LoginAnswer func(token string) any
	// ConsentAnswer makes the answer of both consent operations, as JSON; NoContent
	// as its result is a 204. Nil: the record itself.
	ConsentAnswer func(record map[string]any) any

	// FulfilmentDelay is how long after its acceptance a deferred request is
	// fulfilled; 0 is before the next request is processed. The service usually takes
	// up to 60 seconds for a profile (section 8).
	FulfilmentDelay time.Duration
	// Fulfil decides what becomes of each deferred request, when it is accepted; nil
	// fulfils it after FulfilmentDelay.
	Fulfil func(QueuedRequest) Outcome
	// QueueAnswer makes the answer of the operations that queue, as JSON with
	// QueueStatus; NoContent as its result is a 204. Nil: the record of the request.
	QueueAnswer func(record map[string]any) any
	// QueueStatus is the status of that answer; 0 is 202.
	QueueStatus int
	// PendingLag keeps accepted requests off the list of pending requests for a while.
	PendingLag Lag
	// PendingRecord makes the record of a request in the list of pending requests; nil
	// as its result leaves the request out. Nil: the record itself. RenameField and
	// OmitField make such functions.
	PendingRecord func(q QueuedRequest, record map[string]any) map[string]any
	// PendingOrder puts the list of pending requests into another order than that of
	// acceptance; it has the form of rand.Shuffle.
	PendingOrder func(n int, swap func(i, j int))
	// PendingPage answers the list of pending requests one page long.
	PendingPage Page
	// PendingAnswer makes the answer of the list of pending requests, as JSON. Nil: an
	// array of the records. It replaces what PendingPage makes of the body.
	PendingAnswer func(records []map[string]any) any
	// DataRetention is how long all data of a person can be fetched once they are
	// ready; 0 is one hour.
	DataRetention time.Duration
	// DataAnswer makes the answer of getAllData once the data are ready, as JSON. Nil:
	// the data themselves.
	DataAnswer func(data map[string]any) any

	// Export is how an export is answered.
	Export ExportAnswer
	// ExportRecords is how many events every day has that PutExport has not set, with
	// a session for every twenty and a person for every hundred of them; 1,000,000 are
	// about 400 MB. The records are made while they are sent.
	ExportRecords int

	// FaultFor chooses a fault for a request that no injected fault takes; nil is
	// none. Skip and Times of its result mean nothing. The request has no status yet.
	FaultFor func(Request) *Fault
	// DiscardLog keeps no requests for Requests and Count: for servers that live long.
	DiscardLog bool
	// OnRequest is told of each request once its outcome is decided, before the
	// client hears of it.
	OnRequest func(Request)
	// OnViolation is told of each violation as it happens.
	OnViolation func(string)
	// Wrap goes around the service proper, inside the faults: it sees the requests
	// that reach the service, and what that answers. It is called once per request.
	Wrap func(service http.Handler) http.Handler

	mu          sync.Mutex        // guards what follows; never held while anything is sent or waited for
	users       map[string]string // password by email
	keys        map[string]bool
	tokens      map[string]grant
	signingKey  []byte
	issued      int
	consents    map[person]ConsentRecord
	profiles    map[person]map[string]any // never changed, only replaced
	data        map[person]map[string]any // likewise
	prepared    map[person]allData
	exports     map[exportKey]explicitDay
	queue       []*queued // every request ever accepted
	waiting     []*queued // those of them that something will become of, by when
	faults      []*injected
	log         []*Request
	seq         int
	violations  []string
	connections int
}

// person is whom a record is about: an identity within a scope, byte by byte.
type person struct {
	scope    Scope
	identity string
}

// ServeHTTP implements http.Handler: one request of section 4.
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

// relative strips the base path; a request outside it keeps its path, which no
// route knows.
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

// finish settles what no answer has settled, and turns a panic of this package into
// a violation: the HTTP server would only log it.
func (s *Server) finish(c *call) {
	p := recover()
	c.settle(0)
	if p == nil {
		return
	}
	if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
		s.violate("the mock server panicked in %s: %v", c.name(), p)
	}
	panic(http.ErrAbortHandler)
}

// service is the service proper: everything but faults.
func (s *Server) service(c *call) http.Handler {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := s.answer(c)
		if a.status/100 == 2 {
			c.update(func(e *Request) { e.Committed = true })
		}
		a.write(w)
	})
	if s.Wrap != nil {
		h = s.Wrap(h)
	}
	return h
}

// answer finds and runs the operation. Who may ask comes before what is asked for.
func (s *Server) answer(c *call) answer {
	if c.route == nil {
		s.violate("there is no such operation: %s %s", c.entry.Method, c.entry.EscapedPath)
		return failure(http.StatusNotFound, "unknown_route", "There is no such endpoint.")
	}
	if c.route.authenticated {
		if a, ok := s.authenticate(c); !ok {
			return a
		}
	}
	if !s.exists(c.scope) {
		return failure(http.StatusNotFound, "unknown_scope", "There is no such project or account.")
	}
	s.settle()
	return c.route.handle(s, c)
}

func (s *Server) exists(scope Scope) bool {
	return len(s.Scopes) == 0 || scope == Scope{} || slices.Contains(s.Scopes, scope)
}

// wait reports whether d has passed; it has not where the client has gone.
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

// Violations returns what clients did that the interface does not have, in order:
// unknown routes, calls without a credential where one is needed or with one that is
// presented otherwise than section 5 says, and what was given to Violate.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Violate records a violation that somebody else has found, such as the contract's
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

// statusWriter settles a call before its answer leaves: whoever has an answer finds
// its request complete in the log.
type statusWriter struct {
	http.ResponseWriter
	call *call
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	w.call.settle(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.call.settle(http.StatusOK)
	return w.ResponseWriter.Write(b)
}
