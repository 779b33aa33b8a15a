// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// configOf returns the configuration of a resource or an action about the person.
func configOf(t *testing.T, name string) prototest.Attributes {
	t.Helper()
	if name == accessName || name == requestAccessName {
		return accessTo(output(t), nil)
	}
	return config(nil)
}

func TestRequests_readOnlyProviderSendsNothing(t *testing.T) {
	t.Parallel()

	for _, name := range []string{deletionName, accessName, deleteName, requestAccessName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			service := mocktest.Start(t)
			p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"read_only": true}))
			var diags prototest.Diagnostics
			if name == deleteName || name == requestAccessName {
				diags = p.PlanAction(name, configOf(t, name))
			} else {
				_, diags = p.Create(name, configOf(t, name))
			}
			prototest.WantText(t, diags.Errors(), "read-only", "Nothing was sent")
			wantNothingSent(t, service)
		})
	}
}

// Terraform 1.16 passes a null for an ephemeral value under -invoke.
func TestRequests_lostIdentityOfAnActionIsRefused(t *testing.T) {
	t.Parallel()

	for _, name := range []string{deleteName, requestAccessName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			invoked := p.InvokePlanned(t.Context(), name, configOf(t, name).Without("identity_id"), func(string) bool { return true })
			prototest.WantText(t, invoked.Errors(), "The identity did not arrive", "Nothing was sent", "sensitive and not ephemeral")
			wantNothingSent(t, service)
		})
	}
}

// A request that the service fails leaves no object, and the next apply sends another.
func TestRequests_failureIsAnErrorWithItsCode(t *testing.T) {
	t.Parallel()

	for name, operation := range map[string]string{deletionName: mockserver.OpDeleteAllData, accessName: mockserver.OpGetAllData} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD", Message: "legal hold"}))
			state, diags := p.Create(name, configOf(t, name))
			prototest.WantText(t, diags.Errors(), "E_HOLD", "request-1", "In state now: nothing")
			wantNoPerson(t, diags)
			if state != nil {
				t.Errorf("in state is %v", state.Attributes)
			}
			_, diags = p.Create(name, configOf(t, name))
			prototest.WantText(t, diags.Errors(), "E_HOLD")
			wantQueued(t, service, operation, 2)
		})
	}
}
