// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestToken_isRenewedByItsLife reads a consent again and again. No read fails, none meets a 401,
// and the token is as old as it may be: neither the clock of the service nor an odd statement of
// the token changes that.
func TestToken_isRenewedByItsLife(t *testing.T) {
	t.Parallel()

	// stating returns a token's claims: when it was issued, and its life, both in seconds.
	stating := func(since, life int64) func(time.Time) map[string]any {
		return func(now time.Time) map[string]any {
			return map[string]any{"iat": now.Unix() + since, "exp": now.Unix() + since + life}
		}
	}

	for name, tc := range map[string]struct {
		claims  func(time.Time) map[string]any // nil are those of the service: an hour
		callers int                            // at once; zero is one
		every   time.Duration
		reads   int
		logins  int
		notice  bool
	}{
		"a crowd each hour":     {callers: soak.Size(20, 500), every: time.Hour, reads: 3, logins: 3},
		"a second":              {claims: stating(0, 1), every: 5 * time.Second, reads: 20, logins: 4},
		"half an hour":          {claims: stating(0, 1800), every: 5 * time.Minute, reads: 20, logins: 4},
		"two days":              {claims: stating(0, 172800), every: 5 * time.Minute, reads: 20, logins: 2},
		"less than none":        {claims: stating(0, -1), every: 5 * time.Minute, reads: 20, logins: 2},
		"claims of other types": {claims: func(time.Time) map[string]any { return map[string]any{"iat": "now", "exp": true} }, every: 5 * time.Minute, reads: 20, logins: 2},

		"claims of nothing": {claims: func(time.Time) map[string]any { return nil }, every: 5 * time.Minute, reads: 20, logins: 2},
		"in milliseconds": {claims: func(now time.Time) map[string]any {
			return map[string]any{"iat": now.UnixMilli(), "exp": now.Add(24 * time.Hour).UnixMilli()}
		}, every: 5 * time.Minute, reads: 20, logins: 2},

		"a day behind":     {claims: stating(-86400, 3600), every: 5 * time.Minute, reads: 20, logins: 2, notice: true},
		"a day ahead":      {claims: stating(86400, 3600), every: 5 * time.Minute, reads: 20, logins: 2, notice: true},
		"four minutes off": {claims: stating(-240, 3600), every: 5 * time.Minute, reads: 20, logins: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				if tc.claims != nil {
					service.Claims = tc.claims
				}

				for range tc.reads {
					noError(t, errors.Join(callers(t.Context(), s, max(tc.callers, 1))...))
					<-time.After(tc.every)
				}

				wantCount(t, service, mockserver.OpLogin, tc.logins)
				wantCount(t, service, mockserver.OpGetConsent, tc.reads*max(tc.callers, 1))
				if notices := s.Notices(); (len(notices) > 0) != tc.notice || len(s.Notices()) != 0 {
					t.Errorf("the notices are %q, and more later", notices)
				}
			})
		})
	}
}

// TestLogin_afterA401 reads a consent as often at once as there are callers, in rounds. Each
// round says how the reads end, and how many logins there were by then.
func TestLogin_afterA401(t *testing.T) {
	t.Parallel()

	type round struct {
		before func(*mocktest.Instance)
		wait   time.Duration // before the round
		class  ErrorClass    // of every read; empty is success
		logins int
		says   string
	}
	revoke := (*mocktest.Instance).RevokeTokens
	rejecting := func(service *mocktest.Instance) { // while other callers wait for their answers
		service.Latency = time.Second
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Times: -1, Body: []byte(`{"error":{"message":"go away"}}`)})
	}
	refusing := func(status int) func(*mocktest.Instance) {
		return func(service *mocktest.Instance) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Body: []byte(`{}`)})
		}
	}
	failing := func(service *mocktest.Instance) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503, Times: 2})
	}

	puttingOff := func(service *mocktest.Instance) {
		fault := wish("10")
		fault.Operation, fault.Times = mockserver.OpLogin, -1
		service.Inject(fault)
	}

	changing := func(service *mocktest.Instance) {
		service.AddUser(service.Email, "another password")
		service.RevokeTokens()
	}

	for name, rounds := range map[string][]round{
		"a revoked token costs one login": {
			{logins: 1}, {before: revoke, wait: time.Minute, logins: 2}, {before: revoke, wait: time.Minute, logins: 3},
		},
		"a lasting 401 costs one more login": {{before: rejecting, class: ClassAuthentication, logins: 2}},
		"a wrong password is tried once": {
			{before: changing, class: ClassAuthentication, logins: 1}, {wait: 10 * time.Minute, class: ClassAuthentication, logins: 1},
		},
		"a refused login is tried once": {
			{before: refusing(400), class: ClassRejected, logins: 1}, {wait: 10 * time.Minute, class: ClassRejected, logins: 1},
		},
		"a forbidden login is tried once": {
			{before: refusing(403), class: ClassForbidden, logins: 1}, {wait: 10 * time.Minute, class: ClassForbidden, logins: 1},
		},
		"a lasting failure is tried again later": {
			{before: failing, class: ClassServer, logins: 2}, {wait: 50 * time.Second, class: ClassServer, logins: 2}, {wait: 11 * time.Second, logins: 3},
		},
		"a login that is put off is not repeated for its callers": {{before: puttingOff, class: ClassRateLimited, logins: 2}},
		"a password changed in mid-run locks none": {
			{logins: 1}, {before: changing, class: ClassAuthentication, logins: 2}, {class: ClassAuthentication, logins: 2},
		},
		"a rejected fresh token locks out for a minute": {
			{logins: 1},
			{before: func(service *mocktest.Instance) { // the next token is worth nothing, and the one after it works
				service.RevokeTokens()
				service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Then: service.RevokeTokens})
			}, class: ClassAuthentication, logins: 2},
			{wait: 59 * time.Second, class: ClassAuthentication, logins: 2},
			{wait: 2 * time.Second, logins: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				for i, r := range rounds {
					<-time.After(r.wait)
					if r.before != nil {
						r.before(service)
					}

					began := time.Now()
					errs := callers(t.Context(), s, soak.Size(15, 300))
					if took := time.Since(began); took > 15*time.Second {
						t.Errorf("round %d took %v", i, took)
					}
					for _, err := range errs {
						if r.class == "" {
							noError(t, err)
							continue
						}
						if e := wantClass(t, err, r.class); !strings.Contains(e.Detail, r.says) {
							t.Fatalf("round %d: %v", i, e)
						}
					}
					wantCount(t, service, mockserver.OpLogin, r.logins)
				}
			})
		})
	}
}

// TestLogin_withoutRetries has a token that ends before its time: each call is sent once more with
// a new one. A login that fails is not repeated.
func TestLogin_withoutRetries(t *testing.T) {
	t.Parallel()

	export := func(ctx context.Context, s *Sender) error {
		op := Operation{Name: "Export records", Method: "GET", Kind: Exports, Streams: true}
		got, err := s.Do(ctx, Request{Op: op, To: Expand("/v1/org/org-demo/project/web/export"), Query: "utcDate=2026-03-01"})
		if err == nil {
			got.Body.Close()
		}
		return err
	}
	for name, call := range map[string]func(context.Context, *Sender) error{
		mockserver.OpGetConsent: read, mockserver.OpUpdateConsent: update, mockserver.OpExportRecords: export,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Claims = func(time.Time) map[string]any { return map[string]any{} }
			noError(t, call(t.Context(), s))
			<-time.After(30 * time.Minute)
			service.RevokeTokens()
			noError(t, call(t.Context(), s))

			wantCount(t, service, name, 3)
			wantCount(t, service, "", 5) // with the logins, and nothing else

			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503, Times: -1})
			_ = wantClass(t, logIn(t.Context(), s), ClassServer)
			wantCount(t, service, mockserver.OpLogin, 3)
		}, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxRetries = 0 })
	}
}

// TestLogin_mayGiveTheSameTokenAgain has a service that rejects a fresh token for a moment, and of
// which two logins in one second get the same token.
func TestLogin_mayGiveTheSameTokenAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		token := service.IssueToken(service.Email)
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpLogin, Times: -1, Status: 201, Body: []byte(`{"token":"` + token + `"}`)},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Delay: 50 * time.Millisecond},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Delay: 100 * time.Millisecond},
		)
		noError(t, errors.Join(callers(t.Context(), s, 2)...))
		wantCount(t, service, mockserver.OpLogin, 2)
	})
}

// TestLogin_presentsNoTokenThatAnotherCallerHasGivenUp has callers of which the first to get
// a new token gives it up at once, as after a 401, while the others still wait for theirs.
func TestLogin_presentsNoTokenThatAnotherCallerHasGivenUp(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, _ *mocktest.Instance, s *Sender) {
		for range soak.Size(soak.Raced(20, 200), 5000) {
			<-time.After(2 * loginPause)

			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					token, err := (&call{sender: s}).token(t.Context())
					if err != nil || token == "" {
						t.Errorf("there is no token (%v)", err)
					}
					s.login.giveUp(token, time.Now())
				})
			}
			all.Wait()
		}
	})
}

func TestLogin_outlivesTheCallerThatBeganIt(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Delay: 10 * time.Second})
		first, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := s.NewSessionToken(first)
		_ = wantClass(t, err, ClassCancelled)
		gaveUp := time.Since(began)
		noError(t, read(t.Context(), s))
		if took := time.Since(began); gaveUp != time.Second || took != 10*time.Second {
			t.Errorf("the first one ended after %v, and the other one after %v", gaveUp, took)
		}

		wantCount(t, service, mockserver.OpLogin, 1)
		wantCount(t, service, mockserver.OpGetConsent, 1)
	})
}

// TestLogin_isRepeatedUnderAnAdmission has an update that is sent once, and needs a login that fails once.
func TestLogin_isRepeatedUnderAnAdmission(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503})
		ctx, leave, err := s.Admit(t.Context(), 1)
		noError(t, err)
		defer leave()
		noError(t, update(ctx, s))
		wantCount(t, service, mockserver.OpLogin, 2)
	})
}

// TestLogin_rejectedForOneIsRejectedForAll has a wrong password, and a login for a token of its own
// behind those of requests. Each caller may change the error that it gets.
func TestLogin_rejectedForOneIsRejectedForAll(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		seen := map[*Error]bool{}
		for _, err := range append(callers(t.Context(), s, 8), logIn(t.Context(), s)) {
			seen[wantClass(t, err, ClassAuthentication)] = true
		}
		if len(seen) != 9 {
			t.Errorf("9 callers have %d errors", len(seen))
		}
		wantCount(t, service, mockserver.OpLogin, 1)
	}, func(_ *mocktest.Instance, cfg *Config) { cfg.Credentials.Password = "wrong-password" })
}

func TestLogin_panicIsAnError(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, _ *mocktest.Instance, s *Sender) {
		_ = wantClass(t, read(t.Context(), s), ClassInternal)
		<-time.After(time.Minute) // its connection ends with request_timeout
	}, func(_ *mocktest.Instance, cfg *Config) {
		useProxy(cfg, func(*http.Request) (*url.URL, error) { panic("canary") })
	})
}
