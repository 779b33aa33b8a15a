// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// laterRecords returns the records of a person who chooses later, by what shows that.
func laterRecords() map[string]mockserver.ConsentRecord {
	records := map[string]mockserver.ConsentRecord{laterTime: choose(late)}
	for form, extra := range untimed {
		records[form] = refusal(extra)
	}

	return records
}

const laterTime = "a later time"

// TestConsent_choiceStands ends each story with the record that the person has made, and a
// warning that says so, whether the record has a time or not.
func TestConsent_choiceStands(t *testing.T) {
	t.Parallel()
	withoutAddress := withdrawing.With(prototest.Attributes{"user_ipv6": nil})
	version := func(n int) prototest.Attributes {
		return withoutAddress.With(prototest.Attributes{"user_ipv6_wo": "192.0.2.7", "user_ipv6_wo_version": n})
	}

	stories := soak.SomeOf(3, map[string][]event{
		"seen before a destroy":    {applies(withdrawing), chooses, plansNothing, destroys},
		"made before a destroy":    {applies(withdrawing), chooses, destroys},
		"seen by an import":        {chooses, imports, applies(withdrawing), plansNothing, destroys},
		"an address is added":      {applies(withoutAddress), chooses, plansNothing, applies(withdrawing), plansNothing, destroys},
		"another version":          {applies(version(1)), chooses, reads, applies(version(2)), plansNothing, destroys},
		"protected late":           {applies(withdrawing.With(prototest.Attributes{"keep_later_choice": false})), chooses, reads, applies(withdrawing), plansNothing, destroys},
		"the time is taken out":    {applies(withdrawing), chooses, plansNothing, applies(withdrawing.With(prototest.Attributes{"agreement_time": nil})), plansNothing},
		"another clause and time":  {applies(withdrawing), chooses, plansNothing, applies(withdrawing.With(prototest.Attributes{"clause_3_consent": true, "agreement_time": middle})), plansNothing, destroys},
		"the object is made again": {applies(agreed), chooses, plansNothing, destroys, imports, applies(withdrawing), plansNothing, destroys},
	})
	for form, theirs := range laterRecords() {
		theirs.UserIPv6 = new("2001:db8::7")
		for label, events := range stories {
			t.Run(form+", "+label, func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil)
				s := &story{t: t, p: p, service: service, theirs: theirs}
				for _, happens := range events {
					p.NewRun()
					happens(s)
				}

				says := []string{"A later choice of the person stands", "configured one of 2026-"}
				if form != laterTime {
					says = []string{"A choice without a time stands", "keep_later_choice = false"}
				}
				prototest.WantText(t, s.last.Warnings(), says...)
				if held, _ := service.Consent(scope, person); !cmp.Equal(theirs, held) {
					t.Errorf("the person's record is changed: %s", cmp.Diff(theirs, held))
				}
				if strings.Contains(strings.Join(s.last.Warnings(), "\n"), person) {
					t.Error("a warning names the person")
				}
			})
		}
	}
}

func TestConsent_choiceIsOverwrittenOnlyWhereThatIsSaid(t *testing.T) {
	t.Parallel()
	for form, theirs := range laterRecords() {
		says := map[string]prototest.Attributes{"keep_later_choice": agreed.With(prototest.Attributes{"keep_later_choice": false})}
		if form == laterTime {
			says["agreement_time"] = agreed.With(prototest.Attributes{"agreement_time": "2026-04-30T12:00:00Z"})
		}

		for attribute, others := range says {
			t.Run(form+", "+attribute, func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil)
				s := &story{t: t, p: p, service: service, theirs: theirs}
				for _, happens := range []event{applies(agreed), chooses, plansNothing, applies(others)} {
					happens(s)
				}

				wantHeld(t, service, configured)
				if len(s.last) != 0 {
					t.Errorf("warnings: %v", s.last.Warnings())
				}
				if strings.Contains(string(s.state.Private), "later_choice") {
					t.Errorf("the note of the choice is left: %s", s.state.Private)
				}
				wantEmptyPlan(t, p, s.state, config(others))
			})
		}
	}
}
