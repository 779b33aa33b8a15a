// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsent_importTakesEveryDocumentedForm imports the record as it is. Where Terraform has
// generated the configuration, that has no address, and none at the service changes it.
func TestConsent_importTakesEveryDocumentedForm(t *testing.T) {
	t.Parallel()
	two := prototest.Attributes{"org_id": "org-two", "project_id": "shop"}
	for id, want := range soak.SomeOf(2, map[string]struct {
		scope    mockserver.Scope
		identity string
		config   prototest.Attributes
	}{
		person:                                {scope, person, nil},
		"org-demo/web/jane.doe@example.com":   {scope, person, nil},
		"org-two/shop/jane.doe%40example.com": {mockserver.Scope{OrgID: "org-two", ProjectID: "shop"}, person, two},
		"acct-7/user-1001":                    {mockserver.Scope{AccountID: "acct-7"}, "user-1001", prototest.Attributes{"account_id": "acct-7"}},
		"o%2Fx/p%20y/a+b":                     {mockserver.Scope{OrgID: "o/x", ProjectID: "p y"}, "a+b", prototest.Attributes{"org_id": "o/x", "project_id": "p y"}},
	}) {
		t.Run(strings.ReplaceAll(id, "/", "|"), func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			service.PutConsent(want.scope, want.identity, own(func(r *mockserver.ConsentRecord) { r.Manual = nil }))
			state, diags := p.Import(name, id)
			p.NoErrors(diags)
			wanted := config(agreed).With(want.config).With(prototest.Attributes{"identity_id": want.identity})
			wantEmptyPlan(t, p, state, wanted)

			state, diags = p.ImportByIdentity(name, prototest.Attributes{"identity_id": want.identity}.With(want.config))
			p.NoErrors(diags)
			if strings.Contains(string(state.Private), "address") {
				t.Errorf("private state is %s", state.Private)
			}
			state, _ = wantEmptyPlan(t, p, state, wanted.With(prototest.Attributes{"user_ipv6": nil}))
			wantUpdates(t, service)

			state, diags = p.Update(name, state, wanted)
			p.NoErrors(diags)
			wantEmptyPlan(t, p, state, wanted)
			wantUpdates(t, service, update(configured, agreed))
		})
	}
}

func TestConsent_importRefusesWithTheFormsAndLeavesNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, id := range []string{"", "/", "//", "a/", "/a", "a//b", "a/b/c/d", ".", "..", "o/p/..", "%2e%2e", "%zz", "a/b%", "o/p/%00", "acct-7/%20"} {
		state, diags := p.Import(name, id)
		if state != nil {
			t.Errorf("%q left %v", id, state.Attributes)
		}
		prototest.WantText(t, diags.Errors(), "Unusable import id", "org/project/identity, account/identity, or identity", "org-demo/web/user-1001", "%40")
	}
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}
