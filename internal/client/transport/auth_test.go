// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestAuth_onlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	s := closedSender(t)
	for _, address := range []string{"http://analytics.example.com/", "https://analytics.example.com:8443/", "https://example.com/"} {
		k, req, err := s.newCall(t.Context(), Request{Op: Operation{Method: http.MethodGet}})
		if err != nil {
			t.Fatal(err)
		}
		if req.URL, err = url.Parse(address); err != nil {
			t.Fatal(err)
		}
		if resp, err := k.RoundTrip(req); !IsClass(err, ClassInternal) {
			resp.Body.Close()
			t.Errorf("%s: the error is %v", address, err)
		}
	}
}

func TestAuth_noWriteAfterTheMachineStoodStill(t *testing.T) {
	t.Parallel()

	op := Operation{Name: "Update consent", Method: http.MethodPatch, Effect: true}
	_, err := closedSender(t).Once(t.Context(), Request{Op: op, Compared: time.Now().Add(-2 * staleAfter)})
	if !errors.Is(err, ErrOutdated) {
		t.Errorf("the error is %v", err)
	}
}

// closedSender returns a sender that no request may leave.
func closedSender(t *testing.T) *Sender {
	t.Helper()

	s, err := New(Config{
		Base: &url.URL{Scheme: "https", Host: "analytics.example.com"}, Credentials: Credentials{APISecretKey: "key"},
		MaxConcurrency: 1, RequestTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.pool = roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("a request has left")
		return nil, http.ErrServerClosed
	})

	return s
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
