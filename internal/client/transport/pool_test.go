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
	"sync/atomic"
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
		"unknown authority": {nil, func(_ *mocktest.Instance, cfg *Config) { cfg.CACertPEM = nil }},
		"has expired":       {expired, useSecretKey},
		"not localhost":     {nil, func(_ *mocktest.Instance, cfg *Config) { cfg.Base.Host = "localhost:" + cfg.Base.Port() }},
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

// TestFailure_isOfTheHostOrOfTheProxy has a proxy that refuses every tunnel, and connections that
// cannot be made. No error of it shows a credential.
func TestFailure_isOfTheHostOrOfTheProxy(t *testing.T) {
	t.Parallel()

	refusing := func(status string) func() (net.Conn, error) {
		return func() (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				if _, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
					fmt.Fprintf(theirs, "HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>no", status)
				}
			}()
			return ours, nil
		}
	}
	failing := func(cause error) func() (net.Conn, error) {
		return func() (net.Conn, error) { return nil, &net.OpError{Op: "dial", Err: cause} }
	}
	unknown := &net.DNSError{Err: "no such host", Name: "localhost", IsNotFound: true}

	for name, tc := range map[string]struct {
		dial     func() (net.Conn, error)
		proxied  bool
		class    ErrorClass
		attempts int
		says     string // words with a bar between
		hides    string
	}{
		"unknown host":             {failing(unknown), false, ClassUnreachable, 5, "cannot be resolved|the host is localhost", "proxy"},
		"refused connection":       {failing(syscall.ECONNREFUSED), false, ClassUnreachable, 5, "was refused|the host is localhost", "proxy"},
		"unknown proxy":            {failing(unknown), true, ClassUnreachable, 5, "the proxy cannot be reached|NO_PROXY", "the host"},
		"unreachable proxy":        {failing(syscall.ECONNREFUSED), true, ClassUnreachable, 5, "the proxy cannot be reached|NO_PROXY", "the host"},
		"proxy that wants a login": {refusing("407 X"), true, ClassProxyAuth, 1, "the proxy answered with status Proxy Authentication Required", "the host"},
		"proxy that fails":         {refusing("502 X"), true, ClassUnreachable, 5, "the proxy answered with status Bad Gateway", "the host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var dials atomic.Int64
			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				began := time.Now()
				e := wantClass(t, update(t.Context(), s), tc.class)
				if e.Attempts != tc.attempts || dials.Load() != int64(tc.attempts) || e.Ambiguous {
					t.Errorf("%d dials, %+v", dials.Load(), e)
				}
				for words := range strings.SplitSeq(tc.says, "|") {
					if !strings.Contains(e.Detail, words) || strings.Contains(e.Detail, tc.hides) {
						t.Errorf("the detail is %q", e.Detail)
					}
				}

				for err := error(e); err != nil; err = errors.Unwrap(err) {
					if strings.Contains(err.Error(), "apiSecretToken") || strings.Contains(err.Error(), service.SecretKey) || strings.Contains(err.Error(), "canary") {
						t.Errorf("a secret is in %q", err)
					}
				}

				if waited := time.Since(began); waited > time.Minute {
					t.Errorf("it took %v", waited)
				}
				wantCount(t, service, "", 0)
			}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) {
				cfg.Base.Scheme = "https"
				cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
					dials.Add(1)
					return tc.dial()
				}
				if tc.proxied {
					cfg.Proxy = func(*http.Request) (*url.URL, error) {
						return &url.URL{Scheme: "http", Host: "proxy.example.com:3128", User: url.UserPassword("proxy", "canary")}, nil
					}
				}
			})
		})
	}
}

func TestFailure_plainHTTPBehindHTTPSIsATLSError(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	s := connect(t, service, func(_ *mocktest.Instance, cfg *Config) { cfg.Base.Scheme = "https" })
	_ = wantClass(t, read(t.Context(), s), ClassTLS)
}
