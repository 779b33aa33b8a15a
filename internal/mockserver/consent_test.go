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

func TestPutConsent_isReadWithItsExtraFields(t *testing.T) {
	t.Parallel()

	s := start(t)
	extra := map[string]any{"region": "eu", "clause_1_consent": "odd"}
	s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: json.Number("9007199254740993"), Extra: extra})
	extra["region"] = "changed later"
	got := s.get(consentPath)
	if m := got.json(); m["region"] != "eu" || m["clause_1_consent"] != "odd" || !strings.Contains(got.body, `"agreement_time":9007199254740993`) {
		t.Errorf("%s", got.body)
	}

	s.patch(consentPath, allClauses())
	if m := s.get(consentPath).json(); m["region"] != "eu" || m["clause_1_consent"] != true {
		t.Errorf("after an update: %v", m)
	}
}

func TestConsent_wrongParametersAreNamed(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		`{}`: "400 invalid_parameters clause_1_consent clause_2_consent clause_3_consent clause_4_consent clause_5_consent",
		strings.Replace(allClauses(), "true", `"true"`, 1):       "400 invalid_parameters clause_1_consent",
		strings.Replace(allClauses(), "true", `null`, 1):         "400 invalid_parameters clause_1_consent",
		allClauses(`"user_ipv6":"192.0.2.1"`, `"manual":"true"`): "400 invalid_parameters manual user_ipv6",
		allClauses(`"user_ipv6":"fe80::1%eth0"`):                 "400 invalid_parameters user_ipv6",
		allClauses(`"agreement_time":1768469400000`):             "400 invalid_parameters agreement_time",
		allClauses(`"agreement_time":"2026-01-15 09:30"`):        "400 invalid_parameters agreement_time",
		allClauses(`"clause_6_consent":true`):                    "400 invalid_parameters clause_6_consent",
		strings.Replace(allClausesText, "true", "1", 1):          "400 invalid_parameters clause_1_consent",
		allClausesText + "&clause_1_consent=true":                "400 malformed",
		allClausesText + "&manual=%zz":                           "400 malformed",
	} {
		media := "application/json"
		s := start(t, func(s *mockserver.Server) {
			if strings.HasPrefix(body, "clause") {
				s.Wire.ConsentParametersIn, media = mockserver.InForm, formType
			}
		})
		s.AllowViolations()

		got := s.withKey(http.MethodPatch, consentPath, body, "Content-Type", media)
		if _, held := s.Consent(projectScope, "user-1"); got.refused() != want || held || s.Requests()[0].Committed {
			t.Errorf("%s: %q, want %q; held %v", body, got.refused(), want, held)
		}
	}
}

func TestConsent_parametersAndTimesAsTheWireSays(t *testing.T) {
	t.Parallel()

	const address, rfc3339, ms = "2001:db8::1", "2026-01-15T09:30:00+00:00", "1768469400123"
	for name, tc := range map[string]struct {
		place, format string
		sent          string // the time in JSON, or as text
		held          any    // nil where it is refused
	}{
		"JSON":                          {"", "", `"` + rfc3339 + `"`, rfc3339},
		"form":                          {mockserver.InForm, "", rfc3339, rfc3339},
		"query":                         {mockserver.InQuery, "", rfc3339, rfc3339},
		"milliseconds":                  {"", mockserver.TimeUnixMS, ms, json.Number(ms)},
		"milliseconds in a form":        {mockserver.InForm, mockserver.TimeUnixMS, ms, json.Number(ms)},
		"milliseconds as text":          {"", mockserver.TimeUnixMS, `"` + ms + `"`, nil},
		"parts of milliseconds":         {"", mockserver.TimeUnixMS, "1.5", nil},
		"text for milliseconds, a form": {mockserver.InForm, mockserver.TimeUnixMS, rfc3339, nil},
	} {
		s := start(t, func(s *mockserver.Server) {
			s.Wire = mockserver.Wire{ConsentParametersIn: tc.place, AgreementTimeFormat: tc.format}
		})

		path, body, media := consentPath, allClausesText+"&manual=false&user_ipv6="+address+"&agreement_time="+strings.ReplaceAll(tc.sent, "+", "%2B"), formType
		switch tc.place {
		case "":
			body, media = strings.Replace(allClauses(`"agreement_time":`+tc.sent, `"manual":false`, `"user_ipv6":"`+address+`"`), `5_consent":true`, `5_consent":false`, 1), "application/json"
		case mockserver.InQuery:
			path, body = path+"?"+body, ""
		}

		got := s.withKey(http.MethodPatch, path, body, "Content-Type", media)
		record, ok := s.Consent(projectScope, "user-1")
		if ok != (tc.held != nil) || ok && (record.AgreementTime != tc.held || record.Clauses != [5]bool{true, true, true, true, false} || *record.Manual || *record.UserIPv6 != address) {
			t.Errorf("%s: %d %s: held as %+v", name, got.status, got.body, record)
		}
		if got := s.patch(consentPath, allClauses()); tc.place != "" && got.status != http.StatusBadRequest {
			t.Errorf("%s, sent as JSON: %d %s", name, got.status, got.body)
		}
	}
}
