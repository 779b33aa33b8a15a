// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestDialect_isParsedAndPrinted(t *testing.T) {
	t.Parallel()
	for text, isForeign := range map[string]bool{"consent_parameters=form,path_family=account": false, "errors=text": true} {
		if d := mockserver.ParseDialect(text); d.String() != text || d.Foreign() != isForeign {
			t.Errorf("got %v", d)
		}
	}
	for _, wrong := range []string{"consent_parameters", "consent_parameters=telepathy", "weather=fine"} {
		if new(mockserver.Server).Speak(mockserver.ParseDialect(wrong)) == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

func TestDialect_shapesAnswers(t *testing.T) {
	t.Parallel()

	unknown := strings.Replace(consentPath, "user-1", "user-2", 1)
	for dialect, tc := range map[string]struct{ method, path, want string }{
		"consent_answer=nested,consent_time=unix_ms":           {"GET", consentPath, `{"data":{"attributes":{"agreement_time":1767323045678,`},
		"consent_names=own_time,consent_time=whole_seconds":    {"GET", consentPath, `"agreedOn":"2026-01-02T03:04:05Z"`},
		"consent_names=camel":                                  {"GET", consentPath, `"clause1Consent":false`},
		"no_consent=wrapped":                                   {"GET", unknown, `{"data":null}`},
		"errors=flat":                                          {"GET", unknown, `{"code":"not_found","message":"Nothing is known of this user."}`},
		"path_family=account":                                  {"GET", consentPath, `"unknown_route"`},
		"credentials=token":                                    {"GET", consentPath, `"wrong_method"`},
		"current_user=wrapped":                                 {"GET", selfPath, `{"user":{"email":null,"id":"application"}}`},
		"queue_answer=state":                                   {"DELETE", allDataPath, `{"state":"QUEUED"}`},
		"pending_names=snake,pending_states=own_words":         {"GET", pendingPath, `"identity_id":"user-1","operation":"deleteAllData","status":"simmering"`},
		"pages=total":                                          {"GET", pendingPath, `"total":99}`},
		"pending_answer=by_person":                             {"GET", pendingPath, `{"user-1":{`},
		"consent_parameters=form,misplaced_parameters=ignored": {"PATCH", consentPath, `"clause_1_consent":false`},
	} {
		s := start(t, delayed, func(s *mockserver.Server) {
			if err := s.Speak(mockserver.ParseDialect(dialect)); err != nil {
				t.Fatal(err)
			}
		})
		s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{AgreementTime: "2026-01-02T03:04:05.678Z"})
		for range 2 {
			s.Enqueue(mockserver.QueuedRequest{Scope: projectScope, Identity: "user-1", Operation: mockserver.OpDeleteAllData})
		}

		body := ""
		if tc.method == "PATCH" {
			body = allClauses()
		}
		if got := s.withKey(tc.method, tc.path, body); !strings.Contains(got.body, tc.want) {
			t.Errorf("%s: got %d %s", dialect, got.status, got.body)
		}
	}
}
