// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestProfile_updateIsMergedKeyByKey(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ held, sent, want string }{
		"unknown person":         {``, `{"name":"Ada"}`, `{"name":"Ada"}`},
		"unknown, nothing sent":  {``, `{}`, `{}`},
		"unknown, a null":        {``, `{"name":null}`, `{}`},
		"what is not sent stays": {`{"a":1,"b":2}`, `{"b":3,"c":4}`, `{"a":1,"b":3,"c":4}`},
		"a null removes":         {`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		"a held null stays":      {`{"a":null}`, `{"b":1}`, `{"a":null,"b":1}`},
		"not further down":       {`{"a":{"x":1,"y":2}}`, `{"a":{"x":null}}`, `{"a":{"x":null}}`},
		"nothing sent":           {`{"a":1}`, `{}`, `{"a":1}`},
		"odd names":              {`{"a.b":1}`, `{"a.b":null,"\"":1,"":2,"ü":"<&>"}`, `{"":2,"\"":1,"ü":"<&>"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				if tc.held != "" {
					s.PutProfile(f.scope, "user-1", tc.held)
				}

				if got := s.withKey(http.MethodPatch, f.profile(), tc.sent); got.status != http.StatusAccepted {
					s.t.Errorf("%d %s", got.status, got.body)
				}

				if got := s.withKey(http.MethodGet, f.profile(), ""); got.status != http.StatusOK || got.body != tc.want {
					s.t.Errorf("%d %s", got.status, got.body)
				}
			})
		})
	}
}

func TestProfile_numbersStayAsTheyWereWritten(t *testing.T) {
	t.Parallel()

	const profile = `{"big":9007199254740993,"deep":[{"n":0.10}],"exp":1E2,"huge":1e400,"minus":-0,"one":1.0}`
	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodPatch, f.profile(), profile)

		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != profile {
			s.t.Errorf("%d %s", got.status, got.body)
		}

		want := map[string]any{
			"big": json.Number("9007199254740993"), "deep": []any{map[string]any{"n": json.Number("0.10")}}, "exp": json.Number("1E2"),
			"huge": json.Number("1e400"), "minus": json.Number("-0"), "one": json.Number("1.0"),
		}

		held, _ := s.Profile(f.scope, "user-1")
		for _, got := range []map[string]any{held, s.Queue()[0].Body, s.Requests()[0].Sent} {
			if diff := cmp.Diff(want, got); diff != "" {
				s.t.Error(diff)
			}
		}
	})
}

func TestProfile_unknownPersonIs404(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		missing := func(when string) {
			s.t.Helper()
			if got := s.withKey(http.MethodGet, f.profile(), ""); got.status != http.StatusNotFound || got.refused() != "not_found" {
				s.t.Errorf("%s: %d %s", when, got.status, got.body)
			}
		}

		missing("at first")
		s.withKey(http.MethodPatch, f.profile(), `{"name":"Ada"}`)
		missing("before the update is fulfilled")
		s.PutProfile(f.scope, "User-1", `{}`)
		missing("of another person")
		s.FulfilAll()
		s.DeleteProfile(f.scope, "user-1")
		missing("after its removal")
	}, delayed)
}

func TestProfile_mustBeAnObject(t *testing.T) {
	t.Parallel()

	for _, body := range []string{``, `null`, `[]`, `"a"`, `1`, `{`, `{"a":1}{}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}"} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.AllowViolations()
				got := s.withKey(http.MethodPatch, f.profile(), body)
				if got.status != http.StatusBadRequest || got.refused() != "invalid_parameters body" || len(s.Queue()) != 0 {
					s.t.Errorf("%d %s", got.status, got.body)
				}
			})
		})
	}
}

func TestProfile_notTakenFromFormOrQuery(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.AllowViolations()

		for _, got := range []reply{
			s.withKey(http.MethodPatch, f.profile(), "name=Ada", "Content-Type", "application/x-www-form-urlencoded"),
			s.withKey(http.MethodPatch, f.profile()+"?name=Ada", ""),
			s.withKey(http.MethodPatch, f.profile()+"?name=Ada", "{}"),
		} {
			if got.status != http.StatusBadRequest || got.refused() != "invalid_parameters body" {
				s.t.Errorf("%d %s", got.status, got.body)
			}
		}
	})
}

func TestPutProfile_comesAfterWhatWasDueBefore(t *testing.T) {
	t.Parallel()
	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodPatch, f.profile(), `{"name":"Ada"}`)
		s.advance(time.Minute)
		s.PutProfile(f.scope, "user-1", `{"name":"Grace"}`)
		s.withKey(http.MethodPatch, f.profile(), `{"age":36}`)
		s.advance(time.Minute)
		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{"age":36,"name":"Grace"}` {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	}, delayed)
}

func TestPutProfile_onlyAnObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `null`, `[]`, `{"a":1,"a":2}`} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "mockserver: ") {
					t.Errorf("%s is accepted", text)
				}
			}()
			new(mockserver.Server).PutProfile(projectScope, "user-1", text)
		}()
	}
}
