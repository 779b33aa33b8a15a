// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestProfile_updateIsMergedKeyByKey(t *testing.T) {
	t.Parallel()

	const numbers = `{"big":9007199254740993,"deep":[{"n":0.10}],"exp":1E2,"huge":1e400,"minus":-0,"one":1.0}`
	for name, tc := range map[string]struct{ held, sent, want string }{
		"unknown, a null":        {``, `{"name":null}`, `{}`},
		"what is not sent stays": {`{"a":1,"b":2}`, `{"b":3,"c":4}`, `{"a":1,"b":3,"c":4}`},
		"a null removes":         {`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		"not further down":       {`{"a":{"x":1,"y":2}}`, `{"a":{"x":null}}`, `{"a":{"x":null}}`},
		"numbers as written":     {``, numbers, numbers},
	} {
		s := start(t)
		if tc.held != "" {
			s.PutProfile(projectScope, "user-1", tc.held)
		}
		s.patch(profilePath, tc.sent)
		if got := s.get(profilePath); got.status != http.StatusOK || got.body != tc.want {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// putData adds what a seed says of a person's data, as JSON.
func (s *service) putData(identity, data string) {
	s.t.Helper()
	seed, err := mockserver.ReadSeed(fmt.Appendf(nil, `{"data":[{"org_id":"org-demo","project_id":"web","identity_id":%q,"data":%s}]}`, identity, data))
	if err != nil {
		s.t.Fatal(err)
	}
	s.Add(seed)
}

// TestAllData_asOfTheFulfilmentUntilTheDeletion fetches data from their fulfilment until a deletion,
// and once more until they expire.
func TestAllData_asOfTheFulfilmentUntilTheDeletion(t *testing.T) {
	t.Parallel()

	s := start(t, delayed, func(s *mockserver.Server) { s.DataRetention = 2 * time.Minute })
	other := strings.Replace(allDataPath, "user-1", "user-2", 1)
	s.PutProfile(projectScope, "user-1", `{"age":9007199254740993}`)
	s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{Extra: map[string]any{"region": "eu"}})
	s.putData("user-1", `{"events":[1,2],"devices":3}`)
	s.putData("user-2", `["a"]`)
	s.get(allDataPath)
	s.get(other)
	s.advance(time.Minute)

	// Nothing has read the data since; the first to do so gets them as of the fulfilment.
	s.patch(consentPath, allClauses())
	first := s.get(allDataPath)
	want := `{"consent":{"clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false,"region":"eu"},` +
		`"devices":3,"events":[1,2],"identity":"user-1","profile":{"age":9007199254740993},"sessions":[]}`
	if diff := cmp.Diff(want, first.body); diff != "" {
		t.Error(diff)
	}
	if got := s.get(other).body; got != `{"consent":null,"data":["a"],"events":[],"identity":"user-2","profile":null,"sessions":[]}` {
		t.Error(got)
	}

	s.PutProfile(projectScope, "user-1", `{"age":37}`)
	s.putData("user-1", `"other"`)
	s.DeleteConsent(projectScope, "user-1")
	if second := s.get(allDataPath); second.body != first.body {
		t.Errorf("it has become %s", second.body)
	}

	s.withKey(http.MethodDelete, allDataPath, "")
	if !s.HasData(projectScope, "user-1") {
		t.Error("the data are gone before the deletion is fulfilled")
	}
	s.advance(time.Minute)
	if got := s.get(allDataPath); got.status != http.StatusAccepted || s.HasData(projectScope, "user-1") {
		t.Errorf("the data are still there: %d %s", got.status, got.body)
	}

	for _, step := range []struct {
		advance time.Duration
		status  int
	}{{time.Minute, http.StatusOK}, {2*time.Minute - time.Nanosecond, http.StatusOK}, {time.Nanosecond, http.StatusAccepted}} {
		s.advance(step.advance)
		if got := s.get(allDataPath); got.status != step.status {
			t.Errorf("%v later: %d %s", step.advance, got.status, got.body)
		}
	}
}
