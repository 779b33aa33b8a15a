// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// The warnings of an object whose person has another record than was written.
const (
	laterStands   = "A later choice of the person stands"
	untimedStands = "A choice without a time stands"
	overwrites    = "agreement_time is not set"
)

// own returns the record that the service has after withdrawing was applied, changed.
func own(change func(*mockserver.ConsentRecord)) mockserver.ConsentRecord {
	record := mockserver.ConsentRecord{Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: early, Manual: new(true)}
	change(&record)

	return record
}

// situation is an object that exists, and what the service holds of its person by now.
type situation struct {
	applied prototest.Attributes // by an earlier run, beside withdrawing
	holds   mockserver.ConsentRecord
	config  prototest.Attributes // of now, beside what was applied

	state   prototest.Attributes // some attributes after a refresh
	says    string               // the warning of a plan; empty: none
	changes bool                 // the plan changes the object
	unsent  bool                 // by nothing that is sent
	stands  bool                 // a destroy leaves the record as it is
}

var (
	fraction  = prototest.Attributes{"agreement_time": "2026-01-31T12:00:00.6Z"}
	withoutIt = prototest.Attributes{"agreement_time": nil}
	overrules = prototest.Attributes{"keep_later_choice": false}
	theirs    = prototest.Attributes{
		"clause_1_consent": false, "clause_2_consent": false, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": true, "manual": false,
	}
)

var situations = map[string]situation{
	"a later choice":                     {holds: choose(late), says: laterStands, stands: true},
	"a later choice, another clause":     {holds: choose(late), config: prototest.Attributes{"clause_3_consent": true}, says: laterStands, stands: true},
	"a later choice, another manual":     {holds: choose(late), config: prototest.Attributes{"manual": false}, says: laterStands, stands: true},
	"a later choice, a time in between":  {holds: choose(late), config: prototest.Attributes{"agreement_time": middle}, says: laterStands, stands: true},
	"a later choice, its own time":       {holds: choose(late), config: prototest.Attributes{"agreement_time": late}, changes: true, stands: true},
	"a later choice, a later time":       {holds: choose(late), config: prototest.Attributes{"agreement_time": "2026-04-30T12:00:00Z"}, changes: true, stands: true},
	"a later choice, overruled":          {holds: choose(late), config: overrules, changes: true, stands: true},
	"a choice without a time":            {holds: refusal(nil), says: untimedStands, stands: true},
	"a choice without a time, overruled": {holds: refusal(nil), config: overrules, changes: true, stands: true},
	"a choice with a time of null":       {holds: refusal(untimed["null"]), says: untimedStands, stands: true},
	"a later choice with fields of null": {
		holds: mockserver.ConsentRecord{AgreementTime: late, Extra: map[string]any{"user_ipv6": nil, "clause_2_consent": nil}}, says: laterStands, stands: true,
	},

	"a later choice, taken over":          {holds: choose(late), config: theirs.With(prototest.Attributes{"agreement_time": late}), stands: true},
	"a choice without a time, taken over": {holds: refusal(nil), config: theirs.With(prototest.Attributes{"agreement_time": middle}), changes: true, stands: true},

	// Drift.
	"an earlier time":               {holds: choose("2026-01-31T11:59:59Z"), changes: true},
	"the same time":                 {holds: choose(early), changes: true},
	"the same time of another zone": {holds: choose("2026-01-31T13:00:00+01:00"), changes: true},
	"the same millisecond":          {holds: choose("2026-01-31T12:00:00.0009Z"), changes: true},
	"an address of null":            {holds: own(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"user_ipv6": nil} }), changes: true},
	"a clause of null":              {holds: own(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"clause_2_consent": nil} }), changes: true},

	// What the service stores instead is stored as it is, and stops nothing.
	"an address without its end": {
		holds: own(func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("192.0.2.xxx") }), state: prototest.Attributes{"user_ipv6": "192.0.2.xxx"}, changes: true,
	},
	"an address with a zone": {
		holds: own(func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("fe80::1%eth0") }), state: prototest.Attributes{"user_ipv6": "fe80::1%eth0"}, changes: true,
	},
	"a time before 2000, which is none": {
		holds: own(func(r *mockserver.ConsentRecord) { r.AgreementTime = "1999-12-31T00:00:00Z" }), state: prototest.Attributes{"agreement_time": early},
	},
	"microseconds": {
		holds: own(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-31T12:00:00.000123Z" }), state: prototest.Attributes{"agreement_time": early},
	},

	// Nothing has changed.
	"five clauses alone": {holds: mockserver.ConsentRecord{Clauses: configured}},
	"more fields":        {holds: own(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"version": 7} })},
	"no address":         {holds: own(func(r *mockserver.ConsentRecord) { r.UserIPv6 = nil })},
	"manual of null":     {holds: own(func(r *mockserver.ConsentRecord) { r.Manual, r.Extra = nil, map[string]any{"manual": nil} })},
	"an address in full": {
		holds: own(func(r *mockserver.ConsentRecord) {
			r.UserIPv6, r.AgreementTime = new("2001:DB8:0::1"), "2026-01-31T14:00:00+02:00"
		}),
		state: prototest.Attributes{"user_ipv6": "2001:db8::1", "agreement_time": early},
	},
	"an address that is mapped": {
		applied: prototest.Attributes{"user_ipv6": "192.0.2.1"},
		holds:   own(func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("::ffff:c000:0201") }), state: prototest.Attributes{"user_ipv6": "192.0.2.1"},
	},

	"an address and a time that are no longer managed": {
		holds: own(func(*mockserver.ConsentRecord) {}), config: prototest.Attributes{"user_ipv6": nil, "agreement_time": nil}, changes: true, unsent: true,
	},

	// The service keeps times to the second.
	"a fraction that is cut":         {applied: fraction, holds: own(func(*mockserver.ConsentRecord) {}), state: fraction},
	"a fraction that is rounded":     {applied: fraction, holds: own(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-31T12:00:01Z" }), state: fraction},
	"a clause beside a rounded time": {applied: fraction, holds: own(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-31T12:00:01Z" }), config: prototest.Attributes{"clause_3_consent": true}, changes: true},
	"a choice in the same second":    {applied: fraction, holds: choose("2026-01-31T12:00:01Z"), says: laterStands, stands: true},

	// Without an agreement_time, no later choice can be recognised. What is known to be ours can
	// be changed, and given a time.
	"no time configured, another clause": {applied: withoutIt, holds: own(func(r *mockserver.ConsentRecord) { r.AgreementTime = nil }), config: prototest.Attributes{"clause_3_consent": true}, changes: true},
	"a time is configured": {
		applied: withoutIt, holds: own(func(r *mockserver.ConsentRecord) { r.AgreementTime = nil }),
		config: prototest.Attributes{"agreement_time": early, "clause_3_consent": true}, changes: true,
	},
	"no time configured":                              {applied: withoutIt, holds: choose(late), says: overwrites, changes: true},
	"no time configured, a choice without a time":     {applied: withoutIt, holds: refusal(nil), says: overwrites, changes: true},
	"no time configured, said so":                     {applied: withoutIt.With(prototest.Attributes{"keep_later_choice": true}), holds: choose(late), says: overwrites, changes: true},
	"no time configured, overruled":                   {applied: withoutIt.With(overrules), holds: choose(late), changes: true},
	"no time configured, a choice without, overruled": {applied: withoutIt.With(overrules), holds: refusal(nil), changes: true},
}

// TestConsent_situations refreshes an object twice, plans, destroys it, and applies the plan in
// place of that. A run that changes the object leaves nothing to say, and an empty plan.
func TestConsent_situations(t *testing.T) {
	t.Parallel()
	for label, tc := range soak.SomeOf(20, situations) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, withdrawing.With(tc.applied))
			service.PutConsent(scope, person, tc.holds)
			wanted := config(withdrawing.With(tc.applied).With(tc.config))
			for range 2 {
				state, _ = p.MustRefresh(name, state)
				plan, diags := p.Plan(name, state, wanted)
				wantWarning(t, diags, tc.says)
				if plan.Changes != tc.changes {
					t.Errorf("the plan changes the object: %v", plan.Changes)
				}
			}
			for attribute, want := range tc.state {
				if got := state.Attributes[attribute]; got != want {
					t.Errorf("in state, %s is %v, want %v", attribute, got, want)
				}
			}

			p.NewRun()
			_, diags := p.Destroy(name, state)
			if tc.stands {
				wantRecord(t, service, tc.holds)
			} else {
				wantWarning(t, diags, "")
				wantHeld(t, service, [5]bool{})
			}

			p.NewRun()
			service.PutConsent(scope, person, tc.holds)
			service.Reset()
			state, diags = p.Update(name, state, wanted)
			wantWarning(t, diags, map[bool]string{false: tc.says}[tc.changes])
			if !tc.changes {
				wantRecord(t, service, tc.holds)
				return
			}

			var clauses [5]bool
			for i, name := range answer.ClauseNames {
				clauses[i] = wanted[name] == true
			}
			wantHeld(t, service, clauses)
			if n := service.Count(mockserver.OpUpdateConsent); (n != 1) != tc.unsent {
				t.Errorf("%d updates were sent", n)
			}
			state, diags = wantEmptyPlan(t, p, state, wanted)
			wantWarning(t, diags, "")
			if strings.Contains(string(state.Private), "later_choice") {
				t.Errorf("the note of the choice is left: %s", state.Private)
			}
		})
	}
}

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
