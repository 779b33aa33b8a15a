// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var (
	agreed = prototest.Attributes{"agreement_time": early, "user_ipv6": "2001:db8::1"}
	no     = false
)

// choose returns the record of a choice that the person makes in the service's own banner.
func choose(at string) mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: [5]bool{false, false, false, false, true}, AgreementTime: at, Manual: &no}
}

// refusal returns the record of a person who agrees to nothing, and so has no agreement_time.
func refusal(extra map[string]any) mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: [5]bool{false, false, false, false, true}, Manual: &no, Extra: extra}
}

// untimed holds the forms of a record without a time. Other forms are read as one of them, see
// answer.TestReadConsent_zeroTimeIsNone.
var untimed = map[string]map[string]any{"absent": nil, "null": {"agreement_time": nil}}

func TestConsent_laterChoiceStandsAtCreate(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	service.PutConsent(scope, person, choose(late))
	state, diags := p.Create(name, config(agreed))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "A later choice of the person stands", late, early, "leaves the person's choice as it is")
	wantOperations(t, service, mockserver.OpGetConsent)

	state, planned := wantEmptyPlan(t, p, state, config(agreed))
	prototest.WantText(t, planned.Warnings(), "A later choice of the person stands")
	if state.Attributes["clause_1_consent"] != false || state.Attributes["manual"] != false {
		t.Errorf("state does not show what the person chose: %v", state.Attributes)
	}
}

// TestConsent_choiceBetweenPlanAndApplyStands lets the person choose after a plan that changes
// the object.
func TestConsent_choiceBetweenPlanAndApplyStands(t *testing.T) {
	t.Parallel()
	for form, theirs := range laterRecords() {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, agreed)
			changed := config(agreed).With(prototest.Attributes{"clause_3_consent": true, "agreement_time": middle})
			plan, diags := p.Plan(name, state, changed)
			p.NoErrors(diags)

			service.PutConsent(scope, person, theirs)
			state, diags = p.Apply(t.Context(), name, state, plan)
			wantOperations(t, service, mockserver.OpGetConsent)
			wantHeld(t, service, theirs.Clauses)
			if state == nil {
				t.Fatal("the object is lost")
			}
			if form != laterTime {
				prototest.WantText(t, diags.Errors(), "has no agreement_time", "as it was before")
				return
			}

			p.NoErrors(diags)
			prototest.WantText(t, diags.Warnings(), "A later choice of the person stands", late, middle)
			wantEmptyPlan(t, p, state, changed)
		})
	}
}

// TestConsent_recordOfTheServiceInThePlan plans after the service has another record than the
// one that was written.
func TestConsent_recordOfTheServiceInThePlan(t *testing.T) {
	t.Parallel()
	for label, tc := range soak.SomeOf(3, map[string]struct {
		chosen  mockserver.ConsentRecord
		others  prototest.Attributes // of the configuration
		changes bool
	}{
		"a later choice":                     {choose(late), nil, false},
		"and another clause":                 {choose(late), prototest.Attributes{"clause_3_consent": true}, false},
		"and manual":                         {choose(late), prototest.Attributes{"manual": false}, false},
		"and a time in between":              {choose(late), prototest.Attributes{"agreement_time": middle}, false},
		"and its own time":                   {choose(late), prototest.Attributes{"agreement_time": late}, true},
		"an earlier time":                    {choose("2026-01-31T11:59:59Z"), nil, true},
		"the same time":                      {choose(early), nil, true},
		"the same time of another zone":      {choose("2026-01-31T13:00:00+01:00"), nil, true},
		"the same millisecond":               {choose("2026-01-31T12:00:00.0009Z"), nil, true},
		"a later choice with fields of null": {mockserver.ConsentRecord{AgreementTime: late, Extra: map[string]any{"user_ipv6": nil, "clause_2_consent": nil}}, nil, false},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			state := created(t, p, service, agreed)
			service.PutConsent(scope, person, tc.chosen)
			for range 2 {
				state, _ = p.MustRefresh(name, state)
				plan, diags := p.Plan(name, state, config(agreed).With(tc.others))
				p.NoErrors(diags)
				if plan.Changes != tc.changes || (len(diags) > 0) == tc.changes {
					t.Errorf("changes: %v, warnings: %v", plan.Changes, diags.Warnings())
				}
			}

			// A choice that is taken back is drift again.
			service.PutConsent(scope, person, choose(early))
			state, _ = p.MustRefresh(name, state)
			if plan, _ := p.Plan(name, state, config(agreed)); !plan.Changes {
				t.Error("the plan is empty although no later choice stands any more")
			}
		})
	}
}

// TestConsent_warnsOfWhatIsOverwrittenWithoutATime has no agreement_time configured, so that no
// later choice can be recognised.
func TestConsent_warnsOfWhatIsOverwrittenWithoutATime(t *testing.T) {
	t.Parallel()
	const overwrites = "agreement_time is not set"
	for label, others := range soak.SomeOf(1, map[string]struct {
		config prototest.Attributes
		warns  bool
	}{
		"protected":     {nil, true},
		"said so":       {prototest.Attributes{"keep_later_choice": true}, true},
		"not protected": {prototest.Attributes{"keep_later_choice": false}, false},
	}) {
		for at, chosen := range map[string]mockserver.ConsentRecord{"without a time": refusal(nil), "with a time": choose(late)} {
			t.Run(label+" "+at, func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil)
				config := config(others.config)
				want := func(diags prototest.Diagnostics, verb string) {
					t.Helper()
					p.NoErrors(diags)
					if warnings := diags.Warnings(); others.warns && verb != "" {
						prototest.WantText(t, warnings, overwrites, verb, "clause_1_consent, clause_2_consent", "set agreement_time", "keep_later_choice = false")
					} else if len(warnings) != 0 {
						t.Errorf("it warns: %v", warnings)
					}
				}

				// A new person, and a change of the configuration, overwrite nobody.
				state, diags := p.Create(name, config)
				want(diags, "")
				changed := config.With(prototest.Attributes{"clause_3_consent": true})
				state, _ = p.MustRefresh(name, state)
				state, diags = p.Update(name, state, changed)
				want(diags, "")

				// The plan says what it overwrites, and its apply says it no more.
				service.PutConsent(scope, person, chosen)
				for range 2 {
					state, _ = p.MustRefresh(name, state)
					_, diags = p.Plan(name, state, changed)
					want(diags, "The plan overwrites")
				}
				p.NewRun()
				state, diags = p.Update(name, state, changed)
				want(diags, "")
				wantEmptyPlan(t, p, state, changed)

				// A new object says it of a record that is there.
				p.NewRun()
				_, diags = p.Create(name, changed)
				want(diags, "")
				service.PutConsent(scope, person, chosen)
				p.NewRun()
				_, diags = p.Create(name, changed)
				want(diags, "The apply has overwritten")
			})
		}
	}
}

func TestConsent_agreementTimeAllowsForClocksNotForZones(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)

	for ahead, accepted := range map[time.Duration]bool{
		-time.Hour: true, 0: true, 4 * time.Minute: true,
		6 * time.Minute: false, time.Hour: false, 23 * time.Hour: false, 25 * time.Hour: false,
	} {
		at := time.Now().Add(ahead).UTC().Format(time.RFC3339)
		_, diags := p.Plan(name, nil, config(prototest.Attributes{"agreement_time": at}))
		errors := diags.Errors()
		if accepted {
			if len(errors) != 0 {
				t.Errorf("%v ahead: %v", ahead, errors)
			}
			continue
		}

		prototest.WantText(t, errors, "Not a time of agreement", "lies in the future", "zone", `AttributeName("agreement_time")`)
	}
}

// TestConsent_recordDatedAheadCanBeImported configures what the service holds, as a generated
// configuration does.
func TestConsent_recordDatedAheadCanBeImported(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	ahead := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: configured, AgreementTime: ahead, Manual: new(true)})

	state, diags := p.Import(name, person)
	p.NoErrors(diags)
	generated := config(prototest.Attributes{"agreement_time": ahead})
	p.NoErrors(p.Validate(name, generated))
	wantEmptyPlan(t, p, state, generated)
}
