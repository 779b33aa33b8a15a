// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"net/http"
	"time"
)

// Fault makes something go wrong with the requests that it matches. It acts before
// authentication and outside Server.Wrap, so that a scripted answer is no violation of
// the contract. The zero Fault matches one request and changes nothing.
type Fault struct {
	// Operation and Identity (decoded) select requests; empty ones match all.
	Operation string
	Identity  string
	// Skip is how many matching requests pass before the fault takes one. Requests that
	// another fault takes count too.
	Skip int
	// Times is how many requests the fault takes; 0 is one, negative all.
	Times int

	// Delay is waited for before anything else happens, by the server's clock.
	Delay time.Duration
	// Status and Body script the answer. The service then does not see the request,
	// unless Commit is set. With a Body that is not nil, Status 0 is 200. The
	// Content-Type of a Body is application/json unless Header sets another.
	Status int
	Body   []byte
	// Header is added to the answer, whether scripted or the service's own.
	Header http.Header
	// Commit has the service carry out the operation even if its answer is scripted or
	// never sent.
	Commit bool
	// Cut breaks the connection. CutAt is the number of bytes of the body that are sent
	// before that; a negative CutAt counts from the end of the body. A fault holds the
	// whole answer in memory.
	Cut   Cut
	CutAt int
	// Hang never answers. The request ends when the client gives up or the server is
	// stopped.
	Hang bool
	// Then is called after the request was processed and before it is answered, so that
	// it can change what the client's next request finds.
	Then func()
}

// injected is a fault that Server.Inject has added; guarded by Server.mu.
type injected struct {
	fault Fault
	seen  int // matching requests so far
	taken int // those of them that the fault took
}

// Inject adds faults. If several could take a request, the one injected first takes
// it. Inject panics on a Fault.Operation that does not exist.
func (s *Server) Inject(faults ...Fault) {
	for _, f := range faults {
		mustBeOperation(f.Operation)
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	for _, f := range faults {
		s.faults = append(s.faults, &injected{fault: f})
	}
}

// faultFor returns the fault that takes a request, or nil.
func (s *Server) faultFor(c *call) *Fault {
	if f := s.injectedFor(c); f != nil || s.FaultFor == nil {
		return f
	}
	return s.FaultFor(c.snapshot())
}

func (s *Server) injectedFor(c *call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()

	var chosen *injected
	for _, i := range s.faults {
		if i.wants(c.entry) && chosen == nil {
			chosen = i
		}
	}
	if chosen == nil {
		return nil
	}

	chosen.taken++

	return &chosen.fault
}

// wants reports whether the fault could take a request, and counts a matching one.
func (i *injected) wants(r *Request) bool {
	if !i.fault.matches(r) {
		return false
	}

	i.seen++
	return i.seen > i.fault.Skip && !i.spent()
}

// spent reports whether the fault has taken all the requests that it may take.
func (i *injected) spent() bool {
	return i.fault.Times >= 0 && i.taken >= max(i.fault.Times, 1)
}

func (f *Fault) matches(r *Request) bool {
	return (f.Operation == "" || f.Operation == r.Operation) &&
		(f.Identity == "" || f.Identity == r.Identity)
}

// scripted reports whether the fault has an answer of its own.
func (f *Fault) scripted() bool { return f.Status != 0 || f.Body != nil }

// reachesService reports whether the service sees the request.
func (f *Fault) reachesService() bool {
	switch {
	case f.Cut == CutBeforeCommit:
		return false
	case f.Commit, f.Cut == CutAfterCommit:
		return true
	}
	return !f.scripted() && !f.Hang
}

// cutAt returns how many bytes of a body are sent before the cut. size is that of the
// body.
func (f *Fault) cutAt(size int) int {
	if f.CutAt < 0 {
		return max(0, size+f.CutAt)
	}
	return min(f.CutAt, size)
}

// perform carries out a fault.
func (s *Server) perform(f *Fault, c *call, w http.ResponseWriter, r *http.Request) {
	if !s.wait(r.Context(), f.Delay) {
		panic(http.ErrAbortHandler)
	}

	out := s.process(f, c, r)

	switch {
	case f.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Cut == CutBeforeCommit, f.Cut == CutAfterCommit:
		c.complete(0)
		reset(w)
	case f.Cut == CutNone:
		c.complete(out.status)
		out.send(w)
	default:
		c.complete(out.status)
		out.sendPart(w, r, f)
	}
}

// process passes the request to the service, if the fault lets it through, and
// returns what would be answered.
func (s *Server) process(f *Fault, c *call, r *http.Request) *recorder {
	out := &recorder{header: http.Header{}}
	if f.reachesService() {
		s.service(c).ServeHTTP(out, r)
	}
	out.script(f)

	if f.Then != nil {
		f.Then()
	}

	return out
}
