// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsent_isNotWithdrawnWhileAnotherObjectKeepsIt destroys one of two objects of a person
// in a plan that leaves the other one as it is.
func TestConsent_isNotWithdrawnWhileAnotherObjectKeepsIt(t *testing.T) {
	t.Parallel()
	for label, destroyFirst := range map[string]bool{"destroy first": true, "keep first": false} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			destroyed := created(t, p, service, withdrawing)
			kept := created(t, p, service, withdrawing)

			destroy := func() (diags prototest.Diagnostics) { _, diags = p.Plan(name, destroyed, nil); return diags }
			keep := func() (diags prototest.Diagnostics) { _, diags = p.Plan(name, kept, config(withdrawing)); return diags }
			order := []func() prototest.Diagnostics{destroy, keep}
			if !destroyFirst {
				order = []func() prototest.Diagnostics{keep, destroy}
			}

			p.NoErrors(order[0]())
			prototest.WantText(t, order[1]().Errors(), "Another resource keeps the consent to be withdrawn", `on_destroy = "retain"`, "org-demo")
		})
	}
}

// TestConsent_anotherObjectsWriteWithoutATimeIsSettledByTheNextApply has two objects of one
// person at a service without times. One of them takes what the other has written for a choice
// of the person, and leaves it alone; both plans are empty after another apply.
func TestConsent_anotherObjectsWriteWithoutATimeIsSettledByTheNextApply(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, withoutTimes)
	writer, waiting := created(t, p, service, agreed), created(t, p, service, agreed)
	change := config(agreed).With(prototest.Attributes{"clause_3_consent": true})
	writer, diags := p.Update(name, writer, change) // and the run was interrupted
	p.NoErrors(diags)

	change = change.With(prototest.Attributes{"clause_2_consent": false, "agreement_time": middle})
	p.NewRun()
	writer, _ = p.MustRefresh(name, writer)
	_, planned := p.Plan(name, writer, change)
	p.NoErrors(planned)
	waiting, planned = wantEmptyPlan(t, p, waiting, change)
	prototest.WantText(t, planned.Warnings(), "A choice without a time stands")
	prototest.WantText(t, planned.Warnings(), "Two resources manage the consent of one person")
	p.NewRun()
	writer, diags = p.Update(name, writer, change)
	p.NoErrors(diags)

	p.NewRun()
	waiting, _ = p.MustRefresh(name, waiting)
	waiting, diags = p.Update(name, waiting, change)
	p.NoErrors(diags)
	wantEmptyPlan(t, p, waiting, change)
	wantEmptyPlan(t, p, writer, change)
	wantHeld(t, service, [5]bool{true, false, true, true, true})
}

// TestCLIConsent_isNotWithdrawnWhileAnotherObjectKeepsIt follows the advice of the refusal.
func TestCLIConsent_isNotWithdrawnWhileAnotherObjectKeepsIt(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	another := func(onDestroy string) string {
		return strings.Replace(block(onDestroy), `"jane"`, `"another"`, 1)
	}
	one, two := acctest.Block(service)+block(`on_destroy = "withdraw"`), another(`on_destroy = "withdraw"`)
	cli := clitest.New(t, one+two, nil)
	cli.MustRun("apply", "-auto-approve")
	cli.MustRun("plan", "-detailed-exitcode")

	for _, parallelism := range []string{"-parallelism=1", "-parallelism=10"} {
		for _, left := range []string{one, acctest.Block(service) + two} {
			cli.Configure(left)
			refused := cli.Run("apply", "-auto-approve", parallelism)
			if refused.Code != 1 {
				t.Errorf("the apply ended with %d", refused.Code)
			}
			clitest.WantWords(t, refused, "Another resource keeps the consent to be withdrawn")
		}
	}

	cli.Configure(one + another(`on_destroy = "retain"`))
	cli.MustRun("apply", "-auto-approve")
	cli.Configure(one)
	cli.MustRun("apply", "-auto-approve")
	wantHeld(t, service, configured)
	cli.MustRun("plan", "-detailed-exitcode")
}

// TestCLIConsent_deposedObjectLeavesWithAnImport has a replacement that was interrupted
// after the new object was created, and follows the advice of the refusal.
func TestCLIConsent_deposedObjectLeavesWithAnImport(t *testing.T) {
	t.Parallel()
	for _, lifecycle := range []string{"", "lifecycle {\n    create_before_destroy = true\n  }"} {
		service := mocktest.Start(t)
		cli := clitest.New(t, acctest.Block(service)+block(`on_destroy = "withdraw"`, lifecycle), nil)
		cli.MustRun("apply", "-auto-approve")
		state, object := readState(t, cli)
		deposed := maps.Clone(object)
		deposed["deposed"] = "0a1b2c3d"
		delete(deposed, "private")
		resource, _ := state["resources"].([]any)[0].(map[string]any)
		resource["instances"] = []any{object, deposed}
		writeState(t, cli, state)

		refused := cli.Run("apply", "-auto-approve")
		wantRefused(t, refused, "Another resource keeps the consent to be withdrawn", "If the plan calls that resource deposed", "terraform state rm", "terraform import")
		service.Reset()
		cli.MustRun("state", "rm", address)
		cli.MustRun("import", address, person)
		cli.MustRun("apply", "-auto-approve")
		wantUpdates(t, service)
		cli.MustRun("plan", "-detailed-exitcode")
	}
}

// TestCLIConsent_aRefusalWithoutATimeStandsInAReplacement replaces an object after the person
// has refused at a service without times: destroyed first, and created first.
func TestCLIConsent_aRefusalWithoutATimeStandsInAReplacement(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "lifecycle {\n    create_before_destroy = true\n  }"} {
		service := mocktest.Start(t, withoutTimes)
		cli := clitest.New(t, acctest.Block(service)+block(`agreement_time = "2026-01-31T12:00:00Z"`, `on_destroy = "withdraw"`, line), nil)
		cli.MustRun("apply", "-auto-approve")

		service.PutConsent(scope, person, mockserver.ConsentRecord{Manual: &no})
		service.Reset()
		cli.Run("apply", "-auto-approve", "-replace="+address)
		if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
			t.Errorf("%q: %d writes over the person's choice", line, n)
		}
		wantHeld(t, service, [5]bool{})
	}
}

// withoutTimes lets the service keep no agreement_time.
func withoutTimes(s *mockserver.Server) {
	s.ReshapeConsents(func(r map[string]any) any {
		delete(r, "agreement_time")
		return r
	})
}
