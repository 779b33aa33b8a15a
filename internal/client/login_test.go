// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestToken_clockOfTheServiceIsNotTrusted reads as a crowd each hour. No read fails, whatever the clock of
// the service says.
func TestToken_clockOfTheServiceIsNotTrusted(t *testing.T) {
	t.Parallel()

	for ahead, isNotice := range map[time.Duration]bool{0: false, 4 * time.Minute: false, -24 * time.Hour: true, 24 * time.Hour: true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Claims = func(now time.Time) map[string]any {
				return map[string]any{"iat": now.Add(ahead).Unix(), "exp": now.Add(ahead + time.Hour).Unix()}
			}
			crowd := soak.Size(20, 500)
			for range 3 {
				noError(t, errors.Join(callers(t.Context(), c, crowd)...))
				<-time.After(time.Hour)
			}

			wantCount(t, service, mockserver.OpLogin, 3)
			wantCount(t, service, mockserver.OpGetCurrentUser, 3*crowd)
			if hasNotice := c.Notice.Load() != nil; hasNotice != isNotice {
				t.Errorf("%v ahead, there is a notice: %t", ahead, hasNotice)
			}
		})
	}
}

// TestLogin_afterA401 reads a consent as often at once as there are callers, in rounds. Each
// round says how the reads end, and how many logins there were by then.
func TestLogin_afterA401(t *testing.T) {
	t.Parallel()

	type round struct {
		before func(*mocktest.Instance)
		wait   time.Duration        // before the round
		class  transport.ErrorClass // of every read; empty is success
		logins int
	}
	revoke := (*mocktest.Instance).RevokeTokens
	rejecting := func(service *mocktest.Instance) { // while other callers wait for their answers
		service.Latency = time.Second
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 401, Times: -1, Body: []byte(`{"error":{"message":"go away"}}`)})
	}
	failing := func(fault mockserver.Fault) func(*mocktest.Instance) {
		fault.Operation = mockserver.OpLogin
		return func(service *mocktest.Instance) { service.Inject(fault) }
	}
	changing := func(service *mocktest.Instance) {
		service.AddUser(service.Email, "another password")
		service.RevokeTokens()
	}

	for name, rounds := range map[string][]round{
		"a revoked token costs one login": {
			{logins: 1}, {before: revoke, wait: time.Minute, logins: 2}, {before: revoke, wait: time.Minute, logins: 3},
		},
		"a lasting 401 costs one more login": {{before: rejecting, class: transport.ClassAuthentication, logins: 2}},
		"a wrong password is tried once": {
			{before: changing, class: transport.ClassAuthentication, logins: 1}, {wait: 10 * time.Minute, class: transport.ClassAuthentication, logins: 1},
		},
		"a refused login is tried once": {
			{before: failing(mockserver.Fault{Status: 400}), class: transport.ClassRejected, logins: 1}, {wait: 10 * time.Minute, class: transport.ClassRejected, logins: 1},
		},
		"a forbidden login is tried once": {
			{before: failing(mockserver.Fault{Status: 403}), class: transport.ClassForbidden, logins: 1}, {wait: 10 * time.Minute, class: transport.ClassForbidden, logins: 1},
		},
		"a lasting failure is tried again later": {
			{before: failing(mockserver.Fault{Status: 503, Times: 2}), class: transport.ClassServer, logins: 2}, {wait: 50 * time.Second, class: transport.ClassServer, logins: 2}, {wait: 11 * time.Second, logins: 3},
		},
		"a login that is put off is not repeated for its callers": {{before: failing(mockserver.Fault{Status: 429, Times: -1, Header: http.Header{"Retry-After": {"10"}}}), class: transport.ClassRateLimited, logins: 2}},
		"a password changed in mid-run locks none": {
			{logins: 1}, {before: changing, class: transport.ClassAuthentication, logins: 2}, {class: transport.ClassAuthentication, logins: 2},
		},
		"a rejected fresh token locks out for a minute": {
			{logins: 1},
			{before: func(service *mocktest.Instance) { // the next token is worth nothing, and the one after it works
				service.RevokeTokens()
				service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Then: service.RevokeTokens})
			}, class: transport.ClassAuthentication, logins: 2},
			{wait: 59 * time.Second, class: transport.ClassAuthentication, logins: 2},
			{wait: 2 * time.Second, logins: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				for i, r := range rounds {
					<-time.After(r.wait)
					if r.before != nil {
						r.before(service)
					}

					began := time.Now()
					errs := callers(t.Context(), c, soak.Size(15, 300))
					if took := time.Since(began); took > 15*time.Second {
						t.Errorf("round %d took %v", i, took)
					}
					seen := map[*transport.Error]bool{} // each caller may change its own
					for _, err := range errs {
						if r.class == "" {
							noError(t, err)
						} else if e := wantClass(t, err, r.class); seen[e] {
							t.Error("two callers have the same error")
						} else {
							seen[e] = true
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

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		for i, call := range []func(context.Context, *client.Client) error{readUser, update} {
			noError(t, call(t.Context(), c))
			<-time.After(30 * time.Minute)
			service.RevokeTokens()
			noError(t, call(t.Context(), c))
			wantCount(t, service, "", 4*(i+1)+1) // two that are accepted, one with 401, a login, and the first login
		}

		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503, Times: -1})
		_ = wantClass(t, logIn(t.Context(), c), transport.ClassServer)
		wantCount(t, service, mockserver.OpLogin, 4)
	}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxRetries = 0 })
}

// TestLogin_mayGiveTheSameTokenAgain has a service that rejects a fresh token for a moment, and of
// which two logins in one second get the same token.
func TestLogin_mayGiveTheSameTokenAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		token := service.IssueToken(service.Email)
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpLogin, Times: -1, Status: 201, Body: []byte(`{"token":"` + token + `"}`)},
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 401, Delay: 50 * time.Millisecond},
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 401, Delay: 100 * time.Millisecond},
		)
		noError(t, errors.Join(callers(t.Context(), c, 2)...))
		wantCount(t, service, mockserver.OpLogin, 2)
	})
}

func TestLogin_outlivesTheCallerThatBeganIt(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Delay: 10 * time.Second})
		first, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := c.NewSessionToken(first)
		_ = wantClass(t, err, transport.ClassCancelled)
		gaveUp := time.Since(began)
		noError(t, readUser(t.Context(), c))
		if took := time.Since(began); gaveUp != time.Second || took != 10*time.Second {
			t.Errorf("the first one ended after %v, and the other one after %v", gaveUp, took)
		}

		wantCount(t, service, mockserver.OpLogin, 1)
		wantCount(t, service, mockserver.OpGetCurrentUser, 1)
	})
}

// TestLogin_isRepeatedUnderAnAdmission has an update that is sent once, and needs a login that fails once.
func TestLogin_isRepeatedUnderAnAdmission(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503})
		noError(t, update(t.Context(), c))
		wantCount(t, service, mockserver.OpLogin, 2)
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
	})
}

func TestLogin_panicIsAnError(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, _ *mocktest.Instance, c *client.Client) {
		_ = wantClass(t, readUser(t.Context(), c), transport.ClassInternal)
		<-time.After(time.Minute) // its connection ends with request_timeout
	}, func(_ *mocktest.Instance, cfg *client.Config) {
		useProxy(cfg, func(*http.Request) (*url.URL, error) { panic("canary") })
	})
}
