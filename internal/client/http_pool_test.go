// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestPool_badCertificateIsRefusedAtOnce(t *testing.T) {
	t.Parallel()

	for words, tc := range map[string]struct {
		shown  mocktest.Certificate
		change func(*client.Config)
	}{
		"not trusted":       {mocktest.Valid, func(cfg *client.Config) { cfg.CACertPEM = nil }},
		"expired":           {mocktest.Expired, nil},
		"another host name": {mocktest.WrongName, nil},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()

			service := mocktest.StartTLS(t, tc.shown)
			c, err := direct(service, tc.change)
			noError(t, err)
			defer c.Close()

			e := wantClass(t, update(t.Context(), c), transport.ClassTLS)
			if !strings.Contains(e.Detail, words) || e.Attempts != 1 || e.Ambiguous {
				t.Errorf("%+v", e)
			}

			wantCount(t, service, "", 0)
		})
	}
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
		class    transport.ErrorClass
		attempts int
	}{
		http.StatusProxyAuthRequired: {transport.ClassProxyAuth, 1},
		http.StatusBadGateway:        {transport.ClassUnreachable, 2},
	} {
		service := mocktest.StartTLS(t, mocktest.Valid)
		proxy := refusingProxy(t, status)
		c, err := direct(service, func(cfg *client.Config) {
			cfg.Proxy = func(*http.Request) (*url.URL, error) { return proxy, nil }
		})

		noError(t, err)
		e := wantClass(t, update(t.Context(), c), tc.class)
		if e.Attempts != tc.attempts || e.Ambiguous || strings.Contains(e.Error(), "canary") {
			t.Errorf("%d: %+v", status, e)
		}

		c.Close()
		wantCount(t, service, "", 0)
	}
}

func TestPool_connectionClosedBetweenCallsIsNotNoticed(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Header: map[string][]string{"Connection": {"close"}}, Status: 200, Body: []byte("{}")})
		_, err := c.CurrentUser(t.Context())
		noError(t, err)
		noError(t, update(t.Context(), c))
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	}, useSecretKey)
}
