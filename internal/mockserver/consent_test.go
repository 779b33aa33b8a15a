// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestConsent_updateIsMergedIntoTheRecord(t *testing.T) {
	t.Parallel()

	s := start(t)
	first := s.withKey(http.MethodPatch, projectPath, allClauses(`"user_ipv6":"::ffff:192.0.2.1"`, `"agreement_time":"2026-01-15T10:30:00+01:00"`, `"manual":true`))
	second := s.withKey(http.MethodPatch, projectPath, strings.Replace(allClauses(), "true", "false", 1))
	want := map[string]any{
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
		"user_ipv6": "::ffff:192.0.2.1", "agreement_time": "2026-01-15T10:30:00+01:00", "manual": true,
	}

	if diff := cmp.Diff(want, first.json()); diff != "" {
		t.Error(diff)
	}

	want["clause_1_consent"] = false
	for _, got := range []reply{second, s.withKey(http.MethodGet, projectPath, "")} {
		if diff := cmp.Diff(want, got.json()); diff != "" || got.status != http.StatusOK || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%d %v\n%s", got.status, got.header, diff)
		}
	}

	record, _ := s.Consent(projectScope, "user-1")
	address, manual := "::ffff:192.0.2.1", true
	held := mockserver.ConsentRecord{
		Clauses: [5]bool{false, true, true, true, true}, UserIPv6: &address, AgreementTime: "2026-01-15T10:30:00+01:00", Manual: &manual,
	}

	if diff := cmp.Diff(held, record); diff != "" {
		t.Error(diff)
	}
}

func TestConsent_recordPerPersonAndScope(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.withKey(http.MethodPatch, projectPath, allClauses())

	for _, path := range []string{accountPath, strings.Replace(projectPath, "user-1", "User-1", 1), strings.Replace(projectPath, "web", "app", 1)} {
		if got := s.withKey(http.MethodGet, path, ""); got.status != http.StatusNotFound || got.refused() != "not_found" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}

	s.DeleteConsent(projectScope, "user-1")
	if got := s.withKey(http.MethodGet, projectPath, ""); got.status != http.StatusNotFound {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestPutConsent_isReadWithItsExtraFields(t *testing.T) {
	t.Parallel()

	s := start(t)
	extra := map[string]any{"region": "eu", "clause_1_consent": "odd"}
	s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: json.Number("9007199254740993"), Extra: extra})
	extra["region"] = "changed later"

	got := s.withKey(http.MethodGet, projectPath, "")
	if m := got.json(); m["region"] != "eu" || m["clause_1_consent"] != "odd" || !strings.Contains(got.body, `"agreement_time":9007199254740993`) {
		t.Errorf("%s", got.body)
	}

	s.withKey(http.MethodPatch, projectPath, allClauses())
	if m := s.withKey(http.MethodGet, projectPath, "").json(); m["region"] != "eu" || m["clause_1_consent"] != true {
		t.Errorf("after an update: %v", m)
	}
}

func TestConsent_wrongParametersAreNamed(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		`{}`: "invalid_parameters clause_1_consent clause_2_consent clause_3_consent clause_4_consent clause_5_consent",
		strings.Replace(allClauses(), "true", `"true"`, 1):       "invalid_parameters clause_1_consent",
		strings.Replace(allClauses(), "true", `null`, 1):         "invalid_parameters clause_1_consent",
		strings.Replace(allClauses(), "true", `1`, 1):            "invalid_parameters clause_1_consent",
		allClauses(`"user_ipv6":"192.0.2.1"`, `"manual":"true"`): "invalid_parameters user_ipv6 manual",
		allClauses(`"user_ipv6":null`):                           "invalid_parameters user_ipv6",
		allClauses(`"agreement_time":1768469400000`):             "invalid_parameters agreement_time",
		allClauses(`"agreement_time":"2026-01-15 09:30"`):        "invalid_parameters agreement_time",
		allClauses(`"clause_6_consent":true`):                    "invalid_parameters clause_6_consent",
		allClauses(`"clause_1_consent":false`):                   "malformed",
		allClauses() + "x":                                       "malformed",
		`null`:                                                   "malformed",
	} {
		s := start(t)
		s.AllowViolations()

		got := s.withKey(http.MethodPatch, projectPath, body)
		if got.status != http.StatusBadRequest || got.refused() != want {
			t.Errorf("%s: %d %q, want %q", body, got.status, got.refused(), want)
		}

		if _, ok := s.Consent(projectScope, "user-1"); ok || s.Requests()[0].Committed {
			t.Errorf("%s: there is a record", body)
		}
	}
}

func TestConsent_parametersWhereTheWireSays(t *testing.T) {
	t.Parallel()

	for _, place := range []string{mockserver.InForm, mockserver.InQuery} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()

			s := start(t, func(s *mockserver.Server) { s.Wire.ConsentParametersIn = place })
			text := allClausesText + "&manual=false&agreement_time=2026-01-15T09%3A30%3A00%2B00%3A00"
			path, body := projectPath, text
			if place == mockserver.InQuery {
				path, body = projectPath+"?"+text, ""
			}

			got := s.withKey(http.MethodPatch, path, body, "Content-Type", "application/x-www-form-urlencoded")
			if got.status != http.StatusOK || got.json()["clause_5_consent"] != false || got.json()["agreement_time"] != "2026-01-15T09:30:00+00:00" {
				t.Errorf("%d %s", got.status, got.body)
			}

			r := s.Requests()[0]
			if r.Place != place || r.Sent["manual"] != "false" || strings.Contains(strings.Join(r.Fields, " "), "apiSecretToken") {
				t.Errorf("the log has %q %v", r.Place, r.Sent)
			}

			if got := s.withKey(http.MethodPatch, projectPath, allClauses()); got.status != http.StatusBadRequest {
				t.Errorf("JSON: %d %s", got.status, got.body)
			}
		})
	}
}

func TestConsent_formHasEachFieldOnceAndBooleansInFull(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		allClausesText + "&clause_1_consent=true":          "invalid_parameters clause_1_consent",
		strings.Replace(allClausesText, "true", "1", 1):    "invalid_parameters clause_1_consent",
		strings.Replace(allClausesText, "true", "TRUE", 1): "invalid_parameters clause_1_consent",
		allClausesText + "&manual=%zz":                     "malformed",
	} {
		s := start(t, func(s *mockserver.Server) { s.Wire.ConsentParametersIn = mockserver.InForm })
		s.AllowViolations()
		if got := s.withKey(http.MethodPatch, projectPath, body, "Content-Type", "application/x-www-form-urlencoded"); got.refused() != want {
			t.Errorf("%s: %d %q, want %q", body, got.status, got.refused(), want)
		}
	}
}

func TestConsent_timesInMilliseconds(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ place, sent, want string }{
		{mockserver.InJSON, `1768469400123`, "1768469400123"},
		{mockserver.InJSON, `"1768469400123"`, ""},
		{mockserver.InJSON, `"2026-01-15T09:30:00Z"`, ""},
		{mockserver.InJSON, `1.5`, ""},
		{mockserver.InForm, "1768469400123", "1768469400123"},
		{mockserver.InForm, "2026-01-15T09:30:00Z", ""},
	} {
		s := start(t, func(s *mockserver.Server) {
			s.Wire = mockserver.Wire{ConsentParametersIn: tc.place, AgreementTimeFormat: mockserver.TimeUnixMS}
		})

		s.AllowViolations()
		body, contentType := allClauses(`"agreement_time":`+tc.sent), "application/json"
		if tc.place == mockserver.InForm {
			body, contentType = allClausesText+"&agreement_time="+tc.sent, "application/x-www-form-urlencoded"
		}

		s.withKey(http.MethodPatch, projectPath, body, "Content-Type", contentType)
		record, ok := s.Consent(projectScope, "user-1")
		if ok != (tc.want != "") || ok && record.AgreementTime != json.Number(tc.want) {
			t.Errorf("%s %s: held as %#v", tc.place, tc.sent, record.AgreementTime)
		}
	}
}

func TestReshapeConsents_replacesTheRecord(t *testing.T) {
	t.Parallel()

	wrapped := start(t, func(s *mockserver.Server) {
		s.ReshapeConsents(func(record map[string]any) any {
			delete(record, "clause_5_consent")
			return map[string]any{"data": record}
		})
	})

	got := wrapped.withKey(http.MethodPatch, projectPath, allClauses())
	if data, _ := got.json()["data"].(map[string]any); len(data) != 4 {
		t.Errorf("%s", got.body)
	}

	if record, _ := wrapped.Consent(projectScope, "user-1"); !record.Clauses[4] {
		t.Error("reshaping the answer changed the record")
	}

	empty := start(t, func(s *mockserver.Server) {
		s.ReshapeConsents(func(map[string]any) any { return mockserver.NoContent })
	})
	if got := empty.withKey(http.MethodPatch, projectPath, allClauses()); got.status != http.StatusNoContent || got.body != "" {
		t.Errorf("%d %q", got.status, got.body)
	}
}
