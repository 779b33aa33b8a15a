// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var withdrawing = agreed.With(prototest.Attributes{"on_destroy": "withdraw"})

func TestConsent_planStaysEmptyAfterAnUpdateThatKeptAChoice(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, func(s *mockserver.Server) {
		s.ReshapeConsents(func(r map[string]any) any {
			if r["agreement_time"] == late {
				r["user_ipv6"] = nil
			}
			return r
		})
	})

	base := prototest.Attributes{"agreement_time": early}
	state := created(t, p, service, base)
	service.PutConsent(scope, person, choose(late))
	state, _ = wantEmptyPlan(t, p, state, config(base))
	state, diags := p.Update(name, state, config(agreed))
	p.NoErrors(diags)
	wantEmptyPlan(t, p, state, config(agreed))
}

func TestConsent_unknownTimeIsRefusedWhileAChoiceStands(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, agreed)
	service.PutConsent(scope, person, choose(late))
	state, _ = wantEmptyPlan(t, p, state, config(agreed))
	for _, attribute := range []string{"agreement_time", "keep_later_choice"} {
		_, diags := p.Plan(name, state, config(agreed).With(prototest.Attributes{attribute: prototest.Unknown}))
		prototest.WantText(t, diags.Errors(), "The plan cannot tell whether the later choice still stands", `AttributeName("agreement_time")`)
	}
}

// TestConsent_createThatCannotCompareWritesNothing has a record in the place of which the
// service, or a gateway before it, answers something else.
func TestConsent_createThatCannotCompareWritesNothing(t *testing.T) {
	t.Parallel()
	for label, answer := range soak.SomeOf(2, map[string]struct {
		reshape func(r map[string]any) any
		says    string
	}{
		"one clause":     {func(r map[string]any) any { return map[string]any{"clause_1_consent": r["clause_1_consent"]} }, "Unexpected response"},
		"two records":    {func(r map[string]any) any { return map[string]any{"now": r, "before": r} }, "Unexpected response"},
		"a list":         {func(r map[string]any) any { return map[string]any{"data": []any{r}} }, "Unexpected response"},
		"an error":       {func(map[string]any) any { return map[string]any{"error": "no"} }, "no"},
		"a null time":    {func(r map[string]any) any { r["agreement_time"] = nil; return r }, "has no agreement_time"},
		"without a time": {func(r map[string]any) any { delete(r, "agreement_time"); return map[string]any{"x": r} }, "has no agreement_time"},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, func(s *mockserver.Server) { s.ReshapeConsents(answer.reshape) })
			service.PutConsent(scope, person, choose(late))
			state, diags := p.Create(name, config(agreed))
			if state != nil {
				t.Errorf("state %v", state.Attributes)
			}

			prototest.WantText(t, diags.Errors(), answer.says, "In state now: nothing")
			wantHeld(t, service, choose(late).Clauses)
		})
	}
}

// TestConsent_ownUntimedRecordStaysManageable has a service that forgets the time of a record.
func TestConsent_ownUntimedRecordStaysManageable(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	withdraws := prototest.Attributes{"on_destroy": "withdraw"}
	state := created(t, p, service, withdraws)
	forget := func() {
		record, _ := service.Consent(scope, person)
		record.AgreementTime, record.Extra = nil, untimed["null"]
		service.PutConsent(scope, person, record)
		p.NewRun()
	}

	// The record was written by this object, without a time. Now it is given one, and another
	// clause.
	forget()
	state, _ = wantEmptyPlan(t, p, state, config(withdraws))
	timed := config(withdraws).With(agreed).With(prototest.Attributes{"clause_1_consent": false})
	state, diags := p.Update(name, state, timed)
	p.NoErrors(diags)
	wantHeld(t, service, [5]bool{false, true, false, true, true})
	state, _ = wantEmptyPlan(t, p, state, timed)

	// A service that forgets the time of an unchanged record changes nothing.
	forget()
	state, _ = p.MustRefresh(name, state)
	p.NewRun()
	_, diags = p.Destroy(name, state)
	p.NoErrors(diags)
	wantHeld(t, service, [5]bool{})

	// The record of our own withdrawal can be overwritten again if the configuration says so.
	forget()
	_, diags = p.Create(name, config(agreed))
	prototest.WantText(t, diags.Errors(), "keep_later_choice = false")
	_, diags = p.Create(name, config(agreed).With(prototest.Attributes{"keep_later_choice": false}))
	p.NoErrors(diags)
	wantHeld(t, service, configured)
}

func TestConsent_emptyAnswerIsNoConsentForCreateAndRefresh(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, body := range []string{"{}", "null", `{"consent":null}`, `{"data":{}}`} {
		empty := mockserver.Fault{Operation: mockserver.OpGetConsent, Body: []byte(body)}
		service.Inject(empty)
		state, _ := p.MustCreate(name, config(agreed))

		p.NewRun()
		service.Inject(empty)
		state, diags := p.Refresh(name, state)
		p.NoErrors(diags)
		if state != nil {
			t.Errorf("%s: the object is still in state: %v", body, state.Attributes)
		}
	}
}

// TestConsent_updateIsNotSentWhereTheServiceKnowsNoRecord has a gateway answer the comparison
// of an update. A record cannot be removed at the service, so one that is in state exists.
func TestConsent_updateIsNotSentWhereTheServiceKnowsNoRecord(t *testing.T) {
	t.Parallel()
	for label, fault := range map[string]mockserver.Fault{
		"404":   {Operation: mockserver.OpGetConsent, Status: 404, Body: []byte(`{"message":"no route"}`)},
		"empty": {Operation: mockserver.OpGetConsent, Body: []byte("{}")},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, agreed)
			plan, diags := p.Plan(name, state, config(agreed).With(prototest.Attributes{"clause_3_consent": true}))
			p.NoErrors(diags)

			service.PutConsent(scope, person, choose(late))
			service.Inject(fault)
			after, diags := p.Apply(t.Context(), name, state, plan)
			prototest.WantText(t, diags.Errors(), "has none", "as it was before")
			wantHeld(t, service, choose(late).Clauses)
			if after == nil {
				t.Error("the object is lost")
			}
		})
	}
}
