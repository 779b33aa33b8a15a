// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestConsent_updateIsMergedIntoTheRecord(t *testing.T) {
	t.Parallel()
	const optional = `"agreement_time":"2026-01-15T10:30:00+01:00",` + clauses + `,"manual":true,"user_ipv6":"::ffff:192.0.2.1"`
	changed := strings.Replace(optional, "true", "false", 1)
	s := start(t)
	s.want("PATCH "+consentPath, "{"+optional+"}", "200 {"+optional+"}")
	s.want("PATCH "+consentPath, "{"+strings.Replace(clauses, "true", "false", 1)+"}", "200 {"+changed+"}")
	s.want("GET "+consentPath, "", "200 {"+changed+"}")

	s.DeleteConsent(projectScope, "user-1")
	if got := s.ask("GET "+consentPath, ""); !strings.HasPrefix(got, "404 ") {
		t.Error(got)
	}
}

func TestConsent_wrongParametersAreNamed(t *testing.T) {
	t.Parallel()
	form := strings.NewReplacer(`"`, "", ":", "=", ",", "&").Replace(clauses)
	for _, tc := range []struct{ query, body, named string }{
		{"", "{" + strings.Replace(clauses, "true", `"true"`, 1) + "}", "clause_1_consent"},
		{"", "{" + strings.Replace(clauses, `"clause_1_consent":true,`, "", 1) + "}", "clause_1_consent"},
		{"", "{" + clauses + `,"user_ipv6":"192.0.2.1"}`, "user_ipv6"},
		{"", "{" + clauses + `,"manual":"true"}`, "manual"},
		{"", "{" + clauses + `,"agreement_time":"2026-01-15 09:30"}`, "agreement_time"},
		{"", "{" + clauses + `,"agreement_time":1768469400}`, "agreement_time"}, // of another format
		{"", "{" + clauses + `,"clause_6_consent":true}`, "clause_6_consent"},
		{"", strings.Replace(form, "true", "1", 1), "clause_1_consent"},
		{"", form + "&clause_1_consent=true", "malformed"},
		{"?" + form, form, "malformed"},
	} {
		media := "application/json"
		s := start(t, func(s *mockserver.Server) {
			if strings.HasPrefix(tc.body, "clause") {
				s.Wire.Consent.ParametersIn, media = mockserver.InForm, formType
			}
		})
		s.AllowViolations()

		got := s.ask("PATCH "+consentPath+tc.query, tc.body, "Content-Type", media)
		_, held := s.Consent(projectScope, "user-1")
		if !strings.HasPrefix(got, "400 ") || !strings.Contains(got, `"`+tc.named+`"`) || held || s.Requests()[0].Committed {
			t.Errorf("%s %s: %s; held %v", tc.query, tc.body, got, held)
		}
	}
}

func TestProfile_updateIsMergedKeyByKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.PutProfile(projectScope, "user-1", `{"a":1,"b":1.0,"d":{"x":1}}`)
	s.ask("PATCH "+profilePath, `{"a":null,"c":1E2,"d":{"y":null}}`)
	s.want("GET "+profilePath, "", `200 {"b":1.0,"c":1E2,"d":{"y":null}}`)
}

// TestAllData_asOfTheFulfilmentUntilTheDeletion fetches data from their fulfilment until a deletion,
// and once more until they expire.
func TestAllData_asOfTheFulfilmentUntilTheDeletion(t *testing.T) {
	t.Parallel()
	s := start(t, delayed, func(s *mockserver.Server) { s.DataRetention = 2 * time.Minute })
	s.seed(`{"profiles":[{` + userOne + `,"profile":{"age":9007199254740993}}],"data":[{` + userOne + `,"data":{"events":[1,2],"devices":3}}]}`)
	data := `200 {"consent":null,"devices":3,"events":[1,2],"identity":"user-1","profile":{"age":9007199254740993},"sessions":[]}`
	s.ask("GET "+allDataPath, "")
	s.advance(time.Minute)
	s.seed(`{"profiles":[{` + userOne + `,"profile":{}}],"data":[{` + userOne + `,"data":{"devices":4}}],"consents":[{` + userOne + `}]}`)
	s.want("GET "+allDataPath, "", data) // as of the fulfilment, although nothing has read them since

	for _, step := range []struct {
		request string
		advance time.Duration // before it
		status  string
	}{
		{"DELETE", 0, "202 "},
		{"GET", 0, "200 "},
		{"GET", time.Minute, "202 "}, // asks again
		{"GET", time.Minute, "200 "},
		{"GET", 2*time.Minute - time.Nanosecond, "200 "},
		{"GET", time.Nanosecond, "202 "},
	} {
		s.advance(step.advance)
		if got := s.ask(step.request+" "+allDataPath, ""); !strings.HasPrefix(got, step.status) {
			t.Errorf("%v later: %s", step.advance, got)
		}
	}
	if _, has := s.Profile(projectScope, "user-1"); has {
		t.Error("the profile is still there")
	}
}

func TestFulfil_decidesTheOutcome(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	for name, tc := range map[string]struct {
		outcome mockserver.Outcome
		after   time.Duration
		listed  string // the end of the record on the list
		effect  bool
	}{
		"at once": {mockserver.Outcome{After: -1}, 0, "", true},
		"never":   {mockserver.Outcome{Fate: mockserver.Never}, year, `"status":"pending"}`, false},
		"failed": {
			mockserver.Outcome{Fate: mockserver.Failed, Code: "quota", FinalStatus: "closed"},
			time.Minute,
			`"error":{"code":"quota","message":""},"id":"request-1","identityId":"user-1","operation":"updateProfile","status":"closed"}`, false,
		},
		"kept":     {mockserver.Outcome{KeepListed: true, FinalStatus: "delivered"}, time.Minute, `"status":"delivered"}`, true},
		"vanished": {mockserver.Outcome{Fate: mockserver.Vanished, KeepListed: true}, time.Minute, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, delayed, func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return tc.outcome }
			})
			s.ask("PATCH "+profilePath, `{"name":"Ada"}`)
			s.advance(tc.after)

			list := s.ask("GET "+pendingPath, "")
			if isListed := list != "200 []"; isListed != (tc.listed != "") || !strings.HasSuffix(list, tc.listed+"]") {
				t.Errorf("the list is %s", list)
			}
			q := s.Queue()[0]
			if _, effect := s.Profile(projectScope, "user-1"); effect != tc.effect || q.Done != (tc.outcome.Fate != mockserver.Never) {
				t.Errorf("effect %v, %+v", effect, q)
			}
		})
	}
}
