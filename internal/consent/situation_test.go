// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// The warnings of an object whose person has another record than was written.
const (
	laterStands   = "A later choice of the person stands"
	untimedStands = "A choice that cannot be compared stands"
)

// own returns the record that the service has after withdrawing was applied, with other fields.
func own(others prototest.Attributes) mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: early, Manual: new(true), Extra: others}
}

// situation is an object that exists, and what the service holds of its person by now.
type situation struct {
	applied  prototest.Attributes // by an earlier run, beside withdrawing
	imported bool                 // in place of that
	holds    mockserver.ConsentRecord
	config   prototest.Attributes // of now, beside what was applied

	state   prototest.Attributes // some attributes after a refresh
	says    string               // the warning of a plan; empty: none
	changes bool                 // the plan changes the object
	unsent  bool                 // by nothing that is sent
	stands  bool                 // a destroy before the change leaves the record as it is
}

var (
	fraction  = prototest.Attributes{"agreement_time": "2026-01-31T12:00:00.6Z"}
	zoned     = prototest.Attributes{"agreement_time": "2026-01-31T13:00:00+01:00"}
	withoutIt = prototest.Attributes{"agreement_time": nil}
	overrules = prototest.Attributes{"keep_later_choice": false}
	protects  = prototest.Attributes{"keep_later_choice": true}

	atEarly        = prototest.Attributes{"agreement_time": early}
	withoutAddress = prototest.Attributes{"user_ipv6": nil}
	cutAddress     = prototest.Attributes{"user_ipv6": "192.0.2.xxx"}

	untimed = mockserver.ConsentRecord{Clauses: configured, UserIPv6: new("2001:db8::1"), Manual: new(true)}

	theirs = prototest.Attributes{
		"clause_1_consent": false, "clause_2_consent": false, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": true, "manual": false,
	}
)

// version returns an address that is written only.
func version(n int) prototest.Attributes {
	return prototest.Attributes{"user_ipv6": nil, "user_ipv6_wo": "192.0.2.7", "user_ipv6_wo_version": n}
}

var situations = map[string]situation{
	"a later choice":                    {holds: choose(late), says: laterStands, stands: true},
	"a later choice, a time in between": {holds: choose(late), config: prototest.Attributes{"agreement_time": middle}, says: laterStands, stands: true},
	"a later choice, its own time":      {holds: choose(late), config: prototest.Attributes{"agreement_time": late}, says: laterStands, stands: true}, // as with ignore_changes
	"a later choice, a time after it":   {holds: choose(late), config: prototest.Attributes{"agreement_time": "2026-04-01T12:00:00Z"}, changes: true, stands: true},
	"a later choice, overruled":         {holds: choose(late), config: overrules, changes: true, stands: true},
	"a choice without a time":           {holds: refusal(), says: untimedStands, stands: true},
	"a later choice with fields of null": {
		holds: mockserver.ConsentRecord{AgreementTime: late, Extra: map[string]any{"user_ipv6": nil, "clause_2_consent": nil}}, says: laterStands, stands: true,
	},

	"a later choice, taken over":     {holds: choose(late), config: theirs.With(prototest.Attributes{"agreement_time": late}), stands: true},
	"a later choice, but for manual": {holds: choose(late), config: theirs.With(prototest.Attributes{"agreement_time": late, "manual": true}), changes: true, stands: true},

	// The choice stands in a plan that changes the object.
	"a later choice, an address is added": {applied: withoutAddress, holds: choose(late), config: agreed, says: laterStands, changes: true, stands: true},
	"a later choice, protected late":      {applied: overrules, holds: choose(late), config: protects, says: laterStands, changes: true},
	"a later choice, the time goes":       {holds: choose(late), config: withoutIt, says: laterStands, changes: true, stands: true},
	"a later choice, another version":     {applied: version(1), holds: choose(late), config: version(2), says: laterStands, stands: true},

	"a later choice, imported":          {imported: true, holds: choose(late), state: prototest.Attributes{"clause_1_consent": false}, says: laterStands, changes: true, stands: true},
	"a refusal of all, imported":        {imported: true, holds: mockserver.ConsentRecord{}, state: prototest.Attributes{"clause_1_consent": false}, says: untimedStands, changes: true, stands: true},
	"a later choice, imported, no time": {imported: true, holds: choose(late), config: withoutIt, says: untimedStands, changes: true, stands: true},

	// Drift.
	"the same time":      {holds: choose(early), changes: true},
	"an address of null": {holds: own(prototest.Attributes{"user_ipv6": nil}), changes: true},
	"a clause of null":   {holds: own(prototest.Attributes{"clause_2_consent": nil}), changes: true},
	"a clause of null, no time": {
		applied: withoutIt, holds: mockserver.ConsentRecord{Clauses: configured, Extra: prototest.Attributes{"clause_2_consent": nil}}, says: untimedStands, stands: true,
	},

	// What the service stores instead is stored as it is, and stops nothing.
	"an address without its end": {holds: own(cutAddress), state: cutAddress, changes: true},
	"a time before 2000":         {holds: own(prototest.Attributes{"agreement_time": "1999-12-31T00:00:00Z"}), state: atEarly}, // it does not count
	"microseconds":               {holds: own(prototest.Attributes{"agreement_time": "2026-01-31T12:00:00.000123Z"}), state: atEarly},

	// Nothing has changed.
	"five clauses alone": {holds: mockserver.ConsentRecord{Clauses: configured}},
	"manual of null":     {holds: own(prototest.Attributes{"manual": nil})},
	"an address in full": {holds: own(prototest.Attributes{"user_ipv6": "2001:DB8:0::1", "agreement_time": "2026-01-31T14:00:00+02:00"}), state: agreed},
	"another spelling":   {holds: own(nil), config: zoned.With(prototest.Attributes{"user_ipv6": "2001:DB8:0::1"})},
	"an address and a time that are no longer managed": {holds: own(nil), config: withoutIt.With(withoutAddress), changes: true, unsent: true},

	// The service keeps times to the second.
	"a fraction that is cut":      {applied: fraction, holds: own(nil), state: fraction},
	"a fraction that is rounded":  {applied: fraction, holds: own(prototest.Attributes{"agreement_time": "2026-01-31T12:00:01Z"}), state: fraction},
	"a choice in the same second": {applied: fraction, holds: choose(early), says: untimedStands, stands: true},

	// Without an agreement_time, nothing can be compared. What is known to be ours can be changed, and
	// given a time.
	"no time configured, another clause": {applied: withoutIt, holds: untimed, config: prototest.Attributes{"clause_3_consent": true}, changes: true},
	"a time is configured":               {applied: withoutIt, holds: untimed, config: atEarly.With(prototest.Attributes{"clause_3_consent": true}), changes: true},
	"no time configured":                 {applied: withoutIt, holds: choose(late), says: untimedStands, stands: true},
}

// TestConsent_situations destroys an object that is not refreshed, and one that is refreshed
// twice, or was imported. The latter is planned, and changed in place of that. A run that writes leaves nothing to
// say, and an empty plan; where the choice stands, it does so once more when the object goes.
func TestConsent_situations(t *testing.T) {
	t.Parallel()
	for label, tc := range situations {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			destroys := func(state *prototest.State, stands bool) {
				before, _ := service.Consent(scope, person)
				p.NewRun()
				_, diags := p.Update(name, state, nil)
				p.NoErrors(diags)
				if stands {
					wantRecord(t, service, before)
					return
				}
				wantWarning(t, diags, "")
				wantHeld(t, service, [5]bool{})
			}

			state := created(t, p, service, withdrawing.With(tc.applied))
			service.PutConsent(scope, person, tc.holds)
			if tc.imported {
				state, _ = p.Import(name, person, nil)
			}
			if tc.stands && !tc.imported {
				wantStanding(t, p, service, state, config(withdrawing.With(tc.applied)))
			}
			destroys(state, tc.stands)

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
			if tc.stands && !tc.imported {
				wantOpen(t, p, service, state, wanted)
			}
			service.PutConsent(scope, person, tc.holds)
			destroys(state, tc.stands)

			p.NewRun()
			service.PutConsent(scope, person, tc.holds)
			service.Reset()
			left := tc.says == laterStands || tc.says == untimedStands
			state, diags := p.Update(name, state, wanted)
			wantWarning(t, diags, map[bool]string{true: tc.says}[left])
			if n := service.Count(mockserver.OpUpdateConsent); (n == 1) != (tc.changes && !left && !tc.unsent) {
				t.Errorf("%d updates were sent", n)
			}
			wantWarning(t, p.WantEmptyPlan(name, state, wanted), map[bool]string{true: tc.says}[left])
			state, diags = wantEmptyPlan(t, p, state, wanted)
			wantWarning(t, diags, map[bool]string{true: tc.says}[left])
			if left {
				destroys(state, true)
				return
			}

			var clauses [5]bool
			for i, name := range decode.ClauseNames {
				clauses[i] = wanted[name] == true
			}
			wantHeld(t, service, clauses)
		})
	}
}

// wantStanding fails the test unless the choice stands in an update that no refresh has prepared, as with
// -refresh=false.
func wantStanding(t *testing.T, p *prototest.Provider, service *mocktest.Instance, state *prototest.State, applied prototest.Attributes) {
	t.Helper()
	before, _ := service.Consent(scope, person)
	_, diags := p.MustUpdate(name, state, applied.With(prototest.Attributes{"clause_3_consent": true}))
	prototest.WantText(t, diags.Warnings(), "stands", "Nothing is written")
	wantRecord(t, service, before)
}

// wantOpen fails the test unless a plan needs to know what a choice stands against, and the choice is
// drift once the service shows it no longer.
func wantOpen(t *testing.T, p *prototest.Provider, service *mocktest.Instance, state *prototest.State, wanted prototest.Attributes) {
	t.Helper()
	for _, attribute := range []string{"agreement_time", "keep_later_choice"} {
		_, diags := p.Plan(name, state, wanted.With(prototest.Attributes{attribute: prototest.Unknown}))
		prototest.WantText(t, diags.Errors(), "The plan cannot tell whether the later choice still stands", `AttributeName("agreement_time")`)
	}

	service.PutConsent(scope, person, choose("2026-01-30T12:00:00Z"))
	state, _ = p.MustRefresh(name, state)
	if plan, _ := p.Plan(name, state, wanted); !plan.Changes && wanted["agreement_time"] != nil {
		t.Error("the plan is empty although no choice stands any more")
	}
}

// A state that was written by hand has no private part, which tells whose choice it holds.
func TestConsent_choiceStandsWithoutPrivateState(t *testing.T) {
	t.Parallel()
	for says, record := range map[string]mockserver.ConsentRecord{laterStands: choose(late), untimedStands: refusal()} {
		p, service := start(t, nil)
		state := created(t, p, service, agreed)
		service.PutConsent(scope, person, record)
		state, _ = p.MustRefresh(name, state)

		state.Private = nil
		p.WantEmptyPlan(name, state, config(agreed)) // as with -refresh=false
		p.NewRun()
		_, diags := wantEmptyPlan(t, p, state, config(agreed))
		wantWarning(t, diags, says)
	}
}
