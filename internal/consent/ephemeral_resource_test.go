// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsentEphemeral_readsAndWritesNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	address := "2001:db8::1"
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: configured, UserIPv6: &address, AgreementTime: "2026-01-31T13:00:00+01:00"})

	opened, diags := p.Open(name, prototest.Attributes{"identity_id": person})
	p.NoErrors(diags)
	for attribute, want := range map[string]any{
		"clause_1_consent": true, "clause_3_consent": false, "user_ipv6": address, "agreement_time": early, "manual": nil,
	} {
		if opened[attribute] != want {
			t.Errorf("%s is %v, want %v", attribute, opened[attribute], want)
		}
	}
	if text, _ := opened["json"].(string); text == "" {
		t.Error("the complete answer is missing")
	}
	wantOperations(t, service, mockserver.OpGetConsent)
}

func TestConsentEphemeral_scopeOfItsOwn(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, mockserver.ConsentRecord{Clauses: [5]bool{true}})
	opened, diags := p.Open(name, prototest.Attributes{"identity_id": person, "account_id": "acct-7"})
	p.NoErrors(diags)
	if opened["clause_1_consent"] != true || opened["clause_2_consent"] != false {
		t.Errorf("opened %v", opened)
	}
}

func TestConsentEphemeral_refuses(t *testing.T) {
	t.Parallel()

	p, _ := start(t, nil)
	for label, tc := range map[string]struct {
		config prototest.Attributes
		want   []string
	}{
		"nobody":        {prototest.Attributes{"identity_id": "nobody"}, []string{"Not found", "HTTP status: 404", "this was only read"}},
		"half a scope":  {prototest.Attributes{"identity_id": person, "org_id": "org"}, []string{"project_id"}},
		"no person":     {prototest.Attributes{"identity_id": ".."}, []string{"identity_id"}},
		"two of scopes": {prototest.Attributes{"identity_id": person, "account_id": "a", "org_id": "o", "project_id": "p"}, []string{"account_id"}},
	} {
		_, diags := p.Open(name, tc.config)
		if len(diags.Errors()) == 0 {
			t.Errorf("%s is accepted", label)
		}
		prototest.WantText(t, diags.Errors(), tc.want...)
	}
}
