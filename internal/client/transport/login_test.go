// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestLogin_oneServesAllCallersForAnHour(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		reads := soak.Size(40, 500)
		hours := soak.Size(3, 24)
		for range hours {
			for _, err := range callers(t, s, reads) {
				noError(t, err)
			}
			<-time.After(time.Hour)
		}

		wantCount(t, service, mockserver.OpLogin, hours)
		wantCount(t, service, mockserver.OpGetConsent, hours*reads)
	})
}

func TestLogin_tokenIsRenewedBeforeItExpires(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		for range 120 {
			noError(t, read(t.Context(), s))
			<-time.After(time.Minute)
		}

		for _, r := range service.Requests() {
			if r.Status == 401 {
				t.Error("a request was sent with an expired token")
			}
		}

		wantCount(t, service, mockserver.OpLogin, 3)
	})
}

func TestLogin_tokenIsUsedForAFloor(t *testing.T) {
	t.Parallel()

	for _, lifetime := range []int64{0, 1, 2, 30, 33} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Claims = func(now time.Time) map[string]any {
				return map[string]any{"iat": now.Unix(), "exp": now.Unix() + lifetime}
			}

			for _, err := range everySecond(t, s) {
				noError(t, err)
			}

			if got := service.Count(mockserver.OpLogin); got > 4 {
				t.Errorf("a lifetime of %d s: %d logins in 100 s", lifetime, got)
			}
		})
	}
}

func TestLogin_tokensThatEndTooSoonAreAnError(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.TokenLifetime = time.Second

		failed := 0
		for _, err := range everySecond(t, s) {
			if err == nil {
				continue
			}

			failed++
			e := wantClass(t, err, ClassAuthentication)
			if !strings.Contains(e.Detail, "rejected another token less than 1m0s ago") {
				t.Fatalf("the detail is %q", e.Detail)
			}
		}

		if got := service.Count(mockserver.OpLogin); failed < 80 || got > 10 {
			t.Errorf("%d of 100 reads failed, with %d logins", failed, got)
		}

		// The client recovers with the service.
		service.TokenLifetime = time.Hour
		<-time.After(time.Minute)

		for _, err := range everySecond(t, s) {
			noError(t, err)
		}
	})
}

// everySecond reads a consent once a second, a hundred times, and returns the errors.
func everySecond(t *testing.T, s *Sender) (errs []error) {
	t.Helper()
	for range 100 {
		err := read(t.Context(), s)
		errs = append(errs, err)
		<-time.After(time.Second)
	}
	return errs
}

func TestLogin_revokedTokenCostsOneLogin(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		for expiry := range 4 {
			for _, err := range callers(t, s, soak.Size(30, 200)) {
				noError(t, err)
			}
			wantCount(t, service, mockserver.OpLogin, expiry+1)
			service.RevokeTokens()
			<-time.After(time.Minute)
		}
	})
}

func TestLogin_lasting401CostsOneExtraLogin(t *testing.T) {
	t.Parallel()
	for _, latency := range []time.Duration{0, time.Second} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Latency = latency
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Times: -1, Body: []byte(`{"error":{"message":"go away"}}`)})
			for _, err := range callers(t, s, soak.Size(50, 2000)) {
				if e := wantClass(t, err, ClassAuthentication); e.Message != "go away" {
					t.Fatalf("the service's message is %q", e.Message)
				}
			}
			wantCount(t, service, mockserver.OpLogin, 2)
		})
	}
}

func TestLogin_wrongPasswordIsTriedOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		for range 3 {
			for _, err := range callers(t, s, soak.Size(20, 300)) {
				e := wantClass(t, err, ClassAuthentication)
				if e.Operation != "Log in" || strings.Contains(e.Error(), "wrong-canary") {
					t.Fatalf("the error is %v", e)
				}
			}

			<-time.After(10 * time.Minute)
		}

		wantCount(t, service, mockserver.OpLogin, 1)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	}, func(_ *mocktest.Instance, cfg *Config) { cfg.Credentials.Password = "wrong-canary" })
}

func TestLogin_passwordChangedInMidRunLocksNobodyOut(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		noError(t, callers(t, s, 1)[0])
		service.AddUser(service.Email, "another password")
		service.RevokeTokens()

		for range 2 {
			for _, err := range callers(t, s, soak.Size(30, 200)) {
				_ = wantClass(t, err, ClassAuthentication)
			}
		}

		wantCount(t, service, mockserver.OpLogin, 2)
	})
}

func TestLogin_briefFailureIsTriedTwice(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"reset":     {Cut: mockserver.CutBeforeCommit},
		"503":       {Status: 503},
		"429":       {Status: 429, Header: map[string][]string{"Retry-After": {"3"}}},
		"hang":      {Hang: true},
		"half JSON": {Cut: mockserver.CutCloseDelimited, CutAt: 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				fault.Operation = mockserver.OpLogin
				service.Inject(fault)
				noError(t, update(t.Context(), s))
				wantCount(t, service, mockserver.OpLogin, 2)
			})
		})
	}
}

func TestLogin_lastingFailureIsTriedTwiceAndAgainLater(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503}, mockserver.Fault{Operation: mockserver.OpLogin, Status: 503})

		for _, err := range callers(t, s, soak.Size(20, 300)) {
			if e := wantClass(t, err, ClassServer); e.Operation != "Log in" {
				t.Fatalf("the error is about %q", e.Operation)
			}
		}

		wantCount(t, service, mockserver.OpLogin, 2)
		<-time.After(time.Minute)
		noError(t, callers(t, s, 1)[0])
	})
}

func TestLogin_credentialsOnlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	for _, status := range []int{301, 302, 307, 308} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Times: -1, Header: map[string][]string{"Location": {"http://localhost/v1/user/self"}}})
			e := wantClass(t, readUser(t.Context(), s), ClassRedirect)
			if !strings.Contains(e.Detail, "localhost") {
				t.Errorf("the error is %v", e)
			}

			wantCount(t, service, "", 1)
		})
	}
}

func TestLogin_outlivesTheCallerThatBeganIt(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Delay: 10 * time.Second})
		first, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			err := read(first, s)
			wantCancelled(t, err)
		})

		synctest.Wait()
		wg.Go(func() {
			if err := read(t.Context(), s); err != nil {
				t.Error(err)
			}
		})

		synctest.Wait()
		cancel()
		wg.Wait()
		wantCount(t, service, mockserver.OpLogin, 1)
		wantCount(t, service, mockserver.OpGetConsent, 1)
	})
}

// wantCancelled fails the test unless err is a cancellation. It may be called from any
// goroutine.
func wantCancelled(t *testing.T, err error) {
	t.Helper()
	if !IsClass(err, ClassCancelled) {
		t.Errorf("got the error %v, want a cancellation", err)
	}
}

func TestLogin_rejectedFreshTokenLocksOutForAMinute(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		noError(t, callers(t, s, 1)[0])

		// The next token is worth nothing, and the one after it works.
		service.RevokeTokens()
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Then: service.RevokeTokens})
		for range 11 {
			for _, err := range callers(t, s, 5) {
				_ = wantClass(t, err, ClassAuthentication)
			}
			<-time.After(5 * time.Second)
		}
		wantCount(t, service, mockserver.OpLogin, 2)

		<-time.After(6 * time.Second)
		for _, err := range callers(t, s, 5) {
			noError(t, err)
		}
		wantCount(t, service, mockserver.OpLogin, 3)
	})
}

func TestLogin_isTriedOnceWithoutRetries(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{0: 1, 1: 2, 4: 2} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusServiceUnavailable, Times: -1})
			_, _, err := s.NewToken(t.Context())
			_ = wantClass(t, err, ClassServer)
			if n := service.Count(mockserver.OpLogin); n != want {
				t.Errorf("with max_retries %d, %d logins were sent", retries, n)
			}
		}, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxRetries = retries })
	}
}

func TestToken_answerWithoutAJWTIsNotShown(t *testing.T) {
	t.Parallel()

	for name, body := range map[string]string{
		"no token":       `{"session":"canary"}`,
		"null":           `{"token":null}`,
		"number":         `{"token":7}`,
		"not a JWT":      `{"token":"canary"}`,
		"two parts":      `{"token":"eyJhIjoxfQ.canary"}`,
		"bad header":     `{"token":"Y2FuYXJ5.e30.c2ln"}`,
		"empty part":     `{"token":"eyJhIjoxfQ..c2ln"}`,
		"empty":          ``,
		"a list":         `["canary"]`,
		"other capitals": `{"Token":"eyJhIjoxfQ.e30.c2ln"}`,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 200, Body: []byte(body), Times: -1})
			e := wantClass(t, readUser(t.Context(), s), ClassLoginAnswer)
			if strings.Contains(e.Error(), "canary") {
				t.Errorf("%s: the answer is shown: %v", name, e)
			}

			wantCount(t, service, mockserver.OpLogin, 1)
		})
	}
}

func TestToken_itsClockPlaysNoPart(t *testing.T) {
	t.Parallel()

	hour := time.Hour.Seconds()
	for name, tc := range map[string]struct {
		claims func(time.Time) map[string]any
		logins int // in 100 minutes
		notice bool
	}{
		"exp in the past": {func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 500} }, 2, false},
		"a day behind": {func(now time.Time) map[string]any {
			at := now.Unix() - 86400
			return map[string]any{"iat": at, "exp": at + int64(hour)}
		}, 2, true},
		"a day ahead": {func(now time.Time) map[string]any {
			at := now.Unix() + 86400
			return map[string]any{"iat": at, "exp": at + int64(hour)}
		}, 2, true},
		"four minutes off": {func(now time.Time) map[string]any {
			at := now.Unix() - 240
			return map[string]any{"iat": at, "exp": at + int64(hour)}
		}, 2, false},
		"exp before iat":        {func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() - 1} }, 2, false},
		"half an hour":          {func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() + 1800} }, 4, false},
		"no claims":             {func(time.Time) map[string]any { return map[string]any{} }, 2, false},
		"claims of other types": {func(time.Time) map[string]any { return map[string]any{"iat": "now", "exp": true} }, 2, false},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Claims = tc.claims

			for range 100 {
				noError(t, read(t.Context(), s))
				<-time.After(time.Minute)
			}

			if got := service.Count(mockserver.OpLogin); got != tc.logins {
				t.Errorf("%s: %d logins, want %d", name, got, tc.logins)
			}

			notices := s.TakeNotices()
			if (len(notices) > 0) != tc.notice {
				t.Errorf("%s: the notices are %q", name, notices)
			}

			if len(s.TakeNotices()) != 0 {
				t.Errorf("%s: a notice is given twice", name)
			}
		})
	}
}
