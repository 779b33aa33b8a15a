package mockserver

import (
	"bytes"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"strconv"
)

// Cut is where a connection breaks. Over HTTP/2, where an answer has no connection
// of its own, the stream is reset instead.
type Cut int

const (
	// CutNone delivers the answer.
	CutNone Cut = iota
	// CutBeforeCommit resets the connection (RST) before the service sees the request.
	CutBeforeCommit
	// CutAfterCommit lets the effect happen and resets the connection instead of
	// answering.
	CutAfterCommit
	// CutBody declares the true Content-Length and closes after Fault.CutAt bytes.
	CutBody
	// CutChunked sends Fault.CutAt bytes in a chunk and closes without the last chunk.
	CutChunked
	// CutCloseDelimited sends Fault.CutAt bytes without any length, and closes: the
	// reader cannot see that something is missing.
	CutCloseDelimited
	// CutStall sends Fault.CutAt bytes in a chunk and then nothing, until the client
	// gives up or the server is stopped.
	CutStall
)

// recorder holds an answer back.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (o *recorder) Header() http.Header { return o.header }

func (o *recorder) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
}

func (o *recorder) Write(b []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return o.body.Write(b)
}

// script puts what the fault says in place of what the service said.
func (o *recorder) script(f *Fault) {
	if f.scripted() {
		*o = recorder{header: http.Header{}, status: f.Status}
		o.body.Write(f.Body)
		if len(f.Body) > 0 {
			o.header.Set("Content-Type", "application/json")
		}
	}
	o.WriteHeader(http.StatusOK)
	for name, values := range f.Header {
		o.header[http.CanonicalHeaderKey(name)] = values
	}
}

// send delivers the answer, or as much of it as the cut lets through.
func (o *recorder) send(w http.ResponseWriter, r *http.Request, cut Cut, at int) {
	body := o.body.Bytes()
	if at < 0 {
		at = max(0, len(body)+at)
	}
	maps.Copy(w.Header(), o.header)
	w.Header().Del("Content-Length")
	switch cut {
	case CutNone:
		w.WriteHeader(o.status)
		_, _ = w.Write(body)
		return
	case CutBody:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	case CutCloseDelimited:
		// This is how net/http is told to send neither a length nor chunks.
		w.Header().Set("Transfer-Encoding", "identity")
	}
	w.WriteHeader(o.status)
	_, _ = w.Write(body[:min(at, len(body))])
	if cut != CutCloseDelimited {
		_ = http.NewResponseController(w).Flush()
		if cut == CutStall {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
}

// reset ends a connection as a crash does: with RST, and with no answer.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2
	}
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn() // without the farewell of TLS
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
