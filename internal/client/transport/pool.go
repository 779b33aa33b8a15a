// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http2"
)

// newPool returns the innermost layer: connections, TLS and proxies. It keeps as
// many idle connections as there may be requests, since everything goes to one host.
// HTTP/2 is that of golang.org/x/net instead of net/http's copy; see sentOnce.
func newPool(cfg Config) (*http.Transport, error) {
	pool, err := trust(cfg.CACertPEM)
	if err != nil {
		return nil, err
	}

	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}

	proxy := cfg.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}

	t := &http.Transport{
		Proxy:                  proxy,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           cfg.MaxConcurrency,
		MaxIdleConnsPerHost:    cfg.MaxConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			refusal := &Error{Class: ClassUnreachable, Detail: "the proxy answered with status " + http.StatusText(resp.StatusCode)}
			switch resp.StatusCode {
			case http.StatusOK:
				return nil
			case http.StatusProxyAuthRequired:
				refusal.Class = ClassProxyAuth
			}

			return refusal
		},
	}

	//nolint:staticcheck // net/http's own HTTP/2 repeats a PATCH after a PROTOCOL_ERROR, which proves nothing; a test holds this.
	return t, http2.ConfigureTransport(t)
}

// trust returns the system's certificates with those of ca_cert_file; nil stands for the
// system's alone.
func trust(pem []byte) (*x509.CertPool, error) {
	if len(pem) == 0 {
		return nil, nil
	}

	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}

	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("ca_cert_file holds no certificate in PEM form")
	}

	return pool, nil
}
