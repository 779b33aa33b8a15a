// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestRoute_pathThatIsNoOperationIs404(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		"GET /", "GET /v1/auth/login/jwt", "POST " + consentPath, "GET " + consentPath + "/", "GET /v1//user/self", "GET /v1/user/./self",
		"GET /v1/org/o/project/p/compliance/user//consent", "GET /v1/account/acc-1/export",
	} {
		s := start(t)
		s.AllowViolations()
		if got := s.ask(request, ""); !strings.HasPrefix(got, "404 ") || s.Requests()[0].Operation != "" {
			t.Errorf("%s: %s", request, got)
		}
	}
}

func TestRoute_segmentsAreDecodedOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.ask("GET /v1/org/a%2Fb/project/%C3%BC/compliance/user/..%2Fx%252F/consent", "")
	if r := s.Requests()[0]; r.Identity != "../x%2F" || r.Scope != (mockserver.Scope{OrgID: "a/b", ProjectID: "ü"}) || r.Operation != mockserver.OpGetConsent {
		t.Errorf("the log has %+v", r)
	}
}

func TestToken_lastsOneHourOfTheClockWhateverItClaims(t *testing.T) {
	t.Parallel()
	expired := func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 1} }
	for want, claims := range map[string]func(time.Time) map[string]any{`{"exp":1768473000,"iat":1768469400,"sub":"{email}"}`: nil, `{"exp":1768469399}`: expired} {
		s := start(t, func(s *mockserver.Server) { s.Claims = claims })
		login := fmt.Sprintf(`{"email":%q,"password":%q}`, s.Email, s.Password)
		answer := s.send("POST /v1/auth/login/jwt", login)
		token := strings.TrimSuffix(strings.TrimPrefix(answer, `200 {"token":"`), `"}`)
		payload := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(want, "{email}", s.Email, 1)))
		if !strings.Contains(token, "."+payload+".") || s.send("POST /v1/auth/login/jwt", login) == answer {
			t.Errorf("the token is %q", token)
		}

		s.advance(time.Hour - time.Nanosecond)
		before := s.send("GET /v1/user/self", "", "Authorization", "bearer "+token)
		s.advance(time.Nanosecond)
		after := s.send("GET /v1/user/self", "", "Authorization", "bearer "+token)
		wrong := s.send("POST /v1/auth/login/jwt", strings.Replace(login, "p@ss", "pass", 1))
		if !strings.HasPrefix(before, `200 {"email":`) || !strings.HasPrefix(after, "401 ") || !strings.HasPrefix(wrong, "401 ") {
			t.Errorf("before the hour is over %s, then %s; with a wrong password %s", before, after, wrong)
		}
	}
}

func TestExport_shapes(t *testing.T) {
	t.Parallel()
	const lines = `{"k":"person","id":"p"}` + "\n" + `{"k":"session","id":"s"}` + "\n" + `{"k":"event","id":"e"}` + "\n" + `{"k":"event"}` + "\n"
	for _, tc := range []struct {
		answer      mockserver.ExportAnswer
		full, empty string
	}{
		{mockserver.ExportAnswer{}, `{"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e"},{}]}`, `{"persons":[],"sessions":[],"events":[]}`},
		{
			mockserver.ExportAnswer{Shape: mockserver.ExportArray},
			`[{"type":"person","id":"p"},{"type":"session","id":"s"},{"type":"event","id":"e"},{"type":"event"}]`, `[]`,
		},
		{mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Discriminator: "k"}, lines, ``},
	} {
		s := start(t, func(s *mockserver.Server) { s.Export = tc.answer })
		s.seed(`{"exports":[{"org_id":"org-demo","project_id":"web","utc_date":"2026-03-01","persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e"},{}]}]}`)
		s.want("GET "+exportPath+"2026-03-01", "", "200 "+tc.full)
		s.want("GET "+exportPath+"2026-03-02", "", "200 "+tc.empty)
	}
}

func TestGeneratedDay_isReproducibleWithoutDuplicates(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *mockserver.Server) { s.ExportRecords = 250 })
	body := s.ask("GET "+exportPath+"2026-03-01", "")
	var got struct{ Persons, Sessions, Events []map[string]any }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "200 ")), &got); err != nil {
		t.Fatal(err)
	}

	seen, last := map[any]bool{}, got.Events[249]
	for _, record := range slices.Concat(got.Persons, got.Sessions, got.Events) {
		seen[record["id"]] = true
	}
	if len(got.Persons) != 3 || len(got.Sessions) != 13 || len(seen) != 266 || last["timestamp"] != "2026-03-01T00:29:03.249Z" {
		t.Errorf("%d persons, %d sessions, %d records that differ, %v", len(got.Persons), len(got.Sessions), len(seen), last)
	}
	if id := got.Persons[2]["identityId"]; got.Sessions[12]["identityId"] != id || last["identityId"] != id {
		t.Errorf("the last record of its kind is of another person than %v", id)
	}
	s.want("GET "+exportPath+"2026-03-01", "", body)
	if s.ask("GET "+exportPath+"2026-03-02", "") == body {
		t.Error("another day is the same")
	}
}

const userOne = `"org_id":"org-demo","project_id":"web","identity_id":"user-1"`

// seed adds the content of a seed.
func (s *service) seed(text string) {
	s.t.Helper()
	seed, err := mockserver.ReadSeed([]byte(text))
	if err != nil {
		s.t.Fatal(err)
	}
	s.Add(seed)
}

func TestSeed_isWhatTheServerKnows(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.seed(`{
		"users": [{"email": "ada@example.com", "password": "p"}],
		"secret_keys": ["k-1", "k-2"],
		"consents": [
			{` + userOne + `, "clause_2_consent": true, "user_ipv6": "2001:db8::1", "agreement_time": "2026-01-15T09:30:00Z", "manual": false},
			{"account_id": "acc-1", "identity_id": "user-1", "clause_1_consent": null, "clause_5_consent": true, "user_ipv6": null, "agreement_time": 9007199254740993}
		],
		"profiles": [{` + userOne + `, "profile": {"age": 9007199254740993, "one": 1.0}}],
		"exports": [{"org_id": "org-demo", "project_id": "web", "utc_date": "2026-03-01", "events": [{"n": 9007199254740993}]}]}`)
	s.SecretKey = "k-2"
	s.want("GET "+profilePath, "", `200 {"age":9007199254740993,"one":1.0}`)
	s.want("GET "+exportPath+"2026-03-01", "", `200 {"persons":[],"sessions":[],"events":[{"n":9007199254740993}]}`)
	if got := s.send("POST /v1/auth/login/jwt", `{"email":"ada@example.com","password":"p"}`); !strings.HasPrefix(got, "200 ") {
		t.Error(got)
	}

	for scope, want := range map[mockserver.Scope]mockserver.ConsentRecord{
		projectScope: {Clauses: [5]bool{1: true}, UserIPv6: new("2001:db8::1"), AgreementTime: "2026-01-15T09:30:00Z", Manual: new(false)},
		accountScope: {Clauses: [5]bool{4: true}, AgreementTime: json.Number("9007199254740993")},
	} {
		got, _ := s.Consent(scope, "user-1")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReadSeed_errorsNameThePlace(t *testing.T) {
	t.Parallel()
	const person, day = `"account_id":"a","identity_id":"u"`, `"org_id":"o","project_id":"p","utc_date":`
	for seed, want := range map[string]string{
		`{} {}`: "after top-level value",
		`{"users":[],"profiles":[{"identity_id":"ada" "profile":{}}]}`: `within "/profiles/0"`,
		`{"people":[]}`: `unknown object member name "people"`,
		`{"consents":[{"org_id":"o","identity_id":"u"}]}`:               `consents[0] needs identity_id, and`,
		`{"consents":[{"org_id":"o","project_id":"p",` + person + `}]}`: `consents[0] needs identity_id, and`,
		`{"consents":[{"account_id":"a"}]}`:                             `consents[0] needs identity_id, and`,
		`{"consents":[{` + person + `,"clause_6_consent":true}]}`:       `consents[0].clause_6_consent is wrong, or is not known`,
		`{"profiles":[{` + person + `,"profile":[]}]}`:                  `profiles[0].profile is wrong`,
		`{"data":[{` + person + `,"events":{}}]}`:                       `data[0].events is wrong`,
		`{"profiles":[{` + person + `,"profile":{"a":1,"a":2}}]}`:       `duplicate object member name "a"`,
		`{"exports":[{"account_id":"a","utc_date":"2026-03-01"}]}`:      `exports[0] needs org_id`,
		`{"exports":[{` + day + `"2026-02-30"}]}`:                       `exports[0] needs org_id`,
	} {
		if _, err := mockserver.ReadSeed([]byte(seed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", seed, err)
		}
	}
}
