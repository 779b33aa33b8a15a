// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAttempt_stalledAnswerSaysSoAndAfterHowLong(t *testing.T) {
	t.Parallel()

	for words, fault := range map[string]mockserver.Fault{
		"no answer within 30s": {Hang: true},
		"the answer stalled: it began and was not complete after 30s": {Cut: mockserver.CutStall, CutAt: 10},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			fault.Operation, fault.Times = mockserver.OpGetConsent, -1
			service.Inject(fault)
			began := time.Now()
			e := wantClass(t, read(t.Context(), s), ClassTimeout)
			if !strings.Contains(e.Detail, words) || !strings.Contains(e.Detail, "request_timeout") {
				t.Errorf("the detail is %q", e.Detail)
			}

			if took := time.Since(began); took > 5*30*time.Second+time.Minute {
				t.Errorf("it took %v", took)
			}
		}, useSecretKey)
	}
}

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
		cfg.Observer = func(h Head) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, h.Operation+" "+http.StatusText(h.Status))
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
