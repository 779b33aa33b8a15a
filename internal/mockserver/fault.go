// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Cut is the point at which a connection, or the stream of HTTP/2, breaks.
type Cut int

// The cuts. Those behind CutAfterCommit send Fault.CutAt bytes of the body.
const (
	CutNone           Cut = iota
	CutBeforeCommit       // resets the connection (RST) before the service sees the request
	CutAfterCommit        // resets it after the effect, in place of the answer
	CutBody               // declares the true Content-Length, and closes
	CutChunked            // sends a chunk, and closes without the last one
	CutCloseDelimited     // sends no length, so that the reader cannot see that something is missing
	CutStall              // sends a chunk and then nothing, until the client gives up or the server is stopped
)

// Fault makes something go wrong with the requests that it matches, before authentication and outside
// Server.Check. The zero Fault matches one request and changes nothing.
type Fault struct {
	Operation string // empty: any
	Identity  string // decoded; empty: any
	Skip      int    // how many matching requests pass before, also those that another fault takes
	Times     int    // how many requests the fault takes; 0 is one, negative all

	Delay time.Duration // before anything else happens
	// Status and Body script the answer, so that the service does not see the request unless Commit is set. With a
	// Body that is not nil, Status 0 is 200 and the Content-Type is application/json unless Header sets another.
	Status int
	Body   []byte
	Header http.Header // is added to any answer; its names are canonical
	Commit bool        // the service carries out the operation, whatever is answered
	Cut    Cut
	CutAt  int    // counts from the end of the body if it is negative
	Hang   bool   // never answers; ends when the client gives up or the server is stopped
	Then   func() // is called between the effect and the answer

	seen int // matching requests so far; guarded by Server.mu, as Times is
}

// Inject adds faults. If several could take a request, the one injected first takes it.
func (s *Server) Inject(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, f := range faults {
		f.Times = cmp.Or(f.Times, 1)
		s.faults = append(s.faults, &f)
	}
}

// faultFor returns the fault of a request: the injected one, or else that of Server.FaultFor, or else none.
func (s *Server) faultFor(c *Request) Fault {
	chosen := &Fault{}
	if s.FaultFor != nil {
		*chosen = *cmp.Or(s.FaultFor(*c), chosen)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range slices.Backward(s.faults) {
		if f.takes(c) {
			chosen = f
		}
	}
	chosen.Times--

	return *chosen
}

// takes counts a matching request, and reports whether the fault would take it.
func (f *Fault) takes(c *Request) bool {
	if cmp.Or(f.Operation, c.Operation) != c.Operation || cmp.Or(f.Identity, c.Identity) != c.Identity {
		return false
	}
	f.seen++

	return f.seen > f.Skip && f.Times != 0
}

// respond answers a request, with the fault that takes it.
func (s *Server) respond(c *Request, w http.ResponseWriter, r *http.Request) {
	f := s.faultFor(c)
	select {
	case <-time.After(s.Latency + f.Delay):
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}

	a := s.answerWith(f, c, r)
	if f.Then != nil {
		f.Then()
	}

	switch {
	case f.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Cut == CutBeforeCommit, f.Cut == CutAfterCommit:
		s.complete(c, 0)
		reset(w)
	default:
		// A client that has the answer finds the request complete in the log.
		s.complete(c, a.Status)
		a.send(w, r, f)
	}
}

// answerWith returns the answer to a request with a fault: the scripted one, or that of the service.
func (s *Server) answerWith(f Fault, c *Request, r *http.Request) Response {
	isScripted := f.Status != 0 || f.Body != nil
	reachesService := f.Cut != CutBeforeCommit
	if isScripted || f.Hang {
		reachesService = f.Commit
	}

	a := Response{Header: http.Header{}}
	if reachesService {
		a = s.answer(c, r)
	}
	if isScripted {
		a = Response{Status: cmp.Or(f.Status, http.StatusOK), Header: http.Header{}, Body: f.Body}
		a.encode()
	}
	maps.Copy(a.Header, f.Header)

	return a
}

// send delivers an answer, or the beginning of it, and ends it as the fault's Cut says.
func (a *Response) send(w http.ResponseWriter, r *http.Request, f Fault) {
	maps.Copy(w.Header(), a.Header)
	if f.Cut == CutNone {
		w.WriteHeader(a.Status)
		a.sendBody(w)
		return
	}

	var whole bytes.Buffer
	a.sendBody(&whole)
	at := f.CutAt
	if at < 0 {
		at += whole.Len()
	}

	w.Header().Del("Content-Length")

	switch f.Cut {
	case CutBody:
		w.Header().Set("Content-Length", strconv.Itoa(whole.Len()))
	case CutCloseDelimited:
		w.Header().Set("Transfer-Encoding", "identity") // net/http then sends neither a length nor chunks
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(whole.Next(max(at, 0)))
	if f.Cut == CutCloseDelimited {
		return
	}

	_ = http.NewResponseController(w).Flush()
	if f.Cut == CutStall {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

// sendBody writes the body. It flushes the header before one that is generated: net/http would give a short
// one a length.
func (a *Response) sendBody(w io.Writer) {
	generated, isGenerated := a.Body.(*exportStream)
	if !isGenerated {
		_, _ = w.Write(a.encoded)
		return
	}

	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	if generated.send(w) != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}

// reset ends a connection without an answer and with RST, as a crash does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2
	}

	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}

	_ = conn.Close()
}
