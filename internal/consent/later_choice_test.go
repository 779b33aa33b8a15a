// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"maps"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

var (
	agreed = prototest.Attributes{"agreement_time": early, "user_ipv6": "2001:db8::1"}
	no     = false
)

// choose returns the record of a choice that the person makes in the service's own banner.
func choose(at string) mockserver.ConsentRecord {
	return mockserver.ConsentRecord{Clauses: [5]bool{false, false, false, false, true}, AgreementTime: at, Manual: &no}
}

func TestConsent_laterChoiceStandsAtCreate(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	service.PutConsent(scope, person, choose(late))
	state, diags := p.Create(name, config(agreed))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "A later choice of the person stands", late, early, "leaves the person's choice as it is")
	wantOperations(t, service, mockserver.OpGetConsent)
	wantHeld(t, service, choose(late).Clauses)

	service.Reset()
	for range 3 {
		var planned prototest.Diagnostics
		state, planned = wantEmptyPlan(t, p, state, config(agreed))
		prototest.WantText(t, planned.Warnings(), "A later choice of the person stands", "leaves the person's choice as it is")
		if state.Attributes["clause_1_consent"] != false || state.Attributes["manual"] != false {
			t.Errorf("state does not show what the person chose: %v", state.Attributes)
		}
	}

	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpGetConsent, mockserver.OpGetConsent)
}

func TestConsent_laterChoiceStandsWhateverElseChanges(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, agreed)
	service.PutConsent(scope, person, choose(late))
	state, _ = wantEmptyPlan(t, p, state, config(agreed))

	for label, others := range map[string]prototest.Attributes{
		"another clause":    {"clause_3_consent": true},
		"manual":            {"manual": false},
		"a time in between": {"agreement_time": middle},
		"the same instant":  {"agreement_time": late},
	} {
		plan, diags := p.Plan(name, state, config(agreed).With(others))
		p.NoErrors(diags)
		if label == "the same instant" {
			if !plan.Changes {
				t.Error("a configuration of the same time does not count as later")
			}
			continue
		}

		if plan.Changes {
			t.Errorf("%s: the plan is not empty", label)
		}

		prototest.WantText(t, diags.Warnings(), "A later choice of the person stands")
	}
}

func TestConsent_laterChoiceBetweenPlanAndApplyStands(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, agreed)
	changed := config(agreed).With(prototest.Attributes{"clause_3_consent": true, "agreement_time": middle})
	plan, diags := p.Plan(name, state, changed)
	p.NoErrors(diags)
	service.PutConsent(scope, person, choose(late))
	state, diags = p.Apply(t.Context(), name, state, plan)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "A later choice of the person stands", late, middle)
	wantOperations(t, service, mockserver.OpGetConsent)
	wantHeld(t, service, choose(late).Clauses)
	wantEmptyPlan(t, p, state, changed)
}

func TestConsent_laterChoiceThatLeavesFieldsOutKeepsThePlanEmpty(t *testing.T) {
	t.Parallel()
	for label, extra := range map[string]map[string]any{
		"absent": nil,
		"null":   {"user_ipv6": nil, "clause_2_consent": nil},
	} {
		p, service := start(t, nil, func(s *mockserver.Server) {
			s.ReshapeConsents(func(r map[string]any) any {
				if r["agreement_time"] == late {
					maps.Copy(r, extra)
				}
				return r
			})
		})

		state := created(t, p, service, agreed)
		service.PutConsent(scope, person, choose(late))
		for range 3 {
			state, _ = wantEmptyPlan(t, p, state, config(agreed))
		}

		if t.Failed() {
			t.Fatalf("with fields that are %s", label)
		}
		if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
			t.Errorf("%d writes", n)
		}
	}
}

func TestConsent_earlierOrEqualTimeIsDriftAndNotAChoice(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"2026-01-31T11:59:59Z", early, "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00.0009Z"} {
		p, service := start(t, nil)
		state := created(t, p, service, agreed)
		service.PutConsent(scope, person, choose(at))
		state, diags := p.Refresh(name, state)
		p.NoErrors(diags)
		plan, diags := p.Plan(name, state, config(agreed))
		p.NoErrors(diags)

		if !plan.Changes || len(diags) != 0 {
			t.Errorf("%s: changes %v, warnings %v", at, plan.Changes, diags.Warnings())
		}
	}
}

func TestConsent_choiceThatIsTakenBackIsDriftAgain(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, agreed)
	service.PutConsent(scope, person, choose(late))
	state, _ = wantEmptyPlan(t, p, state, config(agreed))
	service.PutConsent(scope, person, choose(early))
	state, diags := p.Refresh(name, state)
	p.NoErrors(diags)
	if plan, _ := p.Plan(name, state, config(agreed)); !plan.Changes {
		t.Error("the plan is empty although no later choice stands any more")
	}
}

// TestConsent_warnsOfWhatIsOverwrittenWithoutATime has no agreement_time configured, so that no
// later choice can be recognised.
func TestConsent_warnsOfWhatIsOverwrittenWithoutATime(t *testing.T) {
	t.Parallel()
	const overwrites = "No time to compare a later choice with"
	for label, others := range map[string]struct {
		config prototest.Attributes
		warns  bool
	}{
		"protected":     {nil, true},
		"said so":       {prototest.Attributes{"keep_later_choice": true}, true},
		"not protected": {prototest.Attributes{"keep_later_choice": false}, false},
	} {
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
