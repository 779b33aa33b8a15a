// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestToken_isRenewedByItsLife has what tokens state of their life, and how long they are used.
func TestToken_isRenewedByItsLife(t *testing.T) {
	t.Parallel()

	for claims, want := range map[string]time.Duration{
		`{"iat":1000,"exp":1001}`:                   tokenFloor,
		`{"iat":1000,"exp":2800}`:                   27 * time.Minute,
		`{"iat":1000,"exp":4600}`:                   55 * time.Minute,
		`{"iat":1000,"exp":173801}`:                 55 * time.Minute, // more than a day
		`{"iat":1000,"exp":999}`:                    55 * time.Minute,
		`{"iat":"now","exp":true}`:                  55 * time.Minute,
		`{}`:                                        55 * time.Minute,
		`{"iat":1767225600000,"exp":1767225601000}`: 55 * time.Minute, // milliseconds
	} {
		encode := base64.RawURLEncoding.EncodeToString
		got, ok := parseToken(encode([]byte("{}")) + "." + encode([]byte(claims)) + ".c2ln")
		if !ok || got.life() != want {
			t.Errorf("%s is used for %v, want %v", claims, got.life(), want)
		}
	}
}

// TestToken_clockOfTheServiceIsNotTrusted reads as a crowd each hour. No read fails, whatever the clock of
// the service says.
func TestToken_clockOfTheServiceIsNotTrusted(t *testing.T) {
	t.Parallel()

	for ahead, isNotice := range map[time.Duration]bool{0: false, 4 * time.Minute: false, -24 * time.Hour: true, 24 * time.Hour: true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Claims = func(now time.Time) map[string]any {
				return map[string]any{"iat": now.Add(ahead).Unix(), "exp": now.Add(ahead + time.Hour).Unix()}
			}
			crowd := soak.Size(20, 500)
			for range 3 {
				noError(t, errors.Join(callers(t.Context(), s, crowd)...))
				<-time.After(time.Hour)
			}

			wantCount(t, service, mockserver.OpLogin, 3)
			wantCount(t, service, mockserver.OpGetConsent, 3*crowd)
			if hasNotice := s.Notice.Load() != nil; hasNotice != isNotice {
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
		wait   time.Duration // before the round
		class  ErrorClass    // of every read; empty is success
		logins int
	}
	revoke := (*mocktest.Instance).RevokeTokens
	rejecting := func(service *mocktest.Instance) { // while other callers wait for their answers
		service.Latency = time.Second
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Times: -1, Body: []byte(`{"error":{"message":"go away"}}`)})
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
		"a lasting 401 costs one more login": {{before: rejecting, class: ClassAuthentication, logins: 2}},
		"a wrong password is tried once": {
			{before: changing, class: ClassAuthentication, logins: 1}, {wait: 10 * time.Minute, class: ClassAuthentication, logins: 1},
		},
		"a refused login is tried once": {
			{before: failing(mockserver.Fault{Status: 400}), class: ClassRejected, logins: 1}, {wait: 10 * time.Minute, class: ClassRejected, logins: 1},
		},
		"a forbidden login is tried once": {
			{before: failing(mockserver.Fault{Status: 403}), class: ClassForbidden, logins: 1}, {wait: 10 * time.Minute, class: ClassForbidden, logins: 1},
		},
		"a lasting failure is tried again later": {
			{before: failing(mockserver.Fault{Status: 503, Times: 2}), class: ClassServer, logins: 2}, {wait: 50 * time.Second, class: ClassServer, logins: 2}, {wait: 11 * time.Second, logins: 3},
		},
		"a login that is put off is not repeated for its callers": {{before: failing(mockserver.Fault{Status: 429, Times: -1, Header: http.Header{"Retry-After": {"10"}}}), class: ClassRateLimited, logins: 2}},
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
						} else {
							_ = wantClass(t, err, r.class)
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

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		for i, call := range []func(context.Context, *Sender) error{read, update, readUser} {
			noError(t, call(t.Context(), s))
			<-time.After(30 * time.Minute)
			service.RevokeTokens()
			noError(t, call(t.Context(), s))
			wantCount(t, service, "", 4*(i+1)+1) // two that are accepted, one with 401, a login, and the first login
		}

		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 503, Times: -1})
		_ = wantClass(t, logIn(t.Context(), s), ClassServer)
		wantCount(t, service, mockserver.OpLogin, 5)
	}, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxRetries = 0 })
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
