package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// newTransport is the innermost layer: connections, TLS and proxies. It keeps as
// many idle connections as there may be requests, since everything goes to one host.
func newTransport(cfg Config) (*http.Transport, error) {
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
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           cfg.MaxConcurrency,
		MaxIdleConnsPerHost:    cfg.MaxConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		OnProxyConnectResponse: refuseProxyAnswer,
	}, nil
}

// trust is the system's certificates, and those of ca_cert_file beside them.
func trust(pem []byte) (*x509.CertPool, error) {
	if len(pem) == 0 {
		return nil, nil // the system's own
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

// proxyError is a proxy's refusal to open a tunnel, with its status.
type proxyError struct{ status int }

func (e *proxyError) Error() string { return "the proxy answered " + http.StatusText(e.status) }

func (e *proxyError) kind() Kind {
	if e.status == http.StatusProxyAuthRequired {
		return KindProxyAuth
	}
	return KindUnreachable
}

func refuseProxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{status: resp.StatusCode}
}
