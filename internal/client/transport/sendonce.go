// SPDX-License-Identifier: MPL-2.0

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

// sealed returns a clone of a request of k, with its body from the beginning. If k changes
// something, the HTTP stack sends the clone at most once.
//
// The stack repeats some requests by itself, which the layers above would not see. It asks
// GetBody for a body before it does, so that GetBody can stop it, and learn why it would
// repeat. Over HTTP/2 that is where the request is known to be unprocessed;
// golang.org/x/net/http2 does so, and net/http's own copy also after a PROTOCOL_ERROR, which
// proves nothing.
func (k *Call) sealed(req *http.Request) (*http.Request, error) {
	var isHTTP2 atomic.Bool
	clone := req.Clone(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			secured, ok := info.Conn.(*tls.Conn)
			isHTTP2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { k.sent.Store(true) },
	}))

	body := req.GetBody
	if body == nil && !k.Op.Effect {
		return clone, nil
	}
	if body == nil { // the stack does not ask for none, and sends nothing of an empty one
		body = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }
	}

	first, err := body()
	clone.Body = first
	clone.GetBody = func() (io.ReadCloser, error) {
		if k.Op.Effect && k.sent.Load() && isHTTP2.Load() {
			return nil, errNotProcessed
		}
		if k.Op.Effect && k.sent.Load() && isReplayable(clone) {
			return nil, errNotRepeated
		}

		return body() // HTTP/1 repeats other requests only where it has written nothing
	}

	return clone, err
}

// isReplayable reports whether net/http repeats a request after any broken HTTP/1
// connection. It is net/http's own rule.
func isReplayable(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return slices.ContainsFunc(repeatHeaders, func(name string) bool { return req.Header.Get(name) != "" })
}
