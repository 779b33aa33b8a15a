// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// moved is a scope other than the provider's.
var moved = prototest.Attributes{"org_id": "org-two", "project_id": "shop"}

func TestConsent_scopeWrittenDownInTheConfigurationIsNoChange(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, agreed)
	own := agreed.With(prototest.Attributes{"org_id": mocktest.Org, "project_id": mocktest.Project})

	state, _ = wantEmptyPlan(t, p, state, config(own))
	state, _ = wantEmptyPlan(t, p, state, config(agreed))

	// And with it, the object stays where it is whatever the provider block says.
	p.Reconfigure(prototest.Config(service).With(moved))
	if diags := p.WantEmptyPlan(name, state, config(own)); len(diags) != 0 {
		t.Errorf("warnings: %v", diags.Warnings())
	}

	// Without any scope there is an error, and no replacement.
	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"org_id": nil, "project_id": nil}))
	_, diags := p.Plan(name, state, config(agreed))
	prototest.WantText(t, diags.Errors(), "No usable scope")
}

func TestConsent_scopeUnknownAtPlanIsKnownAfterApply(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown})
	plan, diags := p.Plan(name, nil, config(agreed))
	p.NoErrors(diags)
	if plan.Attributes["org_id"] != prototest.Unknown {
		t.Errorf("planned org_id %v", plan.Attributes["org_id"])
	}

	p.Reconfigure(prototest.Config(service))
	state, diags := p.Apply(t.Context(), name, nil, plan)
	p.NoErrors(diags)
	if state.Attributes["org_id"] != mocktest.Org || state.Attributes["account_id"] != nil {
		t.Errorf("state %v", state.Attributes)
	}

	// An object that exists stays where it is while the provider's scope is not known.
	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown}))
	p.WantEmptyPlan(name, state, config(agreed))
}

func TestConsent_changedScopeOrIdentityReplaces(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, nil)

	for label, tc := range map[string]struct {
		others  prototest.Attributes
		replace bool
	}{
		"the provider's own scope": {prototest.Attributes{"org_id": mocktest.Org, "project_id": mocktest.Project}, false},
		"another project":          {prototest.Attributes{"org_id": mocktest.Org, "project_id": "shop"}, true},
		"an account":               {prototest.Attributes{"account_id": "acct-7"}, true},
		"an unknown account":       {prototest.Attributes{"account_id": prototest.Unknown}, true},
		"another person":           {prototest.Attributes{"identity_id": "somebody-else"}, true},
		"an unknown person":        {prototest.Attributes{"identity_id": prototest.Unknown}, true},
	} {
		plan, diags := p.Plan(name, state, config(tc.others))
		p.NoErrors(diags)
		if (len(plan.Replace) > 0) != tc.replace {
			t.Errorf("%s: replaces because of %v", label, plan.Replace)
		}
	}
}
