// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
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

func TestConsent_answerThatCannotBeComparedStopsTheWrite(t *testing.T) {
	t.Parallel()
	for label, wrap := range map[string]func(r map[string]any) any{
		"one clause":        func(r map[string]any) any { return map[string]any{"clause_1_consent": r["clause_1_consent"]} },
		"two records":       func(r map[string]any) any { return map[string]any{"now": r, "before": r} },
		"null time":         func(r map[string]any) any { r["agreement_time"] = nil; return r },
		"null time wrapped": func(r map[string]any) any { r["agreement_time"] = nil; return map[string]any{"x": r} },
		"list":              func(r map[string]any) any { return map[string]any{"data": []any{r}} },
		"camel case": func(r map[string]any) any {
			return map[string]any{"clause1Consent": r["clause_1_consent"], "agreementTime": r["agreement_time"]}
		},
		"clauses without time": func(r map[string]any) any { delete(r, "agreement_time"); return r },
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, func(s *mockserver.Server) { s.ReshapeConsents(wrap) })
			service.PutConsent(scope, person, choose(late))
			state, diags := p.Create(name, config(agreed))
			if state != nil || len(diags.Errors()) != 1 {
				t.Errorf("state %v, errors %v", state, diags.Errors())
			}

			wantHeld(t, service, choose(late).Clauses)
		})
	}
}

func TestConsent_withdrawalMakesNoRecordOfAnErasedPerson(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, withdrawing)
	service.DeleteConsent(scope, person)
	_, diags := p.Destroy(name, state)
	p.NoErrors(diags)
	if r, ok := service.Consent(scope, person); ok {
		t.Errorf("the erased person has a record again: %v %v", r.Clauses, *r.UserIPv6)
	}
}

func TestConsent_unknownTimeIsRefusedWhileAChoiceStands(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, agreed)
	service.PutConsent(scope, person, choose(late))
	state, _ = wantEmptyPlan(t, p, state, config(agreed))
	for _, attribute := range []string{"agreement_time", "keep_later_choice"} {
		_, diags := p.Plan(name, state, config(agreed).With(prototest.Attributes{attribute: prototest.Unknown}))
		prototest.WantText(t, diags.Errors(), "Not known while a later choice of the person stands", `AttributeName("agreement_time")`)
	}
}
