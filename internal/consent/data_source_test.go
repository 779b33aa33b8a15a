// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsent_readsNullForWhatTheServiceDoesNotSay reads a person of another scope, by the data
// source and by the ephemeral resource.
func TestConsent_readsNullForWhatTheServiceDoesNotSay(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, func(s *mockserver.Server) {
		s.ReshapeConsents(func(r map[string]any) any { r["clause_1_consent"] = nil; return r })
	})
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, mockserver.ConsentRecord{Clauses: configured})

	for object, read := range map[string]func(string, prototest.Attributes) (prototest.Attributes, prototest.Diagnostics){"data source": p.ReadData, "ephemeral resource": p.Open} {
		got, diags := read(name, prototest.Attributes{"identity_id": person, "account_id": "acct-7"})
		p.NoErrors(diags)
		for attribute, want := range map[string]any{"clause_1_consent": nil, "clause_2_consent": true, "clause_3_consent": false, "user_ipv6": nil, "agreement_time": nil, "manual": nil} {
			if got[attribute] != want {
				t.Errorf("%s: %s is %v, want %v", object, attribute, got[attribute], want)
			}
		}
	}
	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpGetConsent)
}
