// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsent_requestsOfAnApplyAndARefresh compares before it writes where a choice may stand,
// reads once in a refresh, and logs in once for all.
func TestConsent_requestsOfAnApplyAndARefresh(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state, _ := p.MustCreate(name, config(agreed))
	p.MustRefresh(name, state)
	p.MustCreate(name, config(agreed).With(prototest.Attributes{"keep_later_choice": false, "identity_id": "another"}))

	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpUpdateConsent, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	if n := service.Count(mockserver.OpLogin); n != 1 {
		t.Errorf("%d logins of the run", n)
	}
}

// TestConsent_spellingsOfTheServiceAreNoChange has a service that writes values in its own way.
func TestConsent_spellingsOfTheServiceAreNoChange(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	written := prototest.Attributes{"user_ipv6": "192.0.2.1", "agreement_time": early}
	state := created(t, p, service, written)

	for _, address := range []string{"::ffff:c000:0201", "192.0.2.1", "::FFFF:192.0.2.1"} {
		for _, at := range []string{"2026-01-31T12:00:00.000+0000", "2026-01-31T14:00:00+02:00"} {
			service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: configured, UserIPv6: &address, AgreementTime: at})
			state, _ = wantEmptyPlan(t, p, state, config(written))
		}
	}
	if state.Attributes["user_ipv6"] != "192.0.2.1" || state.Attributes["agreement_time"] != early {
		t.Errorf("state has other spellings: %v", state.Attributes)
	}
}

// TestConsent_fieldsThatAnAnswerLacks keeps what is known where a field is absent, and shows
// one that is null as drift.
func TestConsent_fieldsThatAnAnswerLacks(t *testing.T) {
	t.Parallel()
	for label, tc := range soak.SomeOf(2, map[string]struct {
		change  func(map[string]any)
		changes bool
	}{
		"five clauses alone": {func(r map[string]any) {
			maps.DeleteFunc(r, func(name string, _ any) bool { return !strings.HasPrefix(name, "clause_") })
		}, false},
		"more fields":         {func(r map[string]any) { r["version"] = 7 }, false},
		"no address":          {func(r map[string]any) { delete(r, "user_ipv6") }, false},
		"an address of null":  {func(r map[string]any) { r["user_ipv6"] = nil }, true},
		"a clause of null":    {func(r map[string]any) { r["clause_2_consent"] = nil }, true},
		"manual that is null": {func(r map[string]any) { r["manual"] = nil }, false},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			var answered atomic.Bool
			p, service := start(t, nil, func(s *mockserver.Server) {
				s.ReshapeConsents(func(r map[string]any) any {
					if answered.Load() {
						tc.change(r)
					}
					return r
				})
			})
			state := created(t, p, service, agreed)
			answered.Store(true)

			state, _ = p.MustRefresh(name, state)
			plan, diags := p.Plan(name, state, config(agreed))
			p.NoErrors(diags)
			if plan.Changes != tc.changes {
				t.Errorf("changes: %v", plan.Changes)
			}
		})
	}
}

// TestConsent_identitiesArriveExactlyAsGiven has identities that a path has to escape.
func TestConsent_identitiesArriveExactlyAsGiven(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, identity := range soak.Some(3, []string{"a/b", "%2F", "a+b;c:d&e=f", `a b\c`, "...", "é\U0001F600", "'\"<>|?#", strings.Repeat("é", 4096)}) {
		others := agreed.With(prototest.Attributes{"identity_id": identity})
		state, _ := p.MustCreate(name, config(others))
		if _, ok := service.Consent(scope, identity); !ok {
			t.Errorf("%.20q did not arrive", identity)
		}
		wantEmptyPlan(t, p, state, config(others))
	}
}

func TestConsent_attributeTakenOutOfTheConfigurationIsNoLongerManaged(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, prototest.Attributes{"user_ipv6": "2001:db8::1", "agreement_time": early})
	state, diags := p.Update(name, state, config(nil))
	p.NoErrors(diags)
	wantOperations(t, service)
	if record, _ := service.Consent(scope, person); record.UserIPv6 == nil || record.AgreementTime == nil {
		t.Error("the service lost what it held")
	}

	state, _ = wantEmptyPlan(t, p, state, config(nil))
	if state.Attributes["user_ipv6"] != nil {
		t.Error("an address that is not configured is in state")
	}
}

func TestConsent_removedOnlyWhereTheServiceKnowsOfNone(t *testing.T) {
	t.Parallel()
	json := []byte(`{"error":{"code":"gone","message":"no such user"}}`)
	for label, tc := range soak.SomeOf(3, map[string]struct {
		fault   mockserver.Fault
		removed bool
		words   string
	}{
		"404 JSON":    {mockserver.Fault{Status: 404, Body: json}, true, ""},
		"410 JSON":    {mockserver.Fault{Status: 410, Body: json}, true, ""},
		"404 page":    {mockserver.Fault{Status: 404, Body: []byte("<h1>nginx</h1>")}, false, "Endpoint not found, check base_url"},
		"401":         {mockserver.Fault{Status: 401, Body: json}, false, "Authentication rejected"},
		"403":         {mockserver.Fault{Status: 403, Body: json}, false, "Not permitted"},
		"portal":      {mockserver.Fault{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in</p>")}, false, "Not JSON (text/html)"},
		"204":         {mockserver.Fault{Status: 204}, false, "Empty response"},
		"other names": {mockserver.Fault{Status: 200, Body: []byte(`{"id":7}`)}, false, "Unexpected response"},
		"error in it": {mockserver.Fault{Status: 200, Body: json}, false, "rejected"},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, nil)
			tc.fault.Operation, tc.fault.Times = mockserver.OpGetConsent, -1
			service.Inject(tc.fault)
			after, diags := p.Refresh(name, state)

			if tc.removed {
				p.NoErrors(diags)
				if after != nil {
					t.Error("the object is still in state")
				}

				return
			}

			prototest.WantText(t, diags.Errors(), tc.words, "In state now: this resource as it was before", "What to do:")
			if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
				t.Errorf("the state changed:\n%s", diff)
			}
		})
	}
}

func TestConsent_failedCreateLeavesNothingAndAFailedUpdateTheOldState(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"max_retries": 0})
	fault := mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 403, Times: 1, Body: []byte(`{"error":{"code":"E403","message":"role editor is needed by ` + person + `"}}`)}
	service.Inject(fault)
	state, diags := p.Create(name, config(nil))
	if state != nil {
		t.Error("a failed create is in state")
	}

	prototest.WantText(t, diags.Errors(), "Not permitted", "Update consent: PATCH /v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}/consent",
		"HTTP status: 403", `"E403"`, "role editor is needed by [redacted]", "Attempts: 1", "In state now: nothing", "role that allows")

	state = created(t, p, service, nil)
	service.Inject(fault)
	after, diags := p.Update(name, state, config(prototest.Attributes{"clause_1_consent": false}))
	prototest.WantText(t, diags.Errors(), "Not permitted", "as it was before")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}
}

func TestConsent_valuesUnknownAtPlanCauseNoRequest(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	all := config(prototest.Attributes{"user_ipv6": "2001:db8::1", "agreement_time": early, "manual": true, "keep_later_choice": true, "on_destroy": "retain", "org_id": mocktest.Org, "project_id": mocktest.Project})

	for attribute := range all {
		unknown := all.With(prototest.Attributes{attribute: prototest.Unknown})
		if attribute == "org_id" {
			unknown["account_id"] = nil
		}

		p.NoErrors(p.Validate(name, unknown))
		plan, diags := p.Plan(name, nil, unknown)
		p.NoErrors(diags)
		if plan.Attributes[attribute] != prototest.Unknown {
			t.Errorf("%s is planned as %v", attribute, plan.Attributes[attribute])
		}
	}

	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestConsent_answersToAnUpdate takes each answer for what it is, after one request.
func TestConsent_answersToAnUpdate(t *testing.T) {
	t.Parallel()
	fields := []byte(`{"error":{"message":"invalid","fields":[{"field":"user_ipv6","message":"192.0.2.7 is not yours"},{"field":"other","message":"x"}]}}`)
	others := []byte(`{"clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false}`)
	for label, tc := range soak.SomeOf(2, map[string]struct {
		fault  mockserver.Fault
		errors []string // nil is success
	}{
		"no body":             {mockserver.Fault{Status: 200, Body: []byte{}, Commit: true}, nil},
		"204":                 {mockserver.Fault{Status: 204, Commit: true}, nil},
		"no errors in a list": {mockserver.Fault{Status: 200, Body: []byte(`{"success":true,"errors":{}}`), Commit: true}, nil},
		"an error inside":     {mockserver.Fault{Status: 200, Body: []byte(`{"error":{"code":"E9","message":"quota"}}`)}, []string{"holds an error", `"E9"`, `"quota"`, "In state now: nothing"}},
		"other clauses":       {mockserver.Fault{Status: 200, Body: others}, []string{"answered with another clause_1_consent than was sent"}},
		"400 about a field":   {mockserver.Fault{Status: 400, Body: fields}, []string{`AttributeName("user_ipv6")`, "[redacted] is not yours"}},
		"409 is not repeated": {mockserver.Fault{Status: 409, Body: []byte(`{"message":"x"}`)}, []string{"Changed elsewhere", "apply again"}},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			tc.fault.Operation = mockserver.OpUpdateConsent
			service.Inject(tc.fault)
			state, diags := p.Create(name, config(prototest.Attributes{"user_ipv6": "192.0.2.7"}))
			wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpUpdateConsent)

			if tc.errors == nil {
				p.NoErrors(diags)
				wantHeld(t, service, configured)
				return
			}
			prototest.WantText(t, diags.Errors(), tc.errors...)
			if state != nil {
				t.Error("the object is in state")
			}
		})
	}
}
