// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// computed are the attributes that an apply decides.
var computed = []string{"digest", "rows", "kept", "written", "missing"}

// TestConsentBatch_unknownValuesAreCheckedByTheApply has values that are known only after apply, and
// then a password of the provider. The plan asks the service nothing.
func TestConsentBatch_unknownValuesAreCheckedByTheApply(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	f := newFile(t, people(3))
	unknownScope := prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown}
	wantUnknown := func(config prototest.Attributes) prototest.Plan {
		t.Helper()
		p.NoErrors(p.Validate(batchName, config))
		plan, _ := p.MustPlan(batchName, nil, config)
		for _, name := range computed {
			if plan.Attributes[name] != prototest.Unknown {
				t.Errorf("of %v, %s is planned as %v", config, name, plan.Attributes[name])
			}
		}

		return plan
	}
	for _, name := range []string{"format", "keep_later_choice", "compare_at_plan", "shard", "org_id"} {
		wantUnknown(f.config(prototest.Attributes{"project_id": "web", "org_id": "org-demo", name: prototest.Unknown}))
	}
	wantUnknown(prototest.Attributes{"content_wo": prototest.Unknown, "content_wo_version": 1})
	plan := wantUnknown(prototest.Attributes{"source": prototest.Unknown})
	p.Reconfigure(prototest.Config(service).With(unknownScope))
	wantUnknown(f.config(nil))

	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"password": prototest.Unknown}))
	known, _ := p.MustPlan(batchName, nil, f.config(nil))
	if known.Attributes["rows"] != 3.0 || known.Attributes["written"] != prototest.Unknown {
		t.Errorf("planned is %v", known.Attributes)
	}
	wantRequests(t, service, 0, 0)

	p.Reconfigure(prototest.Config(service))
	plan = plan.Resolve(f.config(nil))
	f.write(batchHeader + "x\n")
	state, diags := p.Apply(t.Context(), batchName, nil, plan)
	prototest.WantText(t, diags.Errors(), "The rows cannot be read", "line 2: the row has 1 cells", "In state now: nothing")
	if state != nil {
		t.Error("there is state")
	}
	f.write(people(2))
	state, _ = p.Apply(t.Context(), batchName, nil, plan)
	wantResults(t, state, counts{Rows: 2, Written: 2})
}

// TestConsentBatch_secondPlanMayFindMore plans a create and a change twice, as their applies do: Terraform
// refuses a second plan in which a known value has changed, or has become unknown. It has to do so where
// the digest is of other rows, or of another place.
func TestConsentBatch_secondPlanMayFindMore(t *testing.T) {
	t.Parallel()
	another := func(b *batchTest) { b.f.write(strings.ReplaceAll(people(4), "user-3@", "user-5@")) }
	inContent := func(content string) prototest.Attributes {
		return prototest.Attributes{"source": nil, "content_wo": content, "content_wo_version": 1}
	}

	for name, tc := range map[string]struct {
		first, second prototest.Attributes // besides the file
		before, after func(b *batchTest)   // what happens before the first plan, and before the second
		refused       bool
	}{
		"settings, then drift":         {first: withdrawing, second: withdrawing, after: choosing(early, 0)},
		"drift, then a later choice":   {before: choosing(early, 3), after: choosing(late, 3)},
		"the same rows as written":     {after: func(b *batchTest) { b.f.write(strings.ReplaceAll(people(4), "true", "TRUE")) }},
		"as many other rows":           {after: another, refused: true},
		"another scope":                {second: prototest.Attributes{"account_id": "acct-7"}, refused: true},
		"another path":                 {first: withdrawing, second: withdrawing.With(prototest.Attributes{"source": newFile(t, people(4)).path})},
		"the same rows, in content_wo": {first: inContent(people(4)), second: inContent(people(4) + "\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBatch(t, people(4), nil, func(t *testing.T, b *batchTest) {
				plan := func(happens func(*batchTest), others prototest.Attributes) prototest.Attributes {
					if happens != nil {
						happens(b)
					}
					b.p.NewRun()
					plan, diags := b.p.MustPlan(batchName, b.state, b.f.config(others))
					isReviewed := strings.Contains(strings.Join(diags.Warnings(), "\n"), "would be written")
					if isNew := b.state == nil; isReviewed != isNew { // nothing is read before, as in an apply, which does not warn again
						b.Errorf("the plan warns of %q", diags.Warnings())
					}

					return plan.Attributes
				}

				for range 2 { // a create, and a change
					first := plan(tc.before, tc.first)
					second := plan(tc.after, tc.second)
					refused := false
					for _, attribute := range computed {
						refused = refused || first[attribute] != prototest.Unknown && first[attribute] != second[attribute]
					}
					if digest, _ := first["digest"].(string); refused != tc.refused || len(digest) != 20 {
						t.Errorf("%v is planned, and then %v", first, second)
					}
					b.f.write(people(4))
					b.state = createdBatch(t, b.p, b.service, b.f.config(nil))
				}
			})
		})
	}
}

// TestConsentBatch_overlapIsShownInThePlan has two batches and two single objects of one run.
func TestConsentBatch_overlapIsShownInThePlan(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	first, second := newFile(t, people(5)), newFile(t, batchHeader+rowOf(9, middle)+rowOf(3, middle)+rowOf(4, middle))
	state := createdBatch(t, p, service, first.config(nil))
	one, _ := p.MustUpdate(singleName, nil, single(9, nil))
	two, diags := p.MustUpdate(singleName, nil, single(9, nil)) // no plan of a create can tell
	prototest.WantText(t, diags.Warnings(), "Two resources manage the consent of one person")

	for label, tc := range map[string]struct {
		object string
		state  *prototest.State
		config prototest.Attributes
		with   string
	}{
		"the batch itself":  {batchName, state, first.config(nil), ""},
		"another batch":     {batchName, nil, second.config(uncompared), `analytics_consent_batch with source "` + first.path + `" (2): lines 3, 4`},
		"an object":         {batchName, nil, second.config(nil), "\nanalytics_consent (1): line 2"},
		"other people":      {batchName, nil, first.config(prototest.Attributes{"account_id": "acct-7"}), ""},
		"the object itself": {singleName, one, single(9, nil), ""},
		"another object":    {singleName, two, single(9, nil), "\nanalytics_consent, in the scope org_id = \"org-demo\""},
	} {
		_, diags := p.MustPlan(tc.object, tc.state, tc.config)
		text := strings.Join(diags.Warnings(), "\n")
		if isSaid := strings.Contains(text, "Two resources manage"); isSaid != (tc.with != "") || !strings.Contains(text, tc.with) || strings.Contains(text, "@example.com") {
			t.Errorf("%s: the plan says %s, want %q", label, text, tc.with)
		}
	}
}

// TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt destroys an object in a plan that
// leaves another object of the same people as it is.
func TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	f := newFile(t, people(3))
	batch := createdBatch(t, p, service, f.config(withdrawing))
	p.NewRun()
	sibling := createdBatch(t, p, service, f.config(nil))
	one, _ := p.MustUpdate(singleName, nil, single(1, withdrawing))
	two, _ := p.MustUpdate(singleName, nil, single(1, withdrawing))
	type object struct {
		name   string
		state  *prototest.State
		config prototest.Attributes // nil for its end
	}
	errorsOf := func(o object) []string {
		_, diags := p.Plan(o.name, o.state, o.config)
		return diags.Errors()
	}

	for label, both := range map[string][2]object{
		"a batch of the same file": {{batchName, batch, nil}, {batchName, sibling, f.config(nil)}},
		"an object of one person":  {{batchName, batch, nil}, {singleName, one, single(1, withdrawing)}},
		"two objects of a person":  {{singleName, one, nil}, {singleName, two, single(1, withdrawing)}},
		"the batch of a person":    {{singleName, one, nil}, {batchName, batch, f.config(withdrawing)}},
	} {
		for first := range both {
			p.NewRun()
			if errors := errorsOf(both[first]); len(errors) > 0 {
				t.Errorf("%s, %d first: %q", label, first, errors)
			}
			prototest.WantText(t, errorsOf(both[1-first]), "Another resource keeps the consent to be withdrawn", `on_destroy = "retain"`)
		}
	}

	// Nothing is refused where the other object writes in the same run.
	p.NewRun()
	p.MustPlan(batchName, batch, nil)
	p.MustPlan(singleName, one, single(1, prototest.Attributes{"clause_3_consent": true}))

	// It does not while a choice stands.
	p.NewRun()
	chooseFor(service, 1, late)
	two, _ = p.MustRefresh(singleName, two)
	p.MustPlan(singleName, one, nil)
	prototest.WantText(t, errorsOf(object{singleName, two, single(1, prototest.Attributes{"clause_3_consent": true})}), "Another resource keeps the consent to be withdrawn")
}
