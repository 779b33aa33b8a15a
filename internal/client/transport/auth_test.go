// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestAuth_onlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	auth := closedAuth(t)
	for _, address := range []string{"http://analytics.example.com/", "https://analytics.example.com:8443/", "https://example.com/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := auth.RoundTrip(req); !IsClass(err, ClassInternal) {
			resp.Body.Close()
			t.Errorf("%s: the error is %v", address, err)
		}
	}
}

func TestAuth_noWriteAfterTheMachineStoodStill(t *testing.T) {
	t.Parallel()

	auth := closedAuth(t)
	k := &Call{Op: Operation{Name: "Update consent", Method: http.MethodPatch, Effect: true}, compared: time.Now().Add(-2 * staleAfter)}
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), callKey{}, k), http.MethodPatch, auth.base.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := auth.RoundTrip(req); !errors.Is(err, ErrOutdated) {
		resp.Body.Close()
		t.Errorf("the error is %v", err)
	}
}

// closedAuth returns a layer that no request may leave.
func closedAuth(t *testing.T) *authTransport {
	t.Helper()

	next := roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("a request has left")
		return nil, http.ErrServerClosed
	})

	return newAuthTransport(Config{Base: &url.URL{Scheme: "https", Host: "analytics.example.com"}, Credentials: Credentials{APISecretKey: "key"}}, next)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
