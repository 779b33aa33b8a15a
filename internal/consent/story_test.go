// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// story is what happens to one object and its person. Each event is a run of its own.
type story struct {
	t       *testing.T
	p       *prototest.Provider
	service *mocktest.Instance
	theirs  mockserver.ConsentRecord // what the person chooses

	config prototest.Attributes
	state  *prototest.State
	last   prototest.Diagnostics
}

type event func(s *story)

func applies(others prototest.Attributes) event {
	return func(s *story) {
		s.config = config(others)
		s.state, s.last = s.p.Update(name, s.state, s.config)
		s.p.NoErrors(s.last)
	}
}

func chooses(s *story) { s.service.PutConsent(scope, person, s.theirs) }

func imports(s *story) {
	s.state, s.last = s.p.Import(name, person)
	s.p.NoErrors(s.last)
}

func reads(s *story) { s.state, s.last = s.p.MustRefresh(name, s.state) }

func plansNothing(s *story) {
	s.state, s.last = wantEmptyPlan(s.t, s.p, s.state, s.config)
	if s.state.Attributes["clause_1_consent"] != false {
		s.t.Errorf("state does not show what the person chose: %v", s.state.Attributes)
	}
}

func destroys(s *story) {
	s.state, s.last = s.p.Destroy(name, s.state)
	s.p.NoErrors(s.last)
	if s.state != nil {
		s.t.Error("the object is still in state")
	}
}

// TestConsent_choiceStands ends each story with the record that the person has made, and a
// warning that says so, whether the record has a time or not.
func TestConsent_choiceStands(t *testing.T) {
	t.Parallel()
	withoutAddress := withdrawing.With(prototest.Attributes{"user_ipv6": nil})
	version := func(n int) prototest.Attributes {
		return withoutAddress.With(prototest.Attributes{"user_ipv6_wo": "192.0.2.7", "user_ipv6_wo_version": n})
	}
	stories := soak.SomeOf(3, map[string][]event{
		"made before a destroy":    {applies(withdrawing), chooses, destroys},
		"seen by an import":        {chooses, imports, applies(withdrawing), plansNothing, destroys},
		"an address is added":      {applies(withoutAddress), chooses, plansNothing, applies(withdrawing), plansNothing, destroys},
		"another version":          {applies(version(1)), chooses, reads, applies(version(2)), plansNothing, destroys},
		"protected late":           {applies(withdrawing.With(overrules)), chooses, reads, applies(withdrawing), plansNothing, destroys},
		"the time is taken out":    {applies(withdrawing), chooses, plansNothing, applies(withdrawing.With(withoutIt)), plansNothing},
		"another clause and time":  {applies(withdrawing), chooses, plansNothing, applies(withdrawing.With(prototest.Attributes{"clause_3_consent": true, "agreement_time": middle})), plansNothing, destroys},
		"the object is made again": {applies(agreed), chooses, plansNothing, destroys, imports, applies(withdrawing), plansNothing, destroys},
	})

	laterWithoutAddress, withAddress, withNull := choose(late), refusal(nil), refusal(untimed["null"])
	laterWithoutAddress.Extra = map[string]any{"user_ipv6": nil}
	withAddress.UserIPv6 = new("2001:db8::7")
	for form, theirs := range map[string]mockserver.ConsentRecord{
		"a later time": choose(late), "a later time, no address": laterWithoutAddress, "no time": withAddress, "a time of null": withNull,
	} {
		for label, events := range stories {
			t.Run(form+", "+label, func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil)
				s := &story{t: t, p: p, service: service, theirs: theirs}
				for _, happens := range events {
					p.NewRun()
					happens(s)
				}

				if theirs.AgreementTime != nil {
					wantWarning(t, s.last, laterStands)
					prototest.WantText(t, s.last.Warnings(), "configured one of 2026-")
				} else {
					wantWarning(t, s.last, untimedStands)
					prototest.WantText(t, s.last.Warnings(), "keep_later_choice = false")
				}
				wantRecord(t, service, theirs)
			})
		}
	}
}

// TestConsent_choiceThatIsTakenBackIsDrift has a service that shows the choice no longer.
func TestConsent_choiceThatIsTakenBackIsDrift(t *testing.T) {
	t.Parallel()
	for _, theirs := range []mockserver.ConsentRecord{choose(late), refusal(nil)} {
		p, service := start(t, nil)
		state := created(t, p, service, agreed)
		service.PutConsent(scope, person, theirs)
		state, _ = wantEmptyPlan(t, p, state, config(agreed))
		for _, attribute := range []string{"agreement_time", "keep_later_choice"} {
			_, diags := p.Plan(name, state, config(agreed).With(prototest.Attributes{attribute: prototest.Unknown}))
			prototest.WantText(t, diags.Errors(), "The plan cannot tell whether the later choice still stands", `AttributeName("agreement_time")`)
		}

		service.PutConsent(scope, person, choose(early))
		state, _ = p.MustRefresh(name, state)
		if plan, _ := p.Plan(name, state, config(agreed)); !plan.Changes {
			t.Error("the plan is empty although no choice stands any more")
		}
	}
}
