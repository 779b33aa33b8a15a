// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

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

// TestConsent_valuesUnknownAtPlan plans each attribute without a request, and checks at the
// apply what only then is known.
func TestConsent_valuesUnknownAtPlan(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	all := config(agreed).With(prototest.Attributes{"manual": true, "keep_later_choice": true, "on_destroy": "retain", "org_id": mocktest.Org, "project_id": mocktest.Project})
	refused := map[string]string{"user_ipv6": "canary", "agreement_time": "1999-12-31T00:00:00Z"}

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
		if value, ok := refused[attribute]; ok {
			_, diags := p.Apply(t.Context(), name, nil, plan.Resolve(prototest.Attributes{attribute: value}))
			prototest.WantText(t, diags.Errors(), "Invalid value")
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
	state, diags := p.Import(name, person)
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
	state, diags := p.Import(name, "acct-7/a%2Fb ü%25")
	p.NoErrors(diags)
	wantEmptyPlan(t, p, state, wanted)

	state, diags = p.ImportByIdentity(name, where)
	p.NoErrors(diags)
	if text := noteIn(t, state); strings.Contains(text, "address") {
		t.Errorf("the note is %s", text)
	}
	state, _ = wantEmptyPlan(t, p, state, wanted.With(withoutAddress))
	wantUpdates(t, service)

	state, _ = p.MustUpdate(name, state, wanted)
	wantEmptyPlan(t, p, state, wanted)
	wantUpdates(t, service, update(configured, agreed))
}
