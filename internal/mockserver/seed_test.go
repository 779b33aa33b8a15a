// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

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
