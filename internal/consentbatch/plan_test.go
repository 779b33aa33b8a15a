// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsentBatch_planWithoutComparisonAsksNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(5))
	config := f.config(prototest.Attributes{"compare_at_plan": false})
	plan, diags := p.Plan(batchName, nil, config)
	p.NoErrors(diags)
	wantRequests(t, service, 0, 0)

	if plan.Attributes["written"] != prototest.Unknown {
		t.Errorf("the plan is %v", plan.Attributes)
	}

	state := createdBatch(t, p, service, config)
	wantResults(t, state, counts{Rows: 5, Written: 5})
	chooseFor(service, 1, early)
	wantEmptyBatchPlan(t, p, state, config)
	wantRequests(t, service, 0, 0)
	f.write(people(6))
	state, diags = p.Update(batchName, state, config)
	p.NoErrors(diags)
	wantRequests(t, service, 6, 2)
	wantResults(t, state, counts{Rows: 6, Written: 2})

	chooseFor(service, 2, late)
	state, diags = p.Update(batchName, state, f.config(prototest.Attributes{"compare_at_plan": false, "keep_later_choice": false}))
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 6, Written: 1})
}

// A file that has changed since the plan is refused before anything is sent, even if the plan
// did not know its digest.
func TestConsentBatch_fileOfOtherLengthThanPlannedIsRefused(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(5))
	plan, diags := p.Plan(batchName, nil, f.config(prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown}))
	p.NoErrors(diags)

	f.write(people(6))
	plan = p.Resolve(batchName, plan, f.config(prototest.Attributes{"org_id": scope.OrgID, "project_id": scope.ProjectID}))
	_, diags = p.Apply(t.Context(), batchName, nil, plan)
	prototest.WantText(t, diags.Errors(), "since the plan")
	wantRequests(t, service, 0, 0)
}

func TestConsentBatch_unknownValuesAreCheckedByTheApply(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	plan, diags := p.Plan(batchName, nil, prototest.Attributes{"source": prototest.Unknown})
	p.NoErrors(diags)
	wantRequests(t, service, 0, 0)

	for _, name := range []string{"digest", "rows", "kept", "written", "missing"} {
		if plan.Attributes[name] != prototest.Unknown {
			t.Errorf("%s is planned as %v", name, plan.Attributes[name])
		}
	}

	f := newFile(t, batchHeader+"x\n")
	plan = p.Resolve(batchName, plan, f.config(nil))
	state, diags := p.Apply(t.Context(), batchName, nil, plan)
	prototest.WantText(t, diags.Errors(), "Unusable rows", "line 2: the row has 1 cells", "In state now: nothing")
	if state != nil {
		t.Error("there is state")
	}

	f.write(people(2))
	state, diags = p.Apply(t.Context(), batchName, nil, plan)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 2, Written: 2})
}

func TestConsentBatch_refusesAnotherFileThanThePlannedOne(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	first, diags := p.Plan(batchName, nil, f.config(nil))
	p.NoErrors(diags)
	state := createdBatch(t, p, service, f.config(nil))
	f.write(strings.ReplaceAll(people(3), "user-2@", "user-5@")) // as many rows, another person
	if none, diags := p.Apply(t.Context(), batchName, nil, first); none != nil {
		t.Error("there is state")
	} else {
		prototest.WantText(t, diags.Errors(), "not those that were planned", "In state now: nothing")
	}

	f.write(people(4))
	second, diags := p.Plan(batchName, state, f.config(nil))
	p.NoErrors(diags)
	service.Reset()
	if none, diags := p.Apply(t.Context(), batchName, nil, first); none != nil {
		t.Error("there is state")
	} else {
		prototest.WantText(t, diags.Errors(), "not those that were planned", "In state now: nothing")
	}

	f.write(strings.ReplaceAll(people(4), "user-3@", "user-5@")) // as many rows, another person
	after, diags := p.Apply(t.Context(), batchName, state, second)
	prototest.WantText(t, diags.Errors(), "not those that were planned", "In state now: this object as it was before")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}

	wantRequests(t, service, 0, 0)
}

func TestConsentBatch_settingsAloneSendNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	state := createdBatch(t, p, service, f.config(nil))
	after, diags := p.Update(batchName, state, f.config(prototest.Attributes{"on_destroy": "withdraw"}))
	p.NoErrors(diags)
	wantRequests(t, service, 3, 0)                     // the comparison of the plan
	wantResults(t, after, counts{Rows: 3, Written: 3}) // those of the last apply that had anything to do

	if after.Attributes["digest"] != state.Attributes["digest"] || after.Attributes["on_destroy"] != "withdraw" {
		t.Errorf("the state is %v", after.Attributes)
	}

	chooseFor(service, 1, early)
	after, diags = p.Update(batchName, after, f.config(prototest.Attributes{"on_destroy": "withdraw"}))
	p.NoErrors(diags)
	wantResults(t, after, counts{Rows: 3, Written: 1})
}

// TestConsentBatch_secondPlanMayFindMore plans twice, as an apply does: Terraform
// refuses a second plan in which a known value has changed.
func TestConsentBatch_secondPlanMayFindMore(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(4))
	state := createdBatch(t, p, service, f.config(nil))
	drift := func(i int) func() { return func() { chooseFor(service, i, early) } }

	for _, tc := range []struct {
		name          string
		others        prototest.Attributes
		before, after func()
	}{
		{"settings, then drift", prototest.Attributes{"on_destroy": "withdraw"}, func() {}, drift(0)},
		{"drift, then more of it", nil, drift(1), drift(2)},
		{"drift, then a later choice", nil, drift(3), func() { chooseFor(service, 3, late) }},
	} {
		tc.before()
		first, diags := p.Plan(batchName, state, f.config(tc.others))
		p.NoErrors(diags)
		tc.after()
		second, diags := p.Plan(batchName, state, f.config(tc.others))
		p.NoErrors(diags)

		for _, attribute := range []string{"digest", "rows", "kept", "written", "missing"} {
			if planned := first.Attributes[attribute]; planned != prototest.Unknown && planned != second.Attributes[attribute] {
				t.Errorf("%s: %s was planned as %v and then as %v", tc.name, attribute, planned, second.Attributes[attribute])
			}
		}
	}
}

// TestConsentBatch_digestOfACreateIsPlanned checks that two plans of one create have the
// same digest, that it depends on the path of the file, and that state holds it.
func TestConsentBatch_digestOfACreateIsPlanned(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f, other := newFile(t, people(2)), newFile(t, people(2))
	digest := func(config prototest.Attributes) string {
		plan, diags := p.Plan(batchName, nil, config)
		p.NoErrors(diags)
		text, _ := plan.Attributes["digest"].(string)
		if !strings.HasPrefix(text, "pbkdf2-sha256$200000$") || strings.Count(text, "$") != 3 {
			t.Errorf("the digest is %v", plan.Attributes["digest"])
		}

		return text
	}

	first := digest(f.config(nil))
	if second := digest(f.config(nil)); second != first {
		t.Errorf("two plans of one create say %s and %s", first, second)
	}
	if state := createdBatch(t, p, service, f.config(nil)); state.Attributes["digest"] != first {
		t.Errorf("planned was %s, and in state is %v", first, state.Attributes["digest"])
	}

	for name, config := range map[string]prototest.Attributes{
		"another path":  other.config(nil),
		"another scope": f.config(prototest.Attributes{"account_id": "acct-7"}),
	} {
		if digest(config) == first {
			t.Errorf("%s: the same content has the same digest", name)
		}
	}

	f.write(strings.ReplaceAll(people(2), "user-1@", "user-5@"))
	if digest(f.config(nil)) == first {
		t.Error("another content of as many rows has the same digest")
	}
}

// TestConsentBatch_timeToThePrecisionThatTheServiceKeeps has times with more digits than the
// service keeps. What was written is in place, and what is agreed to later is written over it.
func TestConsentBatch_timeToThePrecisionThatTheServiceKeeps(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]func(at time.Time) time.Time{
		"seconds, cut":      func(at time.Time) time.Time { return at.Truncate(time.Second) },
		"seconds, rounded":  func(at time.Time) time.Time { return at.Round(time.Second) },
		"milliseconds, cut": func(at time.Time) time.Time { return at.Truncate(time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, func(s *mockserver.Server) {
				s.ReshapeConsents(func(r map[string]any) any {
					text, _ := r["agreement_time"].(string)
					at, err := time.Parse(time.RFC3339Nano, text)
					if err != nil {
						t.Error(err)
					}
					r["agreement_time"] = keep(at).Format(time.RFC3339Nano)

					return r
				})
			})
			f := newFile(t, batchHeader+rowOf(0, "2026-02-15T12:00:00.6129994Z"))
			state := createdBatch(t, p, service, f.config(nil))
			p.NewRun()
			if diags := wantEmptyBatchPlan(t, p, state, f.config(nil)); len(diags) != 0 {
				t.Errorf("warnings: %v", diags.Warnings())
			}

			f.write(batchHeader + strings.Replace(rowOf(0, "2026-02-15T12:00:01.6129994Z"), "false", "true", 1))
			state, diags := p.Update(batchName, state, f.config(nil))
			p.NoErrors(diags)
			wantRow(t, service, 0, [5]bool{true, true, true, true, true})
			p.NewRun()
			if diags := wantEmptyBatchPlan(t, p, state, f.config(nil)); len(diags) != 0 {
				t.Errorf("warnings: %v", diags.Warnings())
			}
		})
	}
}
