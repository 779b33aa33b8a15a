// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	name   = "analytics_consent"
	person = "jane.doe@example.com"

	early  = "2026-01-31T12:00:00Z"
	middle = "2026-02-15T12:00:00Z"
	late   = "2026-03-31T12:00:00Z"
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// config returns a consent with all five clauses, overridden by others.
func config(others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{
		"identity_id":      person,
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": true, "clause_5_consent": true,
	}.With(others)
}

var (
	configured = [5]bool{true, true, false, true, true}

	agreed      = prototest.Attributes{"agreement_time": early, "user_ipv6": "2001:db8::1"}
	withdrawing = agreed.With(prototest.Attributes{"on_destroy": "withdraw"})
)

// choose returns the record of a choice that the person makes in the service's own banner.
func choose(at string) mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: [5]bool{false, false, false, false, true}, AgreementTime: at, Manual: new(false)}
}

// refusal returns the record of a person who agrees to nothing, and so has no agreement_time. Other
// forms of none are read as this one, see decode.TestReadConsent_spellingsOfATime.
func refusal() mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: [5]bool{false, false, false, false, true}, Manual: new(false)}
}

// start starts a mock server and a provider for it.
func start(t *testing.T, settings prototest.Attributes) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.Start(t)
	return prototest.MustStart(t, prototest.Config(service).With(settings)), service
}

// created returns a consent that an earlier run has created, and clears the request log.
func created(t *testing.T, p *prototest.Provider, service *mocktest.Instance, others prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ := p.MustUpdate(name, nil, config(others))
	p.NewRun()
	service.Reset()
	return state
}

// provenanceIn returns the provenance in private state.
func provenanceIn(t *testing.T, state *prototest.State) string {
	t.Helper()
	var private map[string][]byte
	if err := json.Unmarshal(state.Private, &private); err != nil {
		t.Fatal(err)
	}

	return string(private["later_choice"])
}

// wantHeld fails the test if the service holds other clauses.
func wantHeld(t *testing.T, service *mocktest.Instance, want [5]bool) {
	t.Helper()
	if record, ok := service.Consent(scope, person); !ok || record.Clauses != want {
		t.Errorf("the service holds %v (%v), want %v", record.Clauses, ok, want)
	}
}

// wantRecord fails the test if the service holds another record.
func wantRecord(t *testing.T, service *mocktest.Instance, want mockserver.ConsentRecord) {
	t.Helper()
	want.Extra = nil // Consent leaves it out
	if held, _ := service.Consent(scope, person); !cmp.Equal(want, held) {
		t.Errorf("the person's record is changed (-want +got):\n%s", cmp.Diff(want, held))
	}
}

// wantWarning fails the test unless this is the only diagnostic; empty allows none. None may
// name the person.
func wantWarning(t *testing.T, diags prototest.Diagnostics, says string) {
	t.Helper()
	text := strings.Join(append(diags.Errors(), diags.Warnings()...), "\n")
	isOne := len(diags.Warnings()) == 1 && len(diags) == 1 && strings.Contains(text, says)
	if says == "" && len(diags) > 0 || says != "" && !isOne {
		t.Errorf("the diagnostics are %q, want %q", text, says)
	}
	if strings.Contains(text, person) {
		t.Errorf("the person is named: %s", text)
	}
}

// wantEmptyPlan refreshes, plans, and fails the test unless the plan is empty.
func wantEmptyPlan(t *testing.T, p *prototest.Provider, state *prototest.State, config prototest.Attributes) (*prototest.State, prototest.Diagnostics) {
	t.Helper()
	state, _ = p.MustRefresh(name, state)
	return state, p.WantEmptyPlan(name, state, config)
}

// update returns what an update of the clauses sends, with others added or changed.
func update(clauses [5]bool, others map[string]any) map[string]any {
	sent := map[string]any{"manual": true}
	for i, agreed := range clauses {
		sent[fmt.Sprintf("clause_%d_consent", i+1)] = agreed
	}
	maps.Copy(sent, others)

	return sent
}

// wantUpdates fails the test unless these are the updates that the service has received.
func wantUpdates(t *testing.T, service *mocktest.Instance, want ...map[string]any) {
	t.Helper()
	var got []map[string]any
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpUpdateConsent {
			got = append(got, r.Sent)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the updates that were sent (-want +got):\n%s", diff)
	}
}

// services show consents in ways of their own.
var services = map[string][]func(*mockserver.Server){
	"exact":                  nil,
	"keeps seconds":          {mocktest.KeepsTimes(time.Second)},
	"keeps minutes":          {mocktest.KeepsTimes(time.Minute)},
	"keeps minutes, silent":  {mocktest.KeepsTimes(time.Minute), silent},
	"keeps days":             {mocktest.KeepsTimes(24 * time.Hour)},
	"keeps no times":         {shows("agreement_time", nil)},
	"dates updates":          {dates(false)},
	"dates updates, silent":  {dates(false), silent},
	"dates what has no time": {dates(true)},
	"anonymises":             {shows("user_ipv6", "2001:db8::")},
	"hashes":                 {shows("user_ipv6", "5e884898da28")},
	"drops addresses":        {shows("user_ipv6", nil)},
	"fixes manual":           {shows("manual", false)},
}

// shows makes a service show a field of each consent that has it with another value.
func shows(field string, value any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(record map[string]any) any {
			if _, has := record[field]; has {
				record[field] = value
			}
			return record
		}, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	}
}

// silent makes a service answer an update with nothing.
func silent(s *mockserver.Server) {
	s.Change(func(r mockserver.Request, a *mockserver.Response) {
		if r.Operation == mockserver.OpUpdateConsent {
			a.Status, a.Body = http.StatusNoContent, nil
		}
	})
}

// dates makes a service set the time of agreement with each update, or only with those that have none.
func dates(onlyWithout bool) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Change(func(r mockserver.Request, a *mockserver.Response) {
			record, isRecord := a.Body.(map[string]any)
			_, hasTime := r.Sent["agreement_time"]
			keeps := hasTime && onlyWithout
			if r.Operation != mockserver.OpUpdateConsent || !isRecord || keeps {
				return
			}

			record["agreement_time"] = time.Now().UTC().Format(time.RFC3339Nano)
			held, _ := s.Consent(r.Scope, r.Identity)
			held.AgreementTime = record["agreement_time"]
			s.PutConsent(r.Scope, r.Identity, held)
		})
	}
}
