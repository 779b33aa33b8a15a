// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// answering returns a fault that answers an operation with a status and a body.
func answering(operation string, status int, body string) mockserver.Fault {
	return mockserver.Fault{Operation: operation, Status: status, Body: []byte(body), Commit: operation == mockserver.OpUpdateConsent && status < 300}
}

// TestConsent_write plans to create an object, or to change one. Then it is applied to a person who has
// a record by now, or whose record cannot be read or written. Without an error, the next plan is empty.
func TestConsent_write(t *testing.T) {
	t.Parallel()
	const (
		get, set = mockserver.OpGetConsent, mockserver.OpUpdateConsent
		fields   = `{"error":{"message":"invalid","fields":[{"field":"user_ipv6","message":"192.0.2.7 is not yours"},{"field":"other","message":"x"}]}}`
		stands   = "a consent of " + late + ", which is later than the configured one of " + middle
	)
	mine := own(func(*mockserver.ConsentRecord) {})
	changed := prototest.Attributes{"clause_3_consent": true, "agreement_time": middle}
	for label, tc := range map[string]struct {
		exists bool
		holds  *mockserver.ConsentRecord
		fault  mockserver.Fault
		config prototest.Attributes // beside a time and an address
		says   string               // the warning
		kept   bool                 // the record is left as it is, and so is what is in state with an error
		errors []string
	}{
		"nobody":                     {},
		"a later choice":             {holds: new(choose(late)), says: laterStands, kept: true},
		"a choice without a time":    {holds: new(refusal()), says: untimedStands, kept: true},
		"overruled":                  {holds: new(refusal()), config: overrules},
		"no time configured":         {holds: new(choose(late)), config: withoutIt, says: untimedStands, kept: true},
		"no time, and no difference": {holds: &mockserver.ConsentRecord{Clauses: configured}, config: withoutIt},
		"400 about a field":          {fault: answering(set, 400, fields), errors: []string{`AttributeName("user_ipv6")`, "[redacted] is not yours"}},

		"a change, and a later choice":          {exists: true, config: changed, holds: new(choose(late)), says: stands, kept: true},
		"a change, and a choice without a time": {exists: true, config: changed, holds: new(refusal()), says: untimedStands, kept: true},
		"a change, and 404 of a gateway": {
			exists: true, config: changed, holds: new(choose(late)), fault: answering(get, 404, `{"message":"no route"}`), errors: []string{"Not found", "cannot remove one", "apply again"},
		},
		"a change, and 403 in place of the success": {exists: true, config: changed, holds: &mine, fault: answering(set, 403, `{}`), errors: []string{"Not permitted"}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			base, inState := prototest.Attributes{"agreement_time": early, "user_ipv6": "192.0.2.7"}, "In state now: nothing"
			var before *prototest.State
			if tc.exists {
				before, inState = created(t, p, service, base), "as it was before"
			}
			wanted := config(base).With(tc.config)
			plan, diags := p.Plan(name, before, wanted)
			p.NoErrors(diags)
			if tc.holds != nil {
				service.PutConsent(scope, person, *tc.holds)
			}
			if tc.fault.Operation != "" {
				service.Inject(tc.fault)
			}
			record, _ := service.Consent(scope, person)

			after, diags := p.Apply(t.Context(), name, before, plan)
			if tc.errors != nil || tc.kept {
				wantRecord(t, service, record)
			}
			if tc.errors != nil {
				prototest.WantText(t, diags.Errors(), append(tc.errors, inState)...)
				if (after != nil) != tc.exists || tc.exists && !cmp.Equal(before.Attributes, after.Attributes) {
					t.Errorf("in state is %v", after)
				}
				return
			}

			wantWarning(t, diags, tc.says)
			wantWarning(t, p.WantEmptyPlan(name, after, wanted), map[bool]string{true: tc.says}[tc.kept]) // as with -refresh=false
			p.NewRun()
			after, diags = wantEmptyPlan(t, p, after, wanted)
			wantWarning(t, diags, map[bool]string{true: tc.says}[tc.kept])
			if after.Attributes["clause_1_consent"] == tc.kept || !tc.kept && service.Count(set) != 1 {
				t.Errorf("in state is %v after %d updates", after.Attributes, service.Count(set))
			}
		})
	}
}

// TestConsent_refresh keeps an object of which nothing can be read.
func TestConsent_refresh(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	before := created(t, p, service, nil)
	for says, fault := range map[string]mockserver.Fault{
		"Endpoint not found, check base_url": answering(mockserver.OpGetConsent, 404, "<h1>nginx</h1>"),
		"Not permitted":                      answering(mockserver.OpGetConsent, 403, `{"error":{"code":"gone","message":"no such user"}}`),
	} {
		service.Inject(fault)
		after, diags := p.Refresh(name, before)
		prototest.WantText(t, diags.Errors(), says, "In state now: this resource as it was before", "What to do:")
		if diff := cmp.Diff(before.Attributes, after.Attributes); diff != "" {
			t.Errorf("the state changed:\n%s", diff)
		}
	}
}

// TestConsent_destroy retains or withdraws, and makes no record of a person who has none.
func TestConsent_destroy(t *testing.T) {
	t.Parallel()
	for label, tc := range map[string]struct {
		applied prototest.Attributes
		fault   mockserver.Fault
		sends   []map[string]any
		says    string // a warning, or the error
		fails   bool
	}{
		"retained":  {applied: agreed, says: "The consent stays at the service"},
		"withdrawn": {applied: withdrawing, sends: []map[string]any{update([5]bool{}, map[string]any{"user_ipv6": "2001:db8::1"})}},
		"failed": {
			applied: withdrawing.With(withoutIt), fault: answering(mockserver.OpUpdateConsent, 403, `{}`), says: "Not permitted", fails: true,
			sends: []map[string]any{update([5]bool{}, map[string]any{"user_ipv6": "2001:db8::1"})},
		},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, tc.applied)
			if tc.fault.Operation != "" {
				service.Inject(tc.fault)
			}
			before, _ := service.Consent(scope, person)

			after, diags := p.Destroy(name, state)
			wantUpdates(t, service, tc.sends...)
			if tc.fails {
				prototest.WantText(t, diags.Errors(), tc.says, "as it was before")
			} else {
				wantWarning(t, diags, tc.says)
			}
			if (after != nil) != tc.fails {
				t.Errorf("in state is %v", after)
			}
			if len(tc.sends) == 0 || tc.fails {
				wantRecord(t, service, before)
			} else {
				wantHeld(t, service, [5]bool{})
				_, diags = p.Create(name, config(nil)) // which overwrites what this run has written
				wantWarning(t, diags, "")
			}
		})
	}
}

// TestConsent_requests creates, refreshes and changes an object: it compares before it writes where a
// choice may stand, reads once in a refresh, and logs in once for all. Every change carries the address
// that is written only, also one of the same version.
func TestConsent_requests(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	applied := config(agreed).With(version(1))
	state, _ := p.MustCreate(name, applied)
	state, _ = p.MustRefresh(name, state)
	_, diags := p.Update(name, state, applied.With(prototest.Attributes{"user_ipv6_wo": "192.0.2.8", "clause_1_consent": false}))
	p.NoErrors(diags)
	p.MustCreate(name, config(overrules).With(prototest.Attributes{"identity_id": "another"}))

	wantUpdates(t, service,
		update(configured, map[string]any{"agreement_time": early, "user_ipv6": "::ffff:192.0.2.7"}),
		update([5]bool{false, true, false, true, true}, map[string]any{"agreement_time": early, "user_ipv6": "::ffff:192.0.2.8"}),
		update(configured, nil),
	)
	for operation, want := range map[string]int{mockserver.OpGetConsent: 3, mockserver.OpLogin: 1, "": 7} {
		if n := service.Count(operation); n != want {
			t.Errorf("%q: %d requests, want %d", operation, n, want)
		}
	}
}

// twoValues are two values of each attribute of a record.
var twoValues = map[string][2]any{
	"clause_1_consent": {true, false}, "clause_2_consent": {true, false}, "clause_3_consent": {true, false}, "clause_4_consent": {true, false}, "clause_5_consent": {true, false},
	"user_ipv6": {"2001:db8::1", "2001:db8::2"}, "agreement_time": {early, middle}, "manual": {true, false},
}

// TestConsent_everyAttributeIsManaged holds that each attribute of the data source is one of the
// resource, which sends it, shows drift of it, and leaves the person's choice of it alone.
func TestConsent_everyAttributeIsManaged(t *testing.T) {
	t.Parallel()
	schemas, _ := start(t, nil)
	for _, attribute := range schemas.Schemas().DataSourceSchemas[name].Block.Attributes {
		if slices.Contains([]string{"identity_id", "org_id", "project_id", "account_id", "json"}, attribute.Name) {
			continue
		}
		t.Run(attribute.Name, func(t *testing.T) {
			t.Parallel()
			values, found := twoValues[attribute.Name]
			if !found {
				t.Fatal("give the attribute two values")
			}
			if !slices.Contains(decode.ConsentFields, attribute.Name) {
				t.Error("no error of the service is shown at the attribute")
			}

			p, service := start(t, nil)
			var state *prototest.State
			var second prototest.Attributes
			for _, value := range values {
				second = config(agreed.With(prototest.Attributes{attribute.Name: value}))
				var diags prototest.Diagnostics
				state, diags = p.Update(name, state, second)
				p.NoErrors(diags)
				if read, _ := p.ReadData(name, prototest.Attributes{"identity_id": person}); read[attribute.Name] != value {
					t.Errorf("the service holds %v, want %v", read[attribute.Name], value)
				}
			}
			state, _ = wantEmptyPlan(t, p, state, second)

			// Another value is drift, unless it is the person's later choice.
			record, _ := service.Consent(scope, person)
			record.Extra = map[string]any{attribute.Name: values[0]}
			service.PutConsent(scope, person, record)
			state, _ = p.MustRefresh(name, state)
			plan, diags := p.Plan(name, state, second)
			p.NoErrors(diags)
			if !plan.Changes {
				t.Error("drift is not shown")
			}

			record.AgreementTime = late
			if attribute.Name == "agreement_time" {
				record.Extra = nil
			}
			service.PutConsent(scope, person, record)
			wantEmptyPlan(t, p, state, second)
		})
	}
}

// TestConsent_readsNullForWhatTheServiceDoesNotSay reads a person of another scope, by the data
// source and by the ephemeral resource.
func TestConsent_readsNullForWhatTheServiceDoesNotSay(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, mockserver.ConsentRecord{Clauses: configured, Extra: map[string]any{"clause_1_consent": nil}})

	for object, read := range map[string]func(string, prototest.Attributes) (prototest.Attributes, prototest.Diagnostics){"data source": p.ReadData, "ephemeral resource": p.Open} {
		got, diags := read(name, prototest.Attributes{"identity_id": person, "account_id": "acct-7"})
		p.NoErrors(diags)
		for attribute, want := range map[string]any{"clause_1_consent": nil, "clause_2_consent": true, "clause_3_consent": false, "user_ipv6": nil, "agreement_time": nil, "manual": nil} {
			if got[attribute] != want {
				t.Errorf("%s: %s is %v, want %v", object, attribute, got[attribute], want)
			}
		}
	}
}
