package transport

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
)

// errNotProcessed is the error of a request that HTTP/2 refused before the service saw it:
// its stream was reset with REFUSED_STREAM, or left out by a GOAWAY (RFC 9113, sections 6.8
// and 8.7).
var errNotProcessed = errors.New("HTTP/2 refused the request before it was processed")

// errNotRepeated is the error of a request that broke off and that the HTTP stack would
// have repeated.
var errNotRepeated = errors.New("the connection broke and the request is not repeated by itself")

// sendOnce sends a request that changes something at most once per attempt. The HTTP stack
// repeats some requests by itself, which the layers above would not see. It asks GetBody
// for a body before it does, so that GetBody can stop it, and learn why it would repeat.
type sendOnce struct {
	call  *Call
	req   *http.Request
	again func() (io.ReadCloser, error)
	http2 atomic.Bool
}

// sealed returns a clone of a request of k. If k changes something, the HTTP stack does not
// repeat the clone once it was sent.
func (k *Call) sealed(req *http.Request) *http.Request {
	s := &sendOnce{call: k, again: req.GetBody}
	trace := &httptrace.ClientTrace{GotConn: s.gotConn, WroteHeaders: func() { k.sent.Store(true) }}
	clone := req.Clone(httptrace.WithClientTrace(req.Context(), trace))
	if !k.Op.Effect {
		return clone
	}

	if clone.Body == nil || clone.Body == http.NoBody {
		// Without a body the stack does not ask. This one is empty and sends nothing.
		clone.Body = emptyBody()
		s.again = func() (io.ReadCloser, error) { return emptyBody(), nil }
	}

	clone.GetBody, s.req = s.getBody, clone

	return clone
}

func emptyBody() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

func (s *sendOnce) gotConn(info httptrace.GotConnInfo) {
	secured, ok := info.Conn.(*tls.Conn)
	s.http2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
}

// getBody is called where the HTTP stack is about to repeat the request. Over HTTP/2
// that is where the request is known to be unprocessed; golang.org/x/net/http2 does
// so, and net/http's own copy also after a PROTOCOL_ERROR, which proves nothing.
func (s *sendOnce) getBody() (io.ReadCloser, error) {
	if !s.call.sent.Load() {
		return s.again()
	}
	if s.http2.Load() {
		return nil, errNotProcessed
	}
	if s.isReplayable() {
		return nil, errNotRepeated
	}

	return s.again() // HTTP/1 repeats other requests only where it has written nothing
}

// isReplayable reports whether net/http repeats the request after any broken HTTP/1
// connection. It is net/http's own rule.
func (s *sendOnce) isReplayable() bool {
	switch s.req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return slices.ContainsFunc(repeatHeaders, func(name string) bool { return s.req.Header.Get(name) != "" })
}
