// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/net/http2"
)

// KeyParameter is the parameter of a query that holds the secret key (section 5).
const KeyParameter = "apiSecretToken"

// send sends a clone of a request with credentials and the user's headers, and only to the configured origin: what
// repeats, logs and describes requests never sees them.
func (c *call) send(req *http.Request) (resp *http.Response, err error) {
	s := c.sender
	if req.URL.Scheme+req.URL.Host != s.cfg.Base.Scheme+s.cfg.Base.Host {
		return nil, NewError(c.known, ClassInternal, "a request was about to be sent to another address than base_url")
	}

	clone := req.Clone(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			secured, ok := info.Conn.(*tls.Conn)
			c.isHTTP2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { c.sent.Store(true) },
	}))
	clone.GetBody = c.bodyAgain
	clone.URL.RawQuery = strings.TrimPrefix(clone.URL.RawQuery+s.query, "&")
	maps.Copy(clone.Header, s.header)
	if s.login != nil && c.Op.Kind != LogsIn {
		if c.token, err = s.login.tokenFor(req.Context(), c); err != nil {
			return nil, err
		}
		clone.Header.Set("Authorization", "bearer "+c.token)
	}

	c.began, c.newestBefore = time.Now(), s.newest.Load()
	resp, err = s.around.RoundTrip(clone)
	c.known.sent = err == nil || c.sent.Load() // an answer may come before HTTP/2 says that it has written the header

	return resp, err
}

// log logs the operation, path template and status of an attempt, and how long the head of its answer took; never
// what was sent or received. err is why there is no answer.
func (c *call) log(ctx context.Context, began time.Time, resp *http.Response, err error) {
	if c.sender.cfg.LogIsOff {
		return
	}

	fields := map[string]any{
		"operation":   c.Op.Name,
		"method":      c.Op.Method,
		"path":        c.To.Template,
		"attempt":     c.known.Attempts,
		"duration_ms": time.Since(began).Milliseconds(),
	}
	message := "Request to the analytics service answered"
	if err != nil {
		message = "Request to the analytics service failed"
		fields["failure"] = CauseError(c.known, cmp.Or(context.Cause(ctx), err)).Title()
	} else {
		fields["status"] = resp.StatusCode
		fields["content_type"] = c.known.Redact.Text(resp.Header.Get("Content-Type"), limitExcerpt)
	}
	tflog.Debug(ctx, message, fields)
}

// bodyAgain is GetBody of a request, and sees to it that what changes something is sent once at most.
//
// The HTTP stack repeats some requests by itself, and asks for a body before it does, which can stop it.
// Over HTTP/2 that is where the request is known to be unprocessed; net/http's own copy does so also after
// a PROTOCOL_ERROR, which proves nothing. Over HTTP/1 it is where nothing was written, and, of a GET,
// wherever a connection breaks; ValidateHeaders refuses a header that allows it for other methods. It does
// not ask about a request without a body.
func (c *call) bodyAgain() (io.ReadCloser, error) {
	switch {
	case !c.sent.Load():
	case c.isHTTP2.Load():
		return nil, errNotProcessed
	case c.Op.Method == http.MethodGet:
		return nil, errors.New("the connection broke and the request is not repeated by itself")
	}

	return io.NopCloser(bytes.NewReader(c.Body)), nil
}

// errNotProcessed is the error of a request that HTTP/2 refused before the service saw it, by
// REFUSED_STREAM or a GOAWAY (RFC 9113, sections 6.8 and 8.7).
var errNotProcessed error = &Error{
	Class:  ClassUnreachable,
	Detail: "the connection was closing, and the service refused the request before it processed it (HTTP/2)",
}

// newPool returns the innermost layer: connections, TLS and proxies. It keeps as
// many idle connections as there may be requests, since everything goes to one host.
// HTTP/2 is that of golang.org/x/net instead of net/http's copy; see bodyAgain.
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
