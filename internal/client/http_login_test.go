// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestLogin_oneServesAllCallersForAnHour(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		reads := soak.Size(40, 500)
		hours := soak.Size(3, 24)
		for range hours {
			for _, err := range callers(t, c, reads) {
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

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})

		for range 120 {
			_, err := c.GetConsent(t.Context(), scope, person)
			noError(t, err)
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
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
			service.Claims = func(now time.Time) map[string]any {
				return map[string]any{"iat": now.Unix(), "exp": now.Unix() + lifetime}
			}

			for _, err := range everySecond(t, c) {
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

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		service.TokenLifetime = time.Second

		failed := 0
		for _, err := range everySecond(t, c) {
			if err == nil {
				continue
			}

			failed++
			e := wantClass(t, err, transport.ClassAuthentication)
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

		for _, err := range everySecond(t, c) {
			noError(t, err)
		}
	})
}

// everySecond reads a consent once a second, a hundred times, and returns the errors.
func everySecond(t *testing.T, c *client.Client) (errs []error) {
	t.Helper()
	for range 100 {
		_, err := c.GetConsent(t.Context(), scope, person)
		errs = append(errs, err)
		<-time.After(time.Second)
	}
	return errs
}

func TestLogin_revokedTokenCostsOneLogin(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		for expiry := range 4 {
			for _, err := range callers(t, c, 200) {
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
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Latency = latency
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Times: -1, Body: []byte(`{"error":{"message":"go away"}}`)})
			for _, err := range callers(t, c, soak.Size(200, 2000)) {
				if e := wantClass(t, err, transport.ClassAuthentication); e.Message != "go away" {
					t.Fatalf("the service's message is %q", e.Message)
				}
			}
			wantCount(t, service, mockserver.OpLogin, 2)
		})
	}
}

func TestLogin_wrongPasswordIsTriedOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		for range 3 {
			for _, err := range callers(t, c, soak.Size(50, 300)) {
				e := wantClass(t, err, transport.ClassAuthentication)
				if e.Operation != "Log in" || strings.Contains(e.Error(), "wrong-canary") {
					t.Fatalf("the error is %v", e)
				}
			}

			<-time.After(10 * time.Minute)
		}

		wantCount(t, service, mockserver.OpLogin, 1)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Credentials.Password = "wrong-canary" })
}

func TestLogin_passwordChangedInMidRunLocksNobodyOut(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		noError(t, callers(t, c, 1)[0])
		service.AddUser(service.Email, "another password")
		service.RevokeTokens()

		for range 2 {
			for _, err := range callers(t, c, 200) {
				_ = wantClass(t, err, transport.ClassAuthentication)
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

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				fault.Operation = mockserver.OpLogin
				service.Inject(fault)
				noError(t, update(t.Context(), c))
				wantCount(t, service, mockserver.OpLogin, 2)
			})
		})
	}
}

func TestLogin_lastingFailureIsTriedTwiceAndAgainLater(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503}, mockserver.Fault{Operation: mockserver.OpLogin, Status: 503})

		for _, err := range callers(t, c, soak.Size(50, 300)) {
			if e := wantClass(t, err, transport.ClassServer); e.Operation != "Log in" {
				t.Fatalf("the error is about %q", e.Operation)
			}
		}

		wantCount(t, service, mockserver.OpLogin, 2)
		<-time.After(time.Minute)
		noError(t, callers(t, c, 1)[0])
	})
}

func TestLogin_failureIsTheSameForAllCallers(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 500, Times: -1},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Times: -1, Delay: 95 * time.Second},
		)

		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Skip: 1, Status: 400, Times: -1, Body: []byte("{}")})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				_, err := c.UpdateConsent(t.Context(), scope, strings.Repeat("x", i+1), allTrue())
				e, _ := errors.AsType[*transport.Error](err)
				if e.Operation == "Log in" && e.Attempts != 1 {
					t.Errorf("%s: %d attempts", e.Operation, e.Attempts)
				}
			})
		}

		wg.Wait()
	}, func(s *mocktest.Instance, cfg *client.Config) {
		cfg.RequestTimeout = 5 * time.Minute
		s.Claims = func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() + 100} }
	})
}

func TestLogin_credentialsOnlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	for _, status := range []int{301, 302, 307, 308} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Times: -1, Header: map[string][]string{"Location": {"http://localhost/v1/user/self"}}})
			_, err := c.CurrentUser(t.Context())
			e := wantClass(t, err, transport.ClassRedirect)
			if !strings.Contains(e.Detail, "localhost") {
				t.Errorf("the error is %v", e)
			}

			wantCount(t, service, "", 1)
		})
	}
}

func TestLogin_outlivesTheCallerThatBeganIt(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Delay: 10 * time.Second})
		first, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := c.GetConsent(first, scope, person)
			wantCancelled(t, err)
		})

		synctest.Wait()
		wg.Go(func() {
			if _, err := c.GetConsent(t.Context(), scope, person); err != nil {
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
	if !transport.IsClass(err, transport.ClassCancelled) {
		t.Errorf("got the error %v, want a cancellation", err)
	}
}

func TestLogin_rejectedFreshTokenLocksOutForAMinute(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		noError(t, callers(t, c, 1)[0])

		// The next token is worth nothing, and the one after it works.
		service.RevokeTokens()
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Then: service.RevokeTokens})
		for range 59 {
			for _, err := range callers(t, c, 20) {
				_ = wantClass(t, err, transport.ClassAuthentication)
			}
			<-time.After(time.Second)
		}
		wantCount(t, service, mockserver.OpLogin, 2)

		<-time.After(2 * time.Second)
		for _, err := range callers(t, c, 20) {
			noError(t, err)
		}
		wantCount(t, service, mockserver.OpLogin, 3)
	})
}
