// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noPool fails a test that sends anything.
type noPool struct{ t *testing.T }

func (p noPool) RoundTrip(*http.Request) (*http.Response, error) {
	p.t.Error("a request is sent")
	return nil, errors.New("not sent")
}

// newUnsent returns a sender that must not send anything.
func newUnsent(t *testing.T, credentials Credentials) *Sender {
	t.Helper()
	s, err := New(Config{
		Base: &url.URL{Scheme: "http", Host: "localhost"}, Credentials: credentials, MaxConcurrency: 1, RequestTimeout: time.Minute,
		Around: func(http.RoundTripper) http.RoundTripper { return noPool{t} },
	})
	if err != nil {
		t.Fatal(err)
	}

	return s
}

func TestSend_onlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	s := newUnsent(t, Credentials{APISecretKey: "k"})
	for _, address := range []string{"https://localhost/", "http://localhost:8443/", "http://example.com/"} {
		ctx := context.WithValue(t.Context(), callKey{}, &call{sender: s})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.chain.HTTPClient.Do(req); !IsClass(err, ClassInternal) { //nolint:bodyclose // no answer comes
			t.Errorf("%s: the error is %v", address, err)
		}
	}
}

// TestAdmission_noWriteWaitsAfterItsComparison has a machine that stood still, no token yet, and a service that
// asked another caller for time.
func TestAdmission_noWriteWaitsAfterItsComparison(t *testing.T) {
	t.Parallel()

	key, login := Credentials{APISecretKey: "k"}, Credentials{Email: "e", Password: "p"}
	for name, tc := range map[string]struct {
		credentials Credentials
		after, hold time.Duration
	}{"stood still": {key, 2 * staleAfter, 0}, "no token": {login, 0, 0}, "asked for time": {key, 0, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			s := newUnsent(t, tc.credentials)
			ctx, leave, err := s.Admit(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			compared, _ := ctx.Value(admissionKey{}).(*time.Time)
			*compared = time.Now().Add(-tc.after)
			s.gate.hold(tc.hold)

			if _, err = s.Do(ctx, Request{Op: Operation{Method: http.MethodPatch, Kind: Writes}}); !IsClass(err, ClassOutdated) {
				t.Errorf("%s: the error is %v", name, err)
			}
		})
	}
}
