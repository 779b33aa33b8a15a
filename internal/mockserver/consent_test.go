// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestConsent_updateIsMergedIntoTheRecord(t *testing.T) {
	t.Parallel()

	s := start(t)
	first := s.patch(consentPath, allClauses(`"user_ipv6":"::ffff:192.0.2.1"`, `"agreement_time":"2026-01-15T10:30:00+01:00"`, `"manual":true`))
	second := s.patch(consentPath, strings.Replace(allClauses(), "true", "false", 1))
	want := map[string]any{
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
		"user_ipv6": "::ffff:192.0.2.1", "agreement_time": "2026-01-15T10:30:00+01:00", "manual": true,
	}
	if diff := cmp.Diff(want, first.json()); diff != "" {
		t.Error(diff)
	}

	want["clause_1_consent"] = false
	for _, got := range []reply{second, s.get(consentPath)} {
		if diff := cmp.Diff(want, got.json()); diff != "" || got.status != http.StatusOK || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%d %v\n%s", got.status, got.header, diff)
		}
	}

	record, _ := s.Consent(projectScope, "user-1")
	held := mockserver.ConsentRecord{
		Clauses: [5]bool{false, true, true, true, true}, UserIPv6: new("::ffff:192.0.2.1"), AgreementTime: "2026-01-15T10:30:00+01:00", Manual: new(true),
	}
	if diff := cmp.Diff(held, record); diff != "" {
		t.Error(diff)
	}

	s.DeleteConsent(projectScope, "user-1")
	if got := s.get(consentPath); got.status != http.StatusNotFound {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestConsent_wrongParametersAreNamed(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		strings.Replace(allClauses(), "true", `"true"`, 1):       "400 invalid_parameters clause_1_consent",
		allClauses(`"user_ipv6":"192.0.2.1"`, `"manual":"true"`): "400 invalid_parameters manual user_ipv6",
		allClauses(`"agreement_time":"2026-01-15 09:30"`):        "400 invalid_parameters agreement_time",
		allClauses(`"clause_6_consent":true`):                    "400 invalid_parameters clause_6_consent",
		strings.Replace(allClausesText, "true", "1", 1):          "400 invalid_parameters clause_1_consent",
		allClausesText + "&clause_1_consent=true":                "400 malformed",
	} {
		media := "application/json"
		s := start(t, func(s *mockserver.Server) {
			if strings.HasPrefix(body, "clause") {
				s.Wire.Consent.ParametersIn, media = mockserver.InForm, formType
			}
		})
		s.AllowViolations()

		got := s.withKey(http.MethodPatch, consentPath, body, "Content-Type", media)
		if _, held := s.Consent(projectScope, "user-1"); got.refused() != want || held || s.Requests()[0].Committed {
			t.Errorf("%s: %q, want %q; held %v", body, got.refused(), want, held)
		}
	}
}
