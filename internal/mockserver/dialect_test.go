// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestDialect_isParsedAndPrinted(t *testing.T) {
	t.Parallel()
	const text = "consent_parameters=form,path_family=account"
	if d := mockserver.ParseDialect(text); d.String() != text || d.Foreign() {
		t.Errorf("got %v", d)
	}

	for _, wrong := range []string{"consent_parameters", "consent_parameters=telepathy", "weather=fine"} {
		if new(mockserver.Server).Speak(mockserver.ParseDialect(wrong)) == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
	if !mockserver.ParseDialect("errors=text").Foreign() {
		t.Error("an error that is text is understood")
	}
}

func TestQuestions_haveDifferentNamesAndADefault(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, q := range mockserver.Questions {
		choices := map[string]bool{}
		for _, c := range q.Choices {
			choices[c.Name] = true
		}
		if names[q.Name] || len(choices) != len(q.Choices) || len(choices) < 2 || q.Choices[0].Foreign {
			t.Errorf("%s has %v", q.Name, slices.Sorted(maps.Keys(choices)))
		}
		names[q.Name] = true
	}
}

// speaking starts a server of a dialect that knows user-1.
func speaking(t *testing.T, dialect mockserver.Dialect) *service {
	t.Helper()
	s := start(t, func(s *mockserver.Server) {
		if err := s.Speak(dialect); err != nil {
			t.Fatal(err)
		}
	})
	s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{AgreementTime: "2026-01-02T03:04:05.678Z"})
	return s
}

func TestDialect_shapesAnswers(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		dialect mockserver.Dialect
		path    string
		want    string
	}{
		{mockserver.Dialect{"consent_answer": "nested", "consent_time": "unix_ms"}, consentPath, `{"data":{"attributes":{"agreement_time":1767323045678,`},
		{mockserver.Dialect{"consent_names": "own_time", "time_precision": "seconds"}, consentPath, `"agreedOn":"2026-01-02T03:04:05Z"`},
		{mockserver.Dialect{"consent_names": "camel"}, consentPath, `"clause1Consent":false`},
		{mockserver.Dialect{"no_consent": "wrapped"}, strings.Replace(consentPath, "user-1", "user-2", 1), `{"data":null}`},
		{mockserver.Dialect{"errors": "flat"}, strings.Replace(consentPath, "user-1", "user-2", 1), `{"code":"not_found","message":"Nothing is known of this user."}`},
		{mockserver.Dialect{"path_family": "account"}, consentPath, `"unknown_route"`},
		{mockserver.Dialect{"credentials": "token"}, consentPath, `"wrong_method"`},
		{mockserver.Dialect{"current_user": "wrapped"}, "/v1/user/self", `{"user":{"email":null,"id":"application"}}`},
	} {
		t.Run(tc.dialect.String(), func(t *testing.T) {
			t.Parallel()

			if got := speaking(t, tc.dialect).withKey("GET", tc.path, ""); !strings.Contains(got.body, tc.want) {
				t.Errorf("got %d %s", got.status, got.body)
			}
		})
	}
}

func TestDialect_ignoresMisplacedParameters(t *testing.T) {
	t.Parallel()
	s := speaking(t, mockserver.Dialect{"consent_parameters": "form", "misplaced_parameters": "ignored"})
	if got := s.withKey("PATCH", consentPath, allClauses()); got.status != 200 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if record, _ := s.Consent(projectScope, "user-1"); record.Clauses[0] {
		t.Error("parameters in another place were used")
	}
}
