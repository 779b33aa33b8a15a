// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// refusal returns the record of a person who agrees to nothing, and so has no agreement_time.
func refusal(extra map[string]any) mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: [5]bool{false, false, false, false, true}, Manual: &no, Extra: extra}
}

// untimed holds the forms of a record without a time.
var untimed = map[string]map[string]any{
	"absent": nil, "null": {"agreement_time": nil},
	"zero": {"agreement_time": "0001-01-01T00:00:00Z"}, "epoch": {"agreement_time": 0},
}

// eachUntimed runs a test with each form, which must have the same effect.
func eachUntimed(t *testing.T, test func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, extra map[string]any)) {
	t.Helper()
	for label, extra := range untimed {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			test(t, p, service, extra)
		})
	}
}

func TestConsent_untimedRecordIsNotOverwrittenByCreate(t *testing.T) {
	t.Parallel()
	eachUntimed(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, extra map[string]any) {
		service.PutConsent(scope, person, refusal(extra))

		state, diags := p.Create(name, config(agreed))
		prototest.WantText(t, diags.Errors(), "has no agreement_time", "keep_later_choice = false", "In state now: nothing")
		if state != nil {
			t.Errorf("state %v", state.Attributes)
		}

		wantHeld(t, service, refusal(nil).Clauses)

		_, diags = p.Create(name, config(agreed).With(prototest.Attributes{"keep_later_choice": false}))
		p.NoErrors(diags)
		wantHeld(t, service, configured)
	})
}

func TestConsent_untimedRefusalBetweenPlanAndApplyStands(t *testing.T) {
	t.Parallel()
	eachUntimed(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, extra map[string]any) {
		state := created(t, p, service, agreed)
		plan, diags := p.Plan(name, state, config(agreed).With(prototest.Attributes{"clause_3_consent": true}))
		p.NoErrors(diags)

		service.PutConsent(scope, person, refusal(extra))
		after, diags := p.Apply(t.Context(), name, state, plan)

		prototest.WantText(t, diags.Errors(), "has no agreement_time", "as it was before")
		wantHeld(t, service, refusal(nil).Clauses)
		if after == nil {
			t.Error("the object is lost")
		}
	})
}

func TestConsent_ownUntimedRecordStaysManageable(t *testing.T) {
	t.Parallel()
	eachUntimed(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance, extra map[string]any) {
		untimedConfig := prototest.Attributes{"on_destroy": "withdraw"}
		state := created(t, p, service, untimedConfig)
		record, _ := service.Consent(scope, person)
		record.Extra = extra
		service.PutConsent(scope, person, record)

		// The record was written by this object, without a time. Now it is given one, and
		// another clause.
		state, _ = wantEmptyPlan(t, p, state, config(untimedConfig))
		timed := config(untimedConfig).With(agreed).With(prototest.Attributes{"clause_1_consent": false})
		state, diags := p.Update(name, state, timed)
		p.NoErrors(diags)
		wantHeld(t, service, [5]bool{false, true, false, true, true})
		state, _ = wantEmptyPlan(t, p, state, timed)

		// A service that forgets the time of an unchanged record changes nothing.
		record, _ = service.Consent(scope, person)
		record.AgreementTime, record.Extra = nil, extra
		service.PutConsent(scope, person, record)
		state, _ = p.MustRefresh(name, state)
		p.NewRun()
		_, diags = p.Destroy(name, state)
		p.NoErrors(diags)
		wantHeld(t, service, [5]bool{})

		// The record of our own withdrawal can be overwritten again if the configuration says so.
		record, _ = service.Consent(scope, person)
		record.AgreementTime, record.Extra = nil, extra
		service.PutConsent(scope, person, record)
		p.NewRun()
		_, diags = p.Create(name, config(agreed))
		prototest.WantText(t, diags.Errors(), "keep_later_choice = false")
		_, diags = p.Create(name, config(agreed).With(prototest.Attributes{"keep_later_choice": false}))
		p.NoErrors(diags)
		wantHeld(t, service, configured)
	})
}

func TestConsent_emptyAnswerIsNoConsentForCreateAndRefresh(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"{}", "null", `{"consent":null}`, `{"data":{}}`} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			empty := mockserver.Fault{Operation: mockserver.OpGetConsent, Body: []byte(body)}

			service.Inject(empty)
			state, diags := p.Create(name, config(agreed))
			p.NoErrors(diags)
			wantHeld(t, service, configured)

			p.NewRun()
			service.Inject(empty)
			state, diags = p.Refresh(name, state)
			p.NoErrors(diags)
			if state != nil {
				t.Errorf("the object is still in state: %v", state.Attributes)
			}
		})
	}
}

// TestConsent_updateIsNotSentWhereTheServiceKnowsNoRecord has a gateway answer the comparison
// of an update. A record cannot be removed at the service, so one that is in state exists.
func TestConsent_updateIsNotSentWhereTheServiceKnowsNoRecord(t *testing.T) {
	t.Parallel()
	for label, fault := range map[string]mockserver.Fault{
		"404":   {Operation: mockserver.OpGetConsent, Status: 404, Body: []byte(`{"message":"no route"}`)},
		"empty": {Operation: mockserver.OpGetConsent, Body: []byte("{}")},
		"null":  {Operation: mockserver.OpGetConsent, Body: []byte("null")},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, agreed)
			changed := config(agreed).With(prototest.Attributes{"clause_3_consent": true})
			plan, diags := p.Plan(name, state, changed)
			p.NoErrors(diags)

			service.PutConsent(scope, person, choose(late))
			service.Inject(fault)
			after, diags := p.Apply(t.Context(), name, state, plan)
			prototest.WantText(t, diags.Errors(), "no consent", "as it was before")
			wantHeld(t, service, choose(late).Clauses)
			if after == nil {
				t.Error("the object is lost")
			}
		})
	}
}
