// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestConsent_atAReplicaThatLags creates, plans, changes and destroys right after each other at a
// service whose reads show what it held ten seconds ago. Nothing is dropped from state, sent again or
// left standing.
func TestConsent_atAReplicaThatLags(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, object string, config func(prototest.Attributes) prototest.Attributes) {
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "10s"}}))
		state, _ := p.MustCreate(object, config(withdraws))

		p.NewRun()
		state, diags := p.Refresh(object, state)
		p.NoErrors(diags)
		if state == nil {
			t.Fatal("the object was dropped from state")
		}
		plan, diags := p.Plan(object, state, config(withdraws))
		p.NoErrors(diags)
		if plan.Changes || service.Count(mockserver.OpUpdateConsent) != 1 {
			t.Errorf("after the creation, the plan changes something: %v, and %d updates were sent", plan.Changes, service.Count(mockserver.OpUpdateConsent))
		}

		p.NewRun()
		_, diags = p.DestroyUnplanned(t.Context(), object, state)
		p.NoErrors(diags)
		wantHeld(t, service, [5]bool{})
	}, func(s *mockserver.Server) { s.ReadLag = 10 * time.Second })
}
