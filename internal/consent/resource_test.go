// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestConsent_choiceAfterThePlan plans to create an object, and applies that to a person who has a record by
// now. The next plan is empty. Changes are those of TestConsent_situations.
func TestConsent_choiceAfterThePlan(t *testing.T) {
	t.Parallel()
	for label, tc := range map[string]struct {
		holds  mockserver.ConsentRecord
		config prototest.Attributes
		says   string // the warning; the record is left as it is
	}{
		"a later choice":             {holds: choose(late), config: atEarly, says: "a consent of " + late + ", which is later than the configured one of " + early},
		"a choice without a time":    {holds: refusal(), config: atEarly, says: untimedStands},
		"overruled":                  {holds: refusal(), config: overrules},
		"no time configured":         {holds: choose(late), says: untimedStands},
		"no time, and no difference": {holds: mockserver.ConsentRecord{Clauses: configured}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			wanted := config(tc.config)
			plan, _ := p.MustPlan(name, nil, wanted)
			service.PutConsent(scope, person, tc.holds)

			after, diags := p.Apply(t.Context(), name, nil, plan)
			wantWarning(t, diags, tc.says)
			wantWarning(t, p.WantEmptyPlan(name, after, wanted), tc.says) // as with -refresh=false
			p.NewRun()
			after, diags = wantEmptyPlan(t, p, after, wanted)
			wantWarning(t, diags, tc.says)

			isKept := tc.says != ""
			if isKept {
				wantRecord(t, service, tc.holds)
			}
			if sent := service.Count(mockserver.OpUpdateConsent); after.Attributes["clause_1_consent"] == isKept || (sent == 0) != isKept {
				t.Errorf("in state is %v after %d updates", after.Attributes, sent)
			}
		})
	}
}

// TestConsent_failureKeepsRecordAndState has requests that fail. Neither the record nor what is in state changes.
func TestConsent_failureKeepsRecordAndState(t *testing.T) {
	t.Parallel()
	const get, set = mockserver.OpGetConsent, mockserver.OpUpdateConsent
	for label, tc := range map[string]struct {
		operation string
		status    int
		body      string
		errors    []string
	}{
		"create, 400 about a field":  {set, 400, `{"error":{"message":"invalid","fields":[{"field":"user_ipv6","message":"2001:db8::1 is not yours"}]}}`, []string{`AttributeName("user_ipv6")`, "[redacted] is not yours"}},
		"change, a refusal in a 200": {set, 200, `{"status":"denied"}`, nil},
		"change, 404 of a gateway":   {get, 404, `{"message":"no route"}`, []string{"Not found", "cannot remove one", "apply again"}},
		"change, 403":                {set, 403, `{}`, []string{"Not permitted"}},
		"refresh, 404 in HTML":       {get, 404, "<h1>nginx</h1>", []string{"Endpoint not found, check base_url"}},
		"refresh, 403":               {get, 403, `{"error":{"code":"gone","message":"no such user"}}`, []string{"Not permitted", "What to do:"}},
		"destroy, 403":               {set, 403, `{}`, []string{"Not permitted"}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			before := created(t, p, service, withdrawing)
			record, _ := service.Consent(scope, person)
			service.Inject(mockserver.Fault{Operation: tc.operation, Status: tc.status, Body: []byte(tc.body)})

			after, inState := before, "In state now: this resource as it was before"
			var diags prototest.Diagnostics
			switch action, _, _ := strings.Cut(label, ","); action {
			case "create":
				after, diags = p.Update(name, nil, config(agreed))
				before, inState = nil, "In state now: nothing"
			case "change":
				after, diags = p.Update(name, before, config(agreed).With(prototest.Attributes{"clause_3_consent": true}))
			case "refresh":
				after, diags = p.Refresh(name, before)
			case "destroy":
				after, diags = p.Update(name, before, nil)
			}
			prototest.WantText(t, diags.Errors(), append(tc.errors, inState)...)
			wantRecord(t, service, record)
			if !cmp.Equal(before, after) {
				t.Errorf("the state (-want +got):\n%s", cmp.Diff(before, after))
			}
		})
	}
}

// TestConsent_destroy retains the consent, or withdraws it with the address and without a time.
func TestConsent_destroy(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	_, diags := p.Update(name, created(t, p, service, agreed), nil)
	wantWarning(t, diags, "The consent stays at the service")
	wantUpdates(t, service)

	_, diags = p.Update(name, created(t, p, service, withdrawing), nil)
	wantWarning(t, diags, "")
	wantUpdates(t, service, update([5]bool{}, map[string]any{"user_ipv6": "2001:db8::1"}))
}

// TestConsent_readOnlyPlansNoWrite plans an object as it is, and then a change and a withdrawal.
func TestConsent_readOnlyPlansNoWrite(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, withdrawing)
	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"read_only": true}))
	wantEmptyPlan(t, p, state, config(withdrawing))
	for _, wanted := range []prototest.Attributes{config(withdrawing.With(withoutAddress).With(overrules).With(prototest.Attributes{"manual": false})), nil} {
		_, diags := p.Plan(name, state, wanted)
		prototest.WantText(t, diags.Errors(), "The provider is read-only")
	}
}

// TestConsent_requests creates, refreshes and changes an object: it compares before it writes where a
// choice may stand, reads once in a refresh, and logs in once for all. Every change carries the address
// that is written only, also one of the same version, and another version is a change.
func TestConsent_requests(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	first := config(agreed).With(version(1))
	changed := first.With(prototest.Attributes{"user_ipv6_wo": "192.0.2.8", "clause_1_consent": false})
	state, _ := p.MustUpdate(name, nil, first)
	state, _ = p.MustRefresh(name, state)
	p.WantEmptyPlan(name, state, first.With(prototest.Attributes{"user_ipv6_wo": "192.0.2.8"}))
	state, _ = p.MustUpdate(name, state, changed)
	state, _ = p.MustUpdate(name, state, changed.With(version(2)))
	if state.Attributes["user_ipv6_wo"] != nil || state.Attributes["user_ipv6"] != nil {
		t.Errorf("in state is %v", state.Attributes)
	}
	p.MustUpdate(name, nil, config(overrules).With(prototest.Attributes{"identity_id": "another"}))

	wantUpdates(t, service,
		update(configured, map[string]any{"agreement_time": early, "user_ipv6": "::ffff:192.0.2.7"}),
		update([5]bool{false, true, false, true, true}, map[string]any{"agreement_time": early, "user_ipv6": "::ffff:192.0.2.8"}),
		update([5]bool{false, true, false, true, true}, map[string]any{"agreement_time": early, "user_ipv6": "::ffff:192.0.2.7"}),
		update(configured, nil),
	)
	for operation, want := range map[string]int{mockserver.OpGetConsent: 4, mockserver.OpLogin: 1, "": 9} {
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
// resource, which sends it, shows drift of it, leaves the person's choice of it alone, and has no value that is not
// configured.
func TestConsent_everyAttributeIsManaged(t *testing.T) {
	t.Parallel()
	schemas, _ := start(t, nil)
	for _, attribute := range schemas.Schemas.DataSourceSchemas[name].Block.Attributes {
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
				state, _ = p.MustUpdate(name, state, second)
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
			if plan, _ := p.MustPlan(name, state, second); !plan.Changes {
				t.Error("drift is not shown")
			}

			record.AgreementTime = late
			if attribute.Name == "agreement_time" {
				record.Extra = nil
			}
			service.PutConsent(scope, person, record)
			wantEmptyPlan(t, p, state, second)

			// Without the attribute, what the service shows of it stays out of state.
			bare, _ := p.MustUpdate(name, nil, config(nil))
			record = choose(late)
			record.Extra = map[string]any{attribute.Name: values[0]}
			service.PutConsent(scope, person, record)
			read, _ := p.MustRefresh(name, bare)
			if bare.Attributes[attribute.Name] == nil && read.Attributes[attribute.Name] != nil {
				t.Errorf("not configured, and in state is %v", read.Attributes[attribute.Name])
			}
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

// TestConsent_refusedConfigurations has values that are refused at their attribute, and never
// repeated.
func TestConsent_refusedConfigurations(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, tc := range []struct {
		attribute string // where the error is
		others    prototest.Attributes
		words     string
	}{
		{"user_ipv6", prototest.Attributes{"user_ipv6": "canary"}, "IPv6 or IPv4 address"},
		{"user_ipv6", prototest.Attributes{"user_ipv6": "fe80::1%canary"}, "without a zone"},
		{"user_ipv6", prototest.Attributes{"user_ipv6": "192.0.2.7", "user_ipv6_wo": "192.0.2.7", "user_ipv6_wo_version": 1}, "user_ipv6_wo"},
		{"user_ipv6_wo", prototest.Attributes{"user_ipv6_wo": "192.0.2.7"}, "user_ipv6_wo_version"},
		{"user_ipv6_wo", prototest.Attributes{"user_ipv6_wo": "canary", "user_ipv6_wo_version": 1}, "must be an IPv6 or IPv4 address"},
		{"user_ipv6_wo_version", prototest.Attributes{"user_ipv6_wo_version": 1}, "user_ipv6_wo"},
		{"agreement_time", prototest.Attributes{"agreement_time": "2026-01-31T12:00:00"}, "RFC 3339"},
		{"on_destroy", prototest.Attributes{"on_destroy": "another"}, "one of"},
	} {
		errors := p.Validate(name, config(tc.others)).Errors()
		prototest.WantText(t, errors, tc.words, `AttributeName("`+tc.attribute+`")`)
		if strings.Contains(strings.Join(errors, "\n"), "canary") {
			t.Errorf("%s: the value is repeated: %s", tc.attribute, errors)
		}
	}

	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestConsent_valuesUnknownAtPlan plans each attribute without a request. Terraform validates the values once
// more in the apply.
func TestConsent_valuesUnknownAtPlan(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	all := config(agreed).With(prototest.Attributes{"manual": true, "keep_later_choice": true, "on_destroy": "retain", "org_id": mocktest.Org, "project_id": mocktest.Project})
	for attribute := range all {
		unknown := all.With(prototest.Attributes{attribute: prototest.Unknown})
		if attribute == "org_id" {
			unknown["account_id"] = nil
		}

		p.NoErrors(p.Validate(name, unknown))
		plan, _ := p.MustPlan(name, nil, unknown)
		if plan.Attributes[attribute] != prototest.Unknown {
			t.Errorf("%s is planned as %v", attribute, plan.Attributes[attribute])
		}
	}

	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestConsent_agreementTimeAllowsForClocksNotForZones plans times that are ahead of the clock. A
// record that is dated ahead can be imported, with a configuration that says the same.
func TestConsent_agreementTimeAllowsForClocksNotForZones(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	at := func(ahead time.Duration) prototest.Attributes {
		return config(prototest.Attributes{"agreement_time": time.Now().Add(ahead).UTC().Format(time.RFC3339)})
	}

	p.MustPlan(name, nil, at(4*time.Minute))
	_, diags := p.Plan(name, nil, at(6*time.Minute))
	prototest.WantText(t, diags.Errors(), "Not a time of agreement", "lies in the future", "zone", `AttributeName("agreement_time")`)

	generated := at(time.Hour)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: configured, AgreementTime: generated["agreement_time"], Manual: new(true)})
	state, diags := p.Import(name, person, nil)
	p.NoErrors(diags)
	p.NoErrors(p.Validate(name, generated))
	wantEmptyPlan(t, p, state, generated)
}

// TestConsent_importTakesOverTheRecord imports the record as it is. Where Terraform has generated the
// configuration, that has no address, and none at the service changes it.
func TestConsent_importTakesOverTheRecord(t *testing.T) {
	t.Parallel()
	where := prototest.Attributes{"identity_id": "a/b ü%", "account_id": "acct-7"}
	p, service := start(t, nil)
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, "a/b ü%", mockserver.ConsentRecord{Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: early})
	wanted := config(agreed).With(where)
	state, diags := p.Import(name, "acct-7/a%2Fb ü%25", nil)
	p.NoErrors(diags)
	wantEmptyPlan(t, p, state, wanted)

	state, diags = p.Import(name, "", where)
	p.NoErrors(diags)
	if text := provenanceIn(t, state); strings.Contains(text, "address") {
		t.Errorf("the provenance is %s", text)
	}
	state, _ = wantEmptyPlan(t, p, state, wanted.With(withoutAddress))
	wantUpdates(t, service)

	state, _ = p.MustUpdate(name, state, wanted)
	wantEmptyPlan(t, p, state, wanted)
	wantUpdates(t, service, update(configured, agreed))
}
