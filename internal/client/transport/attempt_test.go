// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAttempt_isLoggedUnlessTheLogIsOff has an answer with JSON under another name, which is read
// and logged as well.
func TestAttempt_isLoggedUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(`{"manual":true}`), Header: page})
			ctx, logged := capturedLog(t)
			noError(t, read(ctx, s))

			got := logged()
			if strings.Contains(got, "Request to the analytics service answered") == off || !strings.Contains(got, `"@level":"info"`) || !strings.Contains(got, "text/html") {
				t.Errorf("LogIsOff is %t, and the log is %q", off, got)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.LogIsOff = off })
	}
}

func TestPlace_bodyIsJSONWithoutNeedlessEscapes(t *testing.T) {
	t.Parallel()

	got, err := EncodeParameters(InJSON, map[string]any{"b": true, "a": "\"é\u2028<&\n", "c": int64(-1)})
	if want := `{"a":"\"é` + "\u2028" + `<&\n","b":true,"c":-1}`; string(got.Body) != want || err != nil {
		t.Errorf("got %s %v, want %s", got.Body, err, want)
	}
	if got, err := EncodeParameters(InJSON, map[string]any{"a": "\xff"}); err == nil {
		t.Errorf("invalid UTF-8 is sent as %s", got.Body)
	}
}

func TestPool_connectionThatIsNotTrustedIsRefusedAtOnce(t *testing.T) {
	t.Parallel()

	overTLS := func(t *testing.T) *mocktest.Instance { t.Helper(); return mocktest.StartTLS(t, nil) }
	for words, tc := range map[string]struct {
		start  func(*testing.T) *mocktest.Instance
		change func(*Config)
	}{
		"unknown authority":  {overTLS, func(cfg *Config) { cfg.CACertPEM = nil }},
		"not localhost":      {overTLS, func(cfg *Config) { cfg.Base.Host = "localhost:" + cfg.Base.Port() }},
		"does not speak TLS": {func(t *testing.T) *mocktest.Instance { t.Helper(); return mocktest.Start(t) }, func(cfg *Config) { cfg.Base.Scheme = "https" }},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()

			service := tc.start(t)
			s := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { tc.change(cfg) })

			e := wantClass(t, update(t.Context(), s), ClassTLS)
			if !strings.Contains(e.Detail, words) || e.Attempts != 1 || e.Ambiguous {
				t.Errorf("%+v", e)
			}
			wantCount(t, service, "", 0)
		})
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

// TestPool_HTTP1RepeatsNoChange has a connection that breaks when it is used again. net/http
// then repeats a request that it considers replayable.
func TestPool_HTTP1RepeatsNoChange(t *testing.T) {
	t.Parallel()

	for operation, tc := range map[string]struct {
		op      Operation
		arrives int
	}{
		mockserver.OpGetConsent:    {Operation{Name: "Get consent", Method: http.MethodGet, Path: consentPath}, 2},
		mockserver.OpGetAllData:    {Operation{Name: "Get all data", Method: http.MethodGet, Path: dataPath, Effect: true}, 1},
		mockserver.OpDeleteAllData: {Operation{Name: "Delete all data", Method: http.MethodDelete, Path: dataPath, Effect: true}, 1},
		mockserver.OpUpdateConsent: {opUpdateConsent, 1},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				noError(t, readUser(t.Context(), s)) // from now on the connection is a reused one
				service.Inject(mockserver.Fault{Operation: operation, Cut: mockserver.CutBeforeCommit})

				err := send(t.Context(), s, tc.op)
				if (err == nil) != (tc.arrives == 2) {
					t.Errorf("the error is %v", err)
				}
				wantCount(t, service, operation, tc.arrives)
			}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxRetries = 0 })
		})
	}
}
