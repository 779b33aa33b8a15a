// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

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

// TestConsentBatch_refusesAnotherFileThanThePlannedOne changes the file after the plan, also where
// the plan did not know its digest.
func TestConsentBatch_refusesAnotherFileThanThePlannedOne(t *testing.T) {
	t.Parallel()
	another := strings.ReplaceAll(people(3), "user-2@", "user-5@") // as many rows, another person
	unscoped := prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown}

	for name, tc := range map[string]struct {
		exists  bool
		planned prototest.Attributes // besides the file
		content string               // at the apply
		inState string
	}{
		"a create":              {false, nil, another, "nothing"},
		"a create of more rows": {false, unscoped, people(4), "nothing"},
		"a change":              {true, nil, another, "this resource as it was before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			f := newFile(t, people(2))
			var state *prototest.State
			if tc.exists {
				state = createdBatch(t, p, service, f.config(nil))
			}

			f.write(people(3))
			plan, diags := p.Plan(batchName, state, f.config(tc.planned))
			p.NoErrors(diags)
			service.Reset()
			f.write(tc.content)
			if tc.planned != nil {
				plan = p.Resolve(batchName, plan, f.config(prototest.Attributes{"org_id": scope.OrgID, "project_id": scope.ProjectID}))
			}

			after, diags := p.Apply(t.Context(), batchName, state, plan)
			prototest.WantText(t, diags.Errors(), "not those that were planned", "In state now: "+tc.inState)
			if (after != nil) != tc.exists || tc.exists && !cmp.Equal(state.Attributes, after.Attributes) {
				t.Errorf("the state is %v", after)
			}
			wantRequests(t, service, 0, 0)
		})
	}
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

// TestConsentBatch_digestIsOfTheRowsAndTheirPlace plans a create and a change twice, as their
// applies do. The second plan has the same digest only of the same rows in the same place.
func TestConsentBatch_digestIsOfTheRowsAndTheirPlace(t *testing.T) {
	t.Parallel()
	others := strings.ReplaceAll(people(4), "user-3@", "user-5@")

	for name, tc := range map[string]struct {
		content string
		config  prototest.Attributes // besides the content
		isSame  [2]bool              // of a create, and of a change
	}{
		"the same rows":            {people(4), nil, [2]bool{true, true}},
		"the same rows as written": {strings.ReplaceAll(people(4), "true", "TRUE"), nil, [2]bool{true, true}},
		"as many other rows":       {others, nil, [2]bool{false, false}},
		"another scope":            {people(4), prototest.Attributes{"account_id": "acct-7"}, [2]bool{false, false}},
		"another path":             {people(4), prototest.Attributes{"source": newFile(t, people(4)).path}, [2]bool{false, true}},
	} {
		for _, source := range []string{"source", "content_wo"} {
			if source == "content_wo" && tc.config["source"] != nil {
				continue
			}
			t.Run(name+" in "+source, func(t *testing.T) {
				t.Parallel()
				inBatch(t, people(3), nil, func(t *testing.T, b *batchTest) {
					digest := func(content string, more prototest.Attributes) any {
						config := prototest.Attributes{"content_wo": content, "content_wo_version": 1}.With(more)
						if source == "source" {
							b.f.write(content)
							config = b.f.config(more)
						}
						b.p.NewRun()
						plan, diags := b.p.Plan(batchName, b.state, config)
						b.p.NoErrors(diags)

						return plan.Attributes["digest"]
					}

					for i, isSame := range tc.isSame {
						planned, _ := digest(people(4), nil).(string)
						if again := digest(tc.content, tc.config); (again == planned) != isSame || !strings.HasPrefix(planned, "pbkdf2-sha256$200000$") {
							t.Errorf("in plan %d, %q is planned, and then %v", i, planned, again)
						}
						b.f.write(people(3))
						b.create(nil)
					}
				})
			})
		}
	}
}
