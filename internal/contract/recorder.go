package contract

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
)

// recorder lets a response through and keeps what is needed to judge it: status,
// the headers as they were sent, and up to LimitBody bytes of the body.
type recorder struct {
	http.ResponseWriter

	status   int // 0 until the headers are out
	header   http.Header
	body     bytes.Buffer
	partial  bool // body is not all that the client was to see
	hijacked bool
}

// Unwrap gives http.ResponseController the methods that are not here.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// WriteHeader lets informational responses pass: the one to judge comes after them.
func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		rec.sent(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

// sent keeps the headers as they are now; later changes do not reach the client.
func (rec *recorder) sent(status int) {
	if rec.status == 0 {
		rec.status, rec.header = status, rec.Header().Clone()
	}
}

func (rec *recorder) Write(p []byte) (int, error) {
	rec.sent(http.StatusOK)
	n, err := rec.ResponseWriter.Write(p)
	rec.keep(p[:n])
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		rec.partial = true
	}
	return n, err
}

func (rec *recorder) keep(p []byte) {
	if rec.partial {
		return
	}
	if rec.body.Len()+len(p) > LimitBody {
		rec.partial = true
		rec.body = bytes.Buffer{}
		return
	}
	rec.body.Write(p)
}

// Flush is for handlers that look for http.Flusher themselves.
func (rec *recorder) Flush() { _ = rec.FlushError() }

// FlushError sends what there is so far, and with it the headers.
func (rec *recorder) FlushError() error {
	rec.sent(http.StatusOK)
	return http.NewResponseController(rec.ResponseWriter).Flush()
}

// Hijack hands the connection to the handler. What happens on it from then on is
// no response to judge.
func (rec *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(rec.ResponseWriter).Hijack()
	rec.hijacked = rec.hijacked || err == nil
	return conn, buffered, err
}
