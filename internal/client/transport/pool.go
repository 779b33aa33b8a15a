// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// poolLink sends a request over a connection of the pool, and what changes something at most once.
//
// The HTTP stack repeats some requests by itself, and asks GetBody for a body before it does, which can
// stop it. Over HTTP/2 that is where the request is known to be unprocessed; net/http's own copy does so
// also after a PROTOCOL_ERROR, which proves nothing. Over HTTP/1 it is where nothing was written, and, of
// a GET, wherever a connection breaks; ValidateHeaders refuses a header that allows it for other methods.
type poolLink struct{ pool http.RoundTripper }

func (l poolLink) RoundTrip(req *http.Request) (*http.Response, error) {
	var isHTTP2 atomic.Bool
	c, _ := req.Context().Value(callKey{}).(*call)
	once := req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			secured, ok := info.Conn.(*tls.Conn)
			isHTTP2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { c.known.sent.Store(true) },
	}))

	if changes[c.Op.Kind] {
		once.GetBody = func() (io.ReadCloser, error) {
			switch {
			case !c.known.sent.Load():
			case isHTTP2.Load():
				return nil, errNotProcessed
			case req.Method == http.MethodGet:
				return nil, errors.New("the connection broke and the request is not repeated by itself")
			}
			return req.GetBody()
		}
	}

	c.newestBefore = c.sender.newest.Load()

	return l.pool.RoundTrip(once)
}

// errNotProcessed is the error of a request that HTTP/2 refused before the service saw it, by
// REFUSED_STREAM or a GOAWAY (RFC 9113, sections 6.8 and 8.7).
var errNotProcessed error = &Error{
	Class:  ClassUnreachable,
	Detail: "the connection was closing, and the service refused the request before it processed it (HTTP/2)",
}

// newPool returns the innermost layer: connections, TLS and proxies. It keeps as
// many idle connections as there may be requests, since everything goes to one host.
// HTTP/2 is that of golang.org/x/net instead of net/http's copy; see poolLink.
func newPool(cfg Config) (*http.Transport, error) {
	var trusted *x509.CertPool // nil is the system's, which takes a while to read
	if len(cfg.CACertPEM) > 0 {
		if trusted, _ = x509.SystemCertPool(); trusted == nil {
			trusted = x509.NewCertPool()
		}
		if !trusted.AppendCertsFromPEM(cfg.CACertPEM) {
			return nil, errors.New("ca_cert_file holds no certificate in PEM form")
		}
	}
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}

	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: checkProxy,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           cfg.MaxConcurrency,
		MaxIdleConnsPerHost:    cfg.MaxConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
	}

	//nolint:staticcheck // net/http's own HTTP/2 repeats a PATCH after a PROTOCOL_ERROR, which proves nothing; a test holds this.
	return t, http2.ConfigureTransport(t)
}

func checkProxy(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	class := ClassUnreachable
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		class = ClassProxyAuth
	}

	return &Error{Class: class, Detail: "the proxy answered with status " + http.StatusText(resp.StatusCode)}
}
