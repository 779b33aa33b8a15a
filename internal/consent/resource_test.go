// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"maps"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsent_createSendsExactlyTheConfiguredFields(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state, diags := p.Create(name, config(nil))
	p.NoErrors(diags)
	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	sent := service.Requests()[2].Sent
	want := map[string]any{
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": true, "clause_5_consent": true, "manual": true,
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}

	wantState := config(prototest.Attributes{
		"manual": true, "keep_later_choice": true, "on_destroy": "retain",
		"user_ipv6": nil, "user_ipv6_wo": nil, "user_ipv6_wo_version": nil, "agreement_time": nil, "org_id": mocktest.Org, "project_id": mocktest.Project, "account_id": nil,
	})
	if diff := cmp.Diff(wantState, state.Attributes); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if _, diags := wantEmptyPlan(t, p, state, config(nil)); len(diags) != 0 {
		t.Errorf("the plan says %v", diags.Warnings())
	}
}

func TestConsent_agreementTimeIsComparedBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	full := prototest.Attributes{"user_ipv6": "192.0.2.7", "agreement_time": "2026-01-31T13:00:00.5+01:00", "manual": false}
	_, diags := p.Create(name, config(full))
	p.NoErrors(diags)
	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	record, _ := service.Consent(scope, person)
	if *record.UserIPv6 != "::ffff:192.0.2.7" || record.AgreementTime != "2026-01-31T12:00:00.5Z" || *record.Manual {
		t.Errorf("the service holds %v %v %v", *record.UserIPv6, record.AgreementTime, *record.Manual)
	}

	service.Reset()
	_, diags = p.Create(name, config(full).With(prototest.Attributes{"keep_later_choice": false, "identity_id": "another"}))
	p.NoErrors(diags)
	wantOperations(t, service, mockserver.OpUpdateConsent)
}

func TestConsent_oneGetRefreshesAndOneLoginServesAll(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, prototest.Attributes{"agreement_time": early})
	for range 3 {
		_, diags := p.Refresh(name, state)
		p.NoErrors(diags)
	}
	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpGetConsent, mockserver.OpGetConsent)
	if n := service.Count(mockserver.OpLogin); n != 1 {
		t.Errorf("%d logins of the run", n)
	}
}

func TestConsent_everyWirePlacementArrives(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"json", "form", "query"} {
		for _, format := range []string{"rfc3339", "unix_ms"} {
			wire := prototest.Attributes{"login_parameters_in": in, "consent_parameters_in": in, "agreement_time_format": format}
			p, service := start(t, prototest.Attributes{"wire": wire}, func(s *mockserver.Server) {
				s.Wire = mockserver.Wire{LoginParametersIn: in, ConsentParametersIn: in, AgreementTimeFormat: format}
			})

			others := prototest.Attributes{"agreement_time": early, "user_ipv6": "2001:db8::1"}
			state := created(t, p, service, others)
			wantHeld(t, service, configured)
			wantEmptyPlan(t, p, state, config(others))
		}
	}
}

func TestConsent_equalSpellingsAreNoChange(t *testing.T) {
	t.Parallel()
	for attribute, spellings := range map[string][]string{
		"user_ipv6":      {"192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1"},
		"agreement_time": {early, "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.0001Z", "2026-01-31T06:30:00-05:30"},
	} {
		p, service := start(t, nil)
		state := created(t, p, service, prototest.Attributes{attribute: spellings[0]})
		for _, spelling := range spellings {
			state, _ = wantEmptyPlan(t, p, state, config(prototest.Attributes{attribute: spelling}))
			if state.Attributes[attribute] != spellings[0] {
				t.Errorf("%s in state became %v", attribute, state.Attributes[attribute])
			}
		}

		record, _ := service.Consent(scope, person)
		if attribute == "user_ipv6" {
			for _, spelling := range []string{"::ffff:c000:0201", "192.0.2.1"} {
				record.UserIPv6 = &spelling
				service.PutConsent(scope, person, record)
				wantEmptyPlan(t, p, state, config(prototest.Attributes{attribute: spellings[0]}))
			}

			continue
		}

		for _, spelling := range []any{"2026-01-31T12:00:00.000+0000", "2026-01-31T14:00:00+02:00"} {
			record.AgreementTime = spelling
			service.PutConsent(scope, person, record)
			wantEmptyPlan(t, p, state, config(prototest.Attributes{attribute: spellings[0]}))
		}
	}
}

func TestConsent_driftIsShownAndRepairedWithOnePatch(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, nil)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: [5]bool{false, true, false, true, true}})
	state, diags := p.Refresh(name, state)
	p.NoErrors(diags)
	plan, diags := p.Plan(name, state, config(nil))
	p.NoErrors(diags)

	if state.Attributes["clause_1_consent"] != false || plan.Attributes["clause_1_consent"] != true || !plan.Changes {
		t.Errorf("the drift is not shown: %v to %v", state.Attributes, plan.Attributes)
	}

	service.Reset()
	state, diags = p.Update(name, state, config(nil))
	p.NoErrors(diags)
	wantOperations(t, service, mockserver.OpUpdateConsent)
	wantHeld(t, service, configured)
	wantEmptyPlan(t, p, state, config(nil))
}

func TestConsent_missingFieldsOfAnAnswerKeepWhatIsKnown(t *testing.T) {
	t.Parallel()
	others := prototest.Attributes{"user_ipv6": "2001:db8::1", "agreement_time": early}
	for answer, shape := range map[string]func(map[string]any) any{
		"five clauses": func(r map[string]any) any {
			r = maps.Clone(r)
			maps.DeleteFunc(r, func(name string, _ any) bool { return !strings.HasPrefix(name, "clause_") })
			return r
		},
		"under consent": func(r map[string]any) any { return map[string]any{"consent": r, "status": "ok"} },
		"under data":    func(r map[string]any) any { return map[string]any{"data": map[string]any{"consent": r}} },
		"with more":     func(r map[string]any) any { r = maps.Clone(r); r["version"] = 7; r["tags"] = []string{"a"}; return r },
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, func(s *mockserver.Server) { s.ReshapeConsents(shape) })

			state := created(t, p, service, others)
			wantEmptyPlan(t, p, state, config(others))
		})
	}
}

func TestConsent_nullIsDriftWhereAbsentIsNot(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	others := prototest.Attributes{"user_ipv6": "2001:db8::1"}
	state := created(t, p, service, others)
	record, _ := service.Consent(scope, person)
	record.UserIPv6 = nil
	service.PutConsent(scope, person, record)
	wantEmptyPlan(t, p, state, config(others))
	record.Extra = map[string]any{"user_ipv6": nil}
	service.PutConsent(scope, person, record)
	state, diags := p.Refresh(name, state)
	p.NoErrors(diags)
	if plan, _ := p.Plan(name, state, config(others)); !plan.Changes {
		t.Error("an address that the service no longer holds is not shown")
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

func TestConsent_settingsOfTheObjectAloneSendNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, nil)
	_, diags := p.Update(name, state, config(prototest.Attributes{"on_destroy": "withdraw", "keep_later_choice": false}))
	p.NoErrors(diags)
	wantOperations(t, service)
}

func TestConsent_removedOnlyWhereTheServiceKnowsOfNone(t *testing.T) {
	t.Parallel()
	json := []byte(`{"error":{"code":"gone","message":"no such user"}}`)
	for label, tc := range map[string]struct {
		fault   mockserver.Fault
		removed bool
		words   string
	}{
		"404 JSON":    {mockserver.Fault{Status: 404, Body: json}, true, ""},
		"410 JSON":    {mockserver.Fault{Status: 410, Body: json}, true, ""},
		"404 page":    {mockserver.Fault{Status: 404, Body: []byte("<h1>nginx</h1>")}, false, "Endpoint not found, check base_url"},
		"404 empty":   {mockserver.Fault{Status: 404, Body: []byte{}}, false, "account_id"},
		"401":         {mockserver.Fault{Status: 401, Body: json}, false, "Authentication rejected"},
		"403":         {mockserver.Fault{Status: 403, Body: json}, false, "Not permitted"},
		"portal":      {mockserver.Fault{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in</p>")}, false, "Not JSON (text/html)"},
		"empty 200":   {mockserver.Fault{Status: 200, Body: []byte{}}, false, "Empty response"},
		"204":         {mockserver.Fault{Status: 204}, false, "Empty response"},
		"null":        {mockserver.Fault{Status: 200, Body: []byte("null")}, true, ""},
		"no consent":  {mockserver.Fault{Status: 200, Body: []byte("{}")}, true, ""},
		"a list":      {mockserver.Fault{Status: 200, Body: []byte("[]")}, false, "Unexpected response"},
		"other names": {mockserver.Fault{Status: 200, Body: []byte(`{"id":7}`)}, false, "Unexpected response"},
		"error in it": {mockserver.Fault{Status: 200, Body: json}, false, "rejected"},
	} {
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

			prototest.WantText(t, diags.Errors(), tc.words, "In state now: this object as it was before", "What to do:")
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

func TestConsent_readOnlyProviderSendsNoWrite(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"read_only": true})
	for _, others := range []prototest.Attributes{nil, agreed} {
		state, diags := p.Create(name, config(others))
		prototest.WantText(t, diags.Errors(), "read-only", "Nothing was sent")
		if state != nil || service.Count("") != 0 {
			t.Errorf("state %v, %d requests", state, service.Count(""))
		}
	}
	service.PutConsent(scope, person, mockserver.ConsentRecord{})
	if _, diags := p.Import(name, person); len(diags.Errors()) > 0 {
		t.Errorf("reading fails: %v", diags.Errors())
	}
}

func TestConsent_identitiesArriveExactlyAsGiven(t *testing.T) {
	t.Parallel()
	for _, identity := range []string{
		"a/b", "a?b", "a#b", "%", "%2F", "a+b", "a;b", "a:b", "a@b", "a&b=c", "a b", `a\b`, "..%2f", "...", "é", "\U0001F600", "jane@example.com", "'\"<>|",
	} {
		p, service := start(t, nil)
		state, diags := p.Create(name, config(prototest.Attributes{"identity_id": identity, "agreement_time": early}))
		p.NoErrors(diags)

		for _, r := range service.Requests() {
			if r.Operation != mockserver.OpLogin && r.Identity != identity {
				t.Errorf("%q arrived as %q", identity, r.Identity)
			}
		}

		wantEmptyPlan(t, p, state, config(prototest.Attributes{"identity_id": identity, "agreement_time": early}))
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

func TestConsent_addressesAreSentMapped(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"192.0.2.1": "::ffff:192.0.2.1", "2001:DB8:0:0::1": "2001:db8::1", "::ffff:c000:201": "::ffff:192.0.2.1",
	} {
		p, service := start(t, nil)
		created(t, p, service, prototest.Attributes{"user_ipv6": given})
		record, _ := service.Consent(scope, person)
		if *record.UserIPv6 != want || !netip.MustParseAddr(*record.UserIPv6).Is6() {
			t.Errorf("%s was sent as %s", given, *record.UserIPv6)
		}
	}
}

func TestConsent_longestIdentityArrives(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	identity := strings.Repeat("é", 4096)
	_, diags := p.Create(name, config(prototest.Attributes{"identity_id": identity}))
	p.NoErrors(diags)
	if _, ok := service.Consent(scope, identity); !ok {
		t.Error("8192 bytes did not arrive")
	}
}

func TestConsent_requestsAfterAStopAreStillServed(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, nil)
	p.Stop()
	_, diags := p.Refresh(name, state)
	p.NoErrors(diags)
}

// TestConsent_answersToAnUpdate takes each answer for what it is, after one request.
func TestConsent_answersToAnUpdate(t *testing.T) {
	t.Parallel()
	fields := []byte(`{"error":{"message":"invalid","fields":[{"field":"user_ipv6","message":"192.0.2.7 is not yours"},{"field":"other","message":"x"}]}}`)
	others := []byte(`{"clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false}`)
	for label, tc := range map[string]struct {
		fault  mockserver.Fault
		errors []string // nil is success
	}{
		"no body":             {mockserver.Fault{Status: 200, Body: []byte{}, Commit: true}, nil},
		"204":                 {mockserver.Fault{Status: 204, Commit: true}, nil},
		"no errors in a list": {mockserver.Fault{Status: 200, Body: []byte(`{"success":true,"errors":{}}`), Commit: true}, nil},
		"an error inside":     {mockserver.Fault{Status: 200, Body: []byte(`{"error":{"code":"E9","message":"quota"}}`)}, []string{"an error inside", `"E9"`, `"quota"`, "In state now: nothing"}},
		"other clauses":       {mockserver.Fault{Status: 200, Body: others}, []string{"answered with another clause_1_consent than was sent"}},
		"400 about a field":   {mockserver.Fault{Status: 400, Body: fields}, []string{`AttributeName("user_ipv6")`, "[redacted] is not yours"}},
		"422 about a field":   {mockserver.Fault{Status: 422, Body: fields}, []string{`AttributeName("user_ipv6")`, "[redacted] is not yours"}},
		"409 is not repeated": {mockserver.Fault{Status: 409, Body: []byte(`{"message":"x"}`)}, []string{"Changed elsewhere", "apply again"}},
	} {
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
