package contract

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
)

// recorder passes a response on and keeps what is needed to validate it: the status,
// the headers as they were sent, and up to LimitBody bytes of the body.
type recorder struct {
	http.ResponseWriter

	status   int // 0 until the headers are sent
	header   http.Header
	body     bytes.Buffer
	partial  bool // body is incomplete
	hijacked bool
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// WriteHeader records the status unless the response is informational: the one to
// validate follows.
func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		rec.sent(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

// sent records the headers as they are now, since later changes do not reach the
// client.
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

// readable reports whether the body is complete and not compressed.
func (rec *recorder) readable() bool {
	return !rec.partial && rec.header.Get("Content-Encoding") == ""
}

// Flush implements http.Flusher, for handlers that do not use http.ResponseController.
func (rec *recorder) Flush() { _ = rec.FlushError() }

// FlushError sends the headers and what was written so far.
func (rec *recorder) FlushError() error {
	rec.sent(http.StatusOK)
	return http.NewResponseController(rec.ResponseWriter).Flush()
}

// Hijack hands the connection to the handler. The response is not validated then.
func (rec *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(rec.ResponseWriter).Hijack()
	rec.hijacked = rec.hijacked || err == nil

	return conn, buffered, err
}
