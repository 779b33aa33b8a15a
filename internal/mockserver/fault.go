package mockserver

import (
	"net/http"
	"time"
)

// Fault is something that goes wrong with the requests that it matches. It acts
// before authentication and outside Server.Wrap, so that what it says is nobody's
// violation. The zero Fault changes nothing, for one request.
type Fault struct {
	// Operation and Identity (decoded) have to be equal where they are not empty.
	Operation string
	Identity  string
	// Skip lets the first so many matching requests pass. Every matching request
	// counts, also one that another fault takes.
	Skip int
	// Times is how many requests the fault takes; 0 is one, negative all.
	Times int

	// Delay passes before anything happens, by the server's clock.
	Delay time.Duration
	// Status and Body script the answer: the service then does not see the request,
	// unless Commit is set. Status 0 with a Body that is not nil is 200. The
	// Content-Type of a Body is application/json unless Header has one.
	Status int
	Body   []byte
	// Header is added to the answer, scripted or the service's own.
	Header http.Header
	// Commit carries the operation out first, also where the answer is scripted or
	// there is none.
	Commit bool
	// Cut breaks the connection; CutAt is after how many bytes of the body, or before
	// its end where it is negative. A fault holds the whole answer in memory.
	Cut   Cut
	CutAt int
	// Hang never answers; it ends when the client gives up or the server is stopped.
	Hang bool
	// Then is called when the request has been processed and before the client hears
	// of it, so that the client's next request meets a changed world.
	Then func()
}

// injected is a fault with what has become of it; guarded by Server.mu.
type injected struct {
	fault       Fault
	seen, taken int
}

// Inject adds faults. Of several that could take a request the first injected one
// does. It panics on an Operation that there is none of.
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

// faultFor chooses what goes wrong with a request; nil is nothing.
func (s *Server) faultFor(c *call) *Fault {
	if f := s.injectedFor(c); f != nil || s.FaultFor == nil {
		return f
	}
	return s.FaultFor(c.snapshot())
}

func (s *Server) injectedFor(c *call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var chosen *Fault
	for _, i := range s.faults {
		if !i.fault.matches(c.entry) {
			continue
		}
		i.seen++
		if chosen == nil && i.seen > i.fault.Skip && !i.spent() {
			i.taken++
			chosen = &i.fault
		}
	}
	return chosen
}

func (i *injected) spent() bool {
	return i.fault.Times >= 0 && i.taken >= max(i.fault.Times, 1)
}

func (f *Fault) matches(r *Request) bool {
	return (f.Operation == "" || f.Operation == r.Operation) &&
		(f.Identity == "" || f.Identity == r.Identity)
}

func (f *Fault) scripted() bool { return f.Status != 0 || f.Body != nil }

// reachesService reports whether the operation is carried out.
func (f *Fault) reachesService() bool {
	switch {
	case f.Cut == CutBeforeCommit:
		return false
	case f.Commit, f.Cut == CutAfterCommit:
		return true
	}
	return !f.scripted() && !f.Hang
}

// perform carries out a fault.
func (s *Server) perform(f *Fault, c *call, w http.ResponseWriter, r *http.Request) {
	if !s.wait(r.Context(), f.Delay) {
		panic(http.ErrAbortHandler)
	}
	out := &recorder{header: http.Header{}}
	if f.reachesService() {
		s.service(c).ServeHTTP(out, r)
	}
	out.script(f)
	if f.Then != nil {
		f.Then()
	}
	switch {
	case f.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Cut == CutBeforeCommit, f.Cut == CutAfterCommit:
		c.settle(0)
		reset(w)
	default:
		c.settle(out.status)
		out.send(w, r, f.Cut, f.CutAt)
	}
}
