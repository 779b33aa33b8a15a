// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

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

// TestFault_onTheWire sends an update of a consent, and compares what is received, what the service has done, and what
// its log has.
func TestFault_onTheWire(t *testing.T) {
	t.Parallel()
	const record, json, noLength = "{" + clauses + "}", "Content-Type: application/json", "Content-Length: "
	const cutOff = " unexpected EOF"
	whole := "Content-Length: " + strconv.Itoa(len(record))
	scripted := func(cutAt int) mockserver.Fault {
		return mockserver.Fault{Status: 500, Body: []byte("12345"), Cut: mockserver.CutBody, CutAt: cutAt}
	}
	page := http.Header{"Content-Type": {"text/html"}}
	for name, tc := range map[string]struct {
		fault     mockserver.Fault
		answer    string
		header    string // that the answer has; without a value: has not
		committed bool
	}{
		"JSON":                {mockserver.Fault{Status: 409, Body: []byte(`{"a":1}`)}, `409 {"a":1}`, json, false},
		"a page":              {mockserver.Fault{Status: 503, Header: page, Body: []byte("<p>")}, "503 <p>", "Content-Type: text/html", false},
		"a body alone":        {mockserver.Fault{Body: []byte(`{"a":`)}, `200 {"a":`, json, false},
		"nothing":             {mockserver.Fault{Body: []byte{}}, "200 ", "Content-Type: ", false},
		"after the effect":    {mockserver.Fault{Status: 500, Commit: true, Body: []byte("{}")}, "500 {}", json, true},
		"only another header": {mockserver.Fault{Header: http.Header{"X-Odd": {"1"}}}, "200 " + record, "X-Odd: 1", true},

		"cut before the effect":  {mockserver.Fault{Cut: mockserver.CutBeforeCommit, Commit: true}, "reset", "", false},
		"cut after the effect":   {mockserver.Fault{Cut: mockserver.CutAfterCommit}, "reset", "", true},
		"cut in the body":        {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, "200 " + record[:10] + cutOff, whole, true},
		"cut before its end":     {mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1}, "200 " + strings.TrimSuffix(record, "}") + cutOff, whole, true},
		"cut in a scripted body": {scripted(2), "500 12" + cutOff, "Content-Length: 5", false},
		"cut behind the body":    {scripted(99), "500 12345", "Content-Length: 5", false},
		"cut between chunks":     {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 12}, "200 " + record[:12] + cutOff, noLength, true},
		"cut unseen":             {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 20}, "200 " + record[:20], noLength, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Inject(tc.fault)
			got := s.ask("PATCH "+consentPath, record)
			if field, value, _ := strings.Cut(tc.header, ": "); got != tc.answer || s.header.Get(field) != value {
				t.Errorf("got %q and %v", got, s.header)
			}

			status, _ := strconv.Atoi(strings.Fields(got)[0]) // 0 for a reset
			_, held := s.Consent(projectScope, "user-1")
			if r := s.Requests()[0]; held != tc.committed || r.Committed != tc.committed || r.Status != status {
				t.Errorf("held %v, the log has %d %v", held, r.Status, r.Committed)
			}
		})
	}
}

func TestRequests_completeBeforeTheClientHasTheAnswer(t *testing.T) {
	t.Parallel()
	told := make(chan mockserver.Request, 10)
	s := start(t, func(s *mockserver.Server) { s.OnRequest = func(r mockserver.Request) { told <- r } })
	s.Inject(mockserver.Fault{Skip: 1, Status: 500}, mockserver.Fault{Skip: 2, Cut: mockserver.CutAfterCommit})
	for i, want := range []struct {
		status    int
		committed bool
	}{{200, true}, {500, false}, {0, true}} {
		s.ask("PATCH "+consentPath, "{"+clauses+"}")
		for _, r := range []mockserver.Request{s.Requests()[i], <-told} {
			if r.Seq != i+1 || r.Status != want.status || r.Committed != want.committed {
				t.Errorf("request %d: %d %v", i+1, r.Status, r.Committed)
			}
		}
	}

	s.Reset()
	if n := len(s.Requests()); n > 0 || len(told) > 0 {
		t.Errorf("%d requests are left, %d were told of twice", n, len(told))
	}
}
