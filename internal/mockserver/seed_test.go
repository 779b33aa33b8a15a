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

func TestSeed_isWhatTheServerKnows(t *testing.T) {
	t.Parallel()

	s := start(t)
	err := s.Load(strings.NewReader(`{
		"users": [{"email": "ada@example.com", "password": "p"}],
		"secret_keys": ["k-1", "k-2"],
		"consents": [
			{"org_id": "org-demo", "project_id": "web", "identity_id": "user-1", "clause_2_consent": true,
			 "user_ipv6": "2001:db8::1", "agreement_time": "2026-01-15T09:30:00Z", "manual": false},
			{"account_id": "acc-1", "identity_id": "user-1", "clause_5_consent": true, "agreement_time": 9007199254740993}
		]}`))
	if err != nil {
		t.Fatal(err)
	}

	address, manual := "2001:db8::1", false
	want := []mockserver.ConsentRecord{
		{Clauses: [5]bool{1: true}, UserIPv6: &address, AgreementTime: "2026-01-15T09:30:00Z", Manual: &manual},
		{Clauses: [5]bool{4: true}, AgreementTime: json.Number("9007199254740993")},
	}

	for i, scope := range []mockserver.Scope{projectScope, accountScope} {
		got, _ := s.Consent(scope, "user-1")
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Error(diff)
		}
	}

	if got := s.send(http.MethodPost, "/v1/auth/login/jwt", `{"email":"ada@example.com","password":"p"}`); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}

	if got := s.send(http.MethodGet, accountPath+"?apiSecretToken=k-2", ""); !strings.Contains(got.body, `"agreement_time":9007199254740993`) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestSeed_profilesAndData(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		who := encode(s.t, map[string]string{
			"org_id": f.scope.OrgID, "project_id": f.scope.ProjectID, "account_id": f.scope.AccountID, "identity_id": "user-1",
		})

		with := strings.TrimSuffix(who, "}")
		seed := `{"profiles":[` + with + `,"profile":{"age":9007199254740993,"one":1.0}}],"data":[` + with + `,"data":{"sessions":[{"n":1.0}]}}]}`
		if err := s.Load(strings.NewReader(seed)); err != nil {
			s.t.Fatal(err)
		}

		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{"age":9007199254740993,"one":1.0}` {
			s.t.Errorf("%d %s", got.status, got.body)
		}

		s.withKey(http.MethodGet, f.allData(), "")
		if got := s.withKey(http.MethodGet, f.allData(), ""); !strings.Contains(got.body, `"sessions":[{"n":1.0}]`) {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestSeed_invalidSeedChangesNothing(t *testing.T) {
	t.Parallel()

	for _, seed := range []string{
		``, `[]`, `{`, `{} {}`, `{"user":[]}`, `{"users":[{"name":"a"}]}`, `{"users":[{"email":"a@example.com"}]}`, `{"secret_keys":[""]}`,
		`{"secret_keys":["k"],"secret_keys":["l"]}`,
		`{"users":[{"email":"a@example.com","password":"p"}],"consents":[{"identity_id":"u"}]}`,
		`{"consents":[{"org_id":"o","identity_id":"u"}]}`,
		`{"consents":[{"org_id":"o","project_id":"p","account_id":"a","identity_id":"u"}]}`,
		`{"consents":[{"account_id":"a"}]}`,
		`{"consents":[{"account_id":"a","identity_id":"u","clause_1_consent":"true"}]}`,
		`{"consents":[{"account_id":"a","identity_id":"u","agreement_time":true}]}`,
		`{"profiles":[{"account_id":"a","profile":{}}]}`,
		`{"profiles":[{"account_id":"a","identity_id":"u"}]}`,
		`{"profiles":[{"account_id":"a","identity_id":"u","profile":[]}]}`,
		`{"profiles":[{"account_id":"a","identity_id":"u","profile":{"a":1,"a":2}}]}`,
		`{"data":[{"org_id":"o","identity_id":"u","data":{}}]}`,
		`{"data":[{"account_id":"a","identity_id":"u"}]}`,
	} {
		s := &mockserver.Server{}
		if err := s.Load(strings.NewReader(seed)); err == nil {
			t.Errorf("%s is accepted", seed)
		}
	}
}

func TestSeed_errorsNameThePlaceAndNoValue(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ seed, want string }{
		"a missing comma":      {"{\n  \"users\": [],\n  \"profiles\": [{\"identity_id\": \"ada\" \"profile\": {}}]\n}", "line 3, column 38 (/profiles/0): this is no valid JSON"},
		"an unfinished object": {"{\n  \"users\": [", "line 2, column 13"},
		"an unknown name":      {"{\n  \"consents\": [\n    {\"ada\": 1}\n  ]\n}", "line 3, column 6 (/consents/0/ada): there is no such name"},
		"a repeated name":      {"{\n  \"secret_keys\": [\"ada\"],\n  \"secret_keys\": []\n}", "line 3, column 3 (/secret_keys): the name is repeated"},
		"a value of a type":    {"{\n  \"consents\": [\n    {\"clause_1_consent\": \"ada@example.com\"}\n  ]\n}", "(/consents/0/clause_1_consent): a string cannot be here"},
		"a missing member":     {`{"users": [{"email": "a@example.com", "password": "p"}, {"email": "ada@example.com"}]}`, "users[1] needs email and password"},
	} {
		_, err := mockserver.ReadSeed(strings.NewReader(tc.seed))
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "ada@example.com") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
