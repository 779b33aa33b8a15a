package client

import (
	"net/http"
	"net/url"
	"testing"
)

func TestAuth_onlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	base := &url.URL{Scheme: "https", Host: "analytics.example.com"}
	next := roundTripper(func(*http.Request) (*http.Response, error) {
		t.Error("a request has left")
		return nil, http.ErrServerClosed
	})
	auth := newAuthTransport(Config{Credentials: Credentials{APISecretKey: "key"}}, base, next)

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

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
