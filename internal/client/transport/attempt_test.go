// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAttempt_isLoggedUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, _ *mocktest.Instance, s *Sender) {
			ctx, logged := capturedLog(t)
			noError(t, read(ctx, s))
			if strings.Contains(logged(), "Request to the analytics service answered") == off {
				t.Errorf("LogIsOff is %t, and the log is %q", off, logged())
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.LogIsOff = off })
	}
}

func TestObserver_seesLoginsAndRepetitions(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{
			Operation: mockserver.OpGetConsent, Status: http.StatusTooManyRequests,
			Header: http.Header{"Retry-After": {"1"}},
		})
		noError(t, read(t.Context(), s))

		if want := []string{"Log in OK", "Get consent Too Many Requests", "Get consent OK"}; !slices.Equal(seen, want) {
			t.Errorf("the observer saw %q", seen)
		}
	}, func(_ *mocktest.Instance, cfg *Config) {
		cfg.Observer = func(operation string, status int) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, operation+" "+http.StatusText(status))
		}
	})
}

func TestAnswer_JSONUnderAnotherNameIsRead(t *testing.T) {
	t.Parallel()

	for _, declared := range []string{"text/html", "text/plain; charset=utf-8", "application/octet-stream"} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(`{"manual":true}`), Header: http.Header{"Content-Type": {declared}}})
			ctx, logged := capturedLog(t)
			noError(t, read(ctx, s))

			if got := logged(); !strings.Contains(got, `"@level":"info"`) || !strings.Contains(got, strings.Split(declared, ";")[0]) {
				t.Errorf("%s: the log is %s", declared, got)
			}
		}, useSecretKey)
	}
}
