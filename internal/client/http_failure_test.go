// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestFailure_unresolvableHostWithoutTheSecretInItsAddress(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		_, err := c.CurrentUser(t.Context())
		e := wantClass(t, err, transport.ClassUnreachable)
		if !strings.Contains(e.Detail, "cannot be resolved") {
			t.Errorf("the detail is %q", e.Detail)
		}

		for err := error(e); err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), "apiSecretToken") || strings.Contains(err.Error(), service.SecretKey) {
				t.Errorf("the secret is in %q", err)
			}
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
		cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "localhost", IsNotFound: true}}
		}
	})
}

func TestFailure_unreachableHostIsNamed(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "https://localhost:1", Credentials: transport.Credentials{APISecretKey: "k"}})
	noError(t, err)
	_, err = c.CurrentUser(t.Context())
	if !strings.Contains(err.Error(), "localhost") {
		t.Errorf("the host is not named: %v", err)
	}
}

// TestFailure_unreachableProxyIsNotTheService has a proxy that refuses connections, or whose
// name cannot be resolved.
func TestFailure_unreachableProxyIsNotTheService(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ECONNREFUSED, &net.DNSError{Err: "no such host", IsNotFound: true}} {
		bubble(t, func(t *testing.T, _ *mocktest.Instance, c *client.Client) {
			_, err := c.CurrentUser(t.Context())
			e := wantClass(t, err, transport.ClassUnreachable)
			if !strings.Contains(e.Detail, "proxy") || !strings.Contains(e.Detail, "NO_PROXY") || strings.Contains(e.Detail, "host") {
				t.Errorf("the detail is %q", e.Detail)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
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
	c, err := direct(service, func(cfg *client.Config) { cfg.BaseURL = strings.Replace(service.URL, "http://", "https://", 1) })
	noError(t, err)
	defer c.Close()
	_, err = c.GetConsent(t.Context(), scope, person)
	_ = wantClass(t, err, transport.ClassTLS)
}
