package client_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// callers runs so many reads at once and returns their errors.
func callers(t *testing.T, c *client.Client, n int) []error {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { _, errs[i] = c.GetConsent(t.Context(), scope, person) })
	}
	wg.Wait()
	return errs
}

func TestOneLoginServesAllCallersAndLastsAnHour(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		reads := soak.Size(40, 500)
		for range 3 { // three hours of reads
			for _, err := range callers(t, c, reads) {
				noError(t, err)
			}
			<-time.After(time.Hour)
		}
		wantCount(t, service, mockserver.OpLogin, 3)
		wantCount(t, service, mockserver.OpGetConsent, 3*reads)
	})
}

func TestATokenIsRenewedBeforeItExpires(t *testing.T) {
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

func TestARevokedTokenCostsOneLoginForAllCallers(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		for expiry := range 4 {
			for _, err := range callers(t, c, 200) {
				noError(t, err)
			}
			wantCount(t, service, mockserver.OpLogin, expiry+1)
			service.RevokeTokens()
		}
	})
}

func TestAnUpdateIsReplayedOnceAfterA401(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401})
		noError(t, update(t.Context(), c))
		wantCount(t, service, mockserver.OpLogin, 2)
		wantCount(t, service, mockserver.OpUpdateConsent, 2)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	})
}

func TestA401ThatStaysCostsOneExtraLoginForAllCallers(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Times: -1, Body: []byte(`{"error":{"message":"go away"}}`)})
		for _, err := range callers(t, c, soak.Size(200, 2000)) {
			e := wantKind(t, err, client.ClassAuthentication)
			if e.Message != "go away" {
				t.Fatalf("the service's message is %q", e.Message)
			}
		}
		wantCount(t, service, mockserver.OpLogin, 2)
	})
}

func TestAWrongPasswordIsTriedOnceForAllCallers(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		for range 3 {
			for _, err := range callers(t, c, soak.Size(50, 300)) {
				e := wantKind(t, err, client.ClassAuthentication)
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

func TestAPasswordChangedInMidRunLocksNobodyOut(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		noError(t, callers(t, c, 1)[0])
		service.AddUser(service.Email, "another password")
		service.RevokeTokens()
		for range 2 {
			for _, err := range callers(t, c, 200) {
				_ = wantKind(t, err, client.ClassAuthentication)
			}
		}
		wantCount(t, service, mockserver.OpLogin, 2)
	})
}

func TestALoginThatFailsForAMomentIsTriedTwice(t *testing.T) {
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

func TestALoginThatStaysDownIsTriedTwiceForAllCallersAndAgainLater(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503}, mockserver.Fault{Operation: mockserver.OpLogin, Status: 503})
		for _, err := range callers(t, c, soak.Size(50, 300)) {
			if e := wantKind(t, err, client.ClassServer); e.Operation != "Log in" {
				t.Fatalf("the error is about %q", e.Operation)
			}
		}
		wantCount(t, service, mockserver.OpLogin, 2)
		<-time.After(time.Minute)
		noError(t, callers(t, c, 1)[0])
	})
}

func TestALoginAnswerWithoutAJWTIsNotShown(t *testing.T) {
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
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 200, Body: []byte(body), Times: -1})
			_, err := c.CurrentUser(t.Context())
			e := wantKind(t, err, client.ClassLoginAnswer)
			if strings.Contains(e.Error(), "canary") {
				t.Errorf("%s: the answer is shown: %v", name, e)
			}
			wantCount(t, service, mockserver.OpLogin, 1)
		})
	}
}

func TestCredentialsAreSentOnceAndOnlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 307, 308} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Times: -1, Header: map[string][]string{"Location": {"http://localhost/v1/user/self"}}})
			_, err := c.CurrentUser(t.Context())
			e := wantKind(t, err, client.ClassRedirect)
			if !strings.Contains(e.Detail, "localhost") {
				t.Errorf("the error is %v", e)
			}
			wantCount(t, service, "", 1)
		})
	}
}

func TestTheTokensOwnClockPlaysNoPart(t *testing.T) {
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
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Claims = tc.claims
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
			for range 100 {
				_, err := c.GetConsent(t.Context(), scope, person)
				noError(t, err)
				<-time.After(time.Minute)
			}
			if got := service.Count(mockserver.OpLogin); got != tc.logins {
				t.Errorf("%s: %d logins, want %d", name, got, tc.logins)
			}
			notices := c.Notices()
			if (len(notices) > 0) != tc.notice {
				t.Errorf("%s: the notices are %q", name, notices)
			}
			if len(c.Notices()) != 0 {
				t.Errorf("%s: a notice is given twice", name)
			}
		})
	}
}

// everySecond reads once a second, a hundred times.
func everySecond(t *testing.T, c *client.Client) (errs []error) {
	t.Helper()
	for range 100 {
		_, err := c.GetConsent(t.Context(), scope, person)
		errs = append(errs, err)
		<-time.After(time.Second)
	}
	return errs
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
			e := wantKind(t, err, client.ClassAuthentication)
			if !strings.Contains(e.Detail, "keeps rejecting tokens less than 30s after it issued them") {
				t.Fatalf("the detail is %q", e.Detail)
			}
		}
		if got := service.Count(mockserver.OpLogin); failed < 80 || got > 10 {
			t.Errorf("%d of 100 reads failed, with %d logins", failed, got)
		}
		// A service that is well again is used again.
		service.TokenLifetime = time.Hour
		<-time.After(time.Minute)
		for _, err := range everySecond(t, c) {
			noError(t, err)
		}
	})
}

func TestALoginOutlivesTheCallerThatBeganIt(t *testing.T) {
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

func wantCancelled(t *testing.T, err error) {
	t.Helper()
	if !client.IsClass(err, client.ClassCancelled) {
		t.Errorf("got the error %v, want a cancellation", err)
	}
}

func TestAGivenTokenAndAKeyAreNeverRenewed(t *testing.T) {
	t.Parallel()
	for name, credentials := range map[string]client.Credentials{"token": {Token: "eyJhIjoxfQ.e30.c2ln"}, "key": {APISecretKey: "wrong-canary"}} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			_, err := c.CurrentUser(t.Context())
			e := wantKind(t, err, client.ClassAuthentication)
			if strings.Contains(e.Error(), "canary") {
				t.Errorf("%s: %v", name, e)
			}
			wantCount(t, service, "", 1)
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Credentials = credentials })
	}
}

func TestEveryWayToAuthenticateIsPresentedAsDocumented(t *testing.T) {
	t.Parallel()
	for want, use := range map[string]func(*mocktest.Instance, *client.Config){
		mockserver.AuthBearer: func(s *mocktest.Instance, cfg *client.Config) {
			cfg.Credentials = client.Credentials{Token: s.IssueToken(s.Email)}
		},
		mockserver.AuthSecret: useSecretKey,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			user, err := c.CurrentUser(t.Context())
			noError(t, err)
			if len(user) == 0 {
				t.Error("no user")
			}
			noError(t, update(t.Context(), c))
			for _, r := range service.Requests() {
				if r.Auth != want || r.Header.Get("X-Gateway") != "g 1" || r.Header.Get("User-Agent") != "client-test" || r.Header.Get("Referer") != "" {
					t.Errorf("%s %s: %v", want, r.Auth, r.Header)
				}
			}
		}, use, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Headers = map[string]string{"X-Gateway": "g 1"} })
	}
}
