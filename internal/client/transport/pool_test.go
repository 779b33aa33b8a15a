// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestPool_badCertificateIsRefusedAtOnce(t *testing.T) {
	t.Parallel()

	expired := func(server *httptest.Server) { server.TLS.Certificates = []tls.Certificate{expiredCertificate(t)} }
	for words, tc := range map[string]struct {
		server func(*httptest.Server)
		change option
	}{
		"not trusted":       {nil, func(_ *mocktest.Instance, cfg *Config) { cfg.CACertPEM = nil }},
		"expired":           {expired, useSecretKey},
		"another host name": {nil, func(_ *mocktest.Instance, cfg *Config) { cfg.Base.Host = "localhost:" + cfg.Base.Port() }},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()

			service := mocktest.StartTLS(t, tc.server)
			s := connect(t, service, useSecretKey, tc.change)

			e := wantClass(t, update(t.Context(), s), ClassTLS)
			if !strings.Contains(e.Detail, words) || e.Attempts != 1 || e.Ambiguous {
				t.Errorf("%+v", e)
			}

			wantCount(t, service, "", 0)
		})
	}
}

// expiredCertificate returns the certificate of an authority that has ended an hour ago.
func expiredCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(-time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	noError(t, err)
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	noError(t, err)

	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
}

// refusingProxy returns the address of a proxy that answers every CONNECT with a status
// and a page.
func refusingProxy(t *testing.T, status int) *url.URL {
	t.Helper()

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { listener.Close() })

	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>no", status)
			}

			conn.Close()
		}
	}()

	return &url.URL{Scheme: "http", Host: listener.Addr().String(), User: url.UserPassword("proxy", "canary")}
}

func TestPool_refusingProxyIsNamed(t *testing.T) {
	t.Parallel()

	for status, tc := range map[int]struct {
		class    ErrorClass
		attempts int
	}{
		http.StatusProxyAuthRequired: {ClassProxyAuth, 1},
		http.StatusBadGateway:        {ClassUnreachable, 2},
	} {
		service := mocktest.StartTLS(t, nil)
		proxy := refusingProxy(t, status)
		s := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *Config) {
			cfg.Proxy, cfg.MaxRetries = func(*http.Request) (*url.URL, error) { return proxy, nil }, 1
		})

		e := wantClass(t, update(t.Context(), s), tc.class)
		if e.Attempts != tc.attempts || e.Ambiguous || strings.Contains(e.Error(), "canary") {
			t.Errorf("%d: %+v", status, e)
		}

		wantCount(t, service, "", 0)
	}
}

func TestPool_connectionClosedBetweenCallsIsNotNoticed(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Header: map[string][]string{"Connection": {"close"}}, Status: 200, Body: []byte("{}")})
		noError(t, readUser(t.Context(), s))
		noError(t, update(t.Context(), s))
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	}, useSecretKey)
}

func TestFailure_unresolvableHostWithoutTheSecretInItsAddress(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		e := wantClass(t, readUser(t.Context(), s), ClassUnreachable)
		if !strings.Contains(e.Detail, "cannot be resolved") || !strings.Contains(e.Detail, "localhost") {
			t.Errorf("the detail is %q", e.Detail)
		}

		for err := error(e); err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), "apiSecretToken") || strings.Contains(err.Error(), service.SecretKey) {
				t.Errorf("the secret is in %q", err)
			}
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) {
		cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "localhost", IsNotFound: true}}
		}
	})
}

// TestFailure_unreachableProxyIsNotTheService has a proxy that refuses connections, or whose
// name cannot be resolved.
func TestFailure_unreachableProxyIsNotTheService(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ECONNREFUSED, &net.DNSError{Err: "no such host", IsNotFound: true}} {
		bubble(t, func(t *testing.T, _ *mocktest.Instance, s *Sender) {
			e := wantClass(t, readUser(t.Context(), s), ClassUnreachable)
			if !strings.Contains(e.Detail, "proxy") || !strings.Contains(e.Detail, "NO_PROXY") || strings.Contains(e.Detail, "host") {
				t.Errorf("the detail is %q", e.Detail)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) {
			cfg.Proxy = func(*http.Request) (*url.URL, error) {
				return &url.URL{Scheme: "http", Host: "proxy.example.com:3128"}, nil
			}
			cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Err: cause}
			}
		})
	}
}

func TestFailure_plainHTTPBehindHTTPSIsATLSError(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	s := connect(t, service, func(_ *mocktest.Instance, cfg *Config) { cfg.Base.Scheme = "https" })
	_ = wantClass(t, read(t.Context(), s), ClassTLS)
}
