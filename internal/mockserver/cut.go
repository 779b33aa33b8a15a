// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bytes"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"strconv"
)

// Cut is the point at which a connection breaks. Over HTTP/2 it is the stream that is
// reset, since answers share the connection.
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

// recorder is a ResponseWriter that holds an answer back.
type recorder struct {
	header http.Header
	status int // 0 until the answer has begun
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

// script replaces the service's answer by that of the fault, if it has one, and adds
// the headers of the fault.
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

// send delivers the answer.
func (o *recorder) send(w http.ResponseWriter) {
	o.copyHeader(w)
	w.WriteHeader(o.status)
	_, _ = w.Write(o.body.Bytes())
}

// sendPart delivers the beginning of the answer and ends it as the fault's Cut says.
func (o *recorder) sendPart(w http.ResponseWriter, r *http.Request, f *Fault) {
	body := o.body.Bytes()

	o.copyHeader(w)

	switch f.Cut {
	case CutBody:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	case CutCloseDelimited:
		// net/http then sends neither a length nor chunks.
		w.Header().Set("Transfer-Encoding", "identity")
	}

	w.WriteHeader(o.status)
	_, _ = w.Write(body[:f.cutAt(len(body))])
	if f.Cut == CutCloseDelimited {
		return
	}

	_ = http.NewResponseController(w).Flush()
	if f.Cut == CutStall {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

func (o *recorder) copyHeader(w http.ResponseWriter) {
	maps.Copy(w.Header(), o.header)
	w.Header().Del("Content-Length")
}

// reset ends a connection without an answer and with RST, as a crash does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2
	}

	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn() // without TLS's close_notify
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}

	_ = conn.Close()
}
