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
	p, service := start(t, nil)
	f := newFile(t, people(3))
	fromFile := prototest.Attributes{"source": prototest.Unknown}
	unknownScope := prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown}
	wantUnknown := func(config prototest.Attributes) prototest.Plan {
		t.Helper()
		p.NoErrors(p.Validate(batchName, config))
		plan, diags := p.Plan(batchName, nil, config)
		p.NoErrors(diags)
		for _, name := range computed {
			if plan.Attributes[name] != prototest.Unknown {
				t.Errorf("of %v, %s is planned as %v", config, name, plan.Attributes[name])
			}
		}

		return plan
	}
	for _, config := range []prototest.Attributes{
		{"content_wo": prototest.Unknown, "content_wo_version": 1},
		{"content_wo": people(1), "content_wo_version": prototest.Unknown},
		f.config(prototest.Attributes{"format": prototest.Unknown}), f.config(prototest.Attributes{"keep_later_choice": prototest.Unknown}),
		f.config(prototest.Attributes{"compare_at_plan": prototest.Unknown}), f.config(prototest.Attributes{"shard": prototest.Unknown}),
		f.config(shard(prototest.Unknown, 2)), f.config(shard(1, prototest.Unknown)), f.config(unknownScope),
	} {
		wantUnknown(config)
	}
	plan := wantUnknown(fromFile)
	p.Reconfigure(prototest.Config(service).With(unknownScope))
	wantUnknown(f.config(nil))

	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"password": prototest.Unknown}))
	known, diags := p.Plan(batchName, nil, f.config(nil))
	p.NoErrors(diags)
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
	state, diags = p.Apply(t.Context(), batchName, nil, plan)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 2, Written: 2})
}

// TestConsentBatch_secondPlanMayFindMore plans a create and a change twice, as their applies do: Terraform
// refuses a second plan in which a known value has changed, or has become unknown. It has to do so where
// the digest is of other rows, or of another place.
func TestConsentBatch_secondPlanMayFindMore(t *testing.T) {
	t.Parallel()
	choose := func(i int, at string) func(*batchTest) { return func(b *batchTest) { chooseFor(b.service, i, at) } }
	another := func(b *batchTest) { b.f.write(strings.ReplaceAll(people(4), "user-3@", "user-5@")) }
	inContent := func(content string) prototest.Attributes {
		return prototest.Attributes{"source": nil, "content_wo": content, "content_wo_version": 1}
	}

	for name, tc := range map[string]struct {
		first, second prototest.Attributes // besides the file
		before, after func(b *batchTest)   // what happens before the first plan, and before the second
		refused       [2]bool              // of a create, and of a change
	}{
		"settings, then drift":         {first: withdrawing, second: withdrawing, after: choose(0, early)},
		"drift, then a later choice":   {before: choose(3, early), after: choose(3, late)},
		"the same rows as written":     {after: func(b *batchTest) { b.f.write(strings.ReplaceAll(people(4), "true", "TRUE")) }},
		"as many other rows":           {after: another, refused: [2]bool{true, true}},
		"another scope":                {second: prototest.Attributes{"account_id": "acct-7"}, refused: [2]bool{true, true}},
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
					plan, diags := b.p.Plan(batchName, b.state, b.f.config(others))
					b.p.NoErrors(diags)
					isReviewed := strings.Contains(strings.Join(diags.Warnings(), "\n"), "would be written")
					if isNew := b.state == nil; isReviewed != isNew { // nothing is read before, as in an apply, which does not warn again
						b.Errorf("the plan warns of %q", diags.Warnings())
					}

					return plan.Attributes
				}

				for _, want := range tc.refused {
					first := plan(tc.before, tc.first)
					second := plan(tc.after, tc.second)
					refused := false
					for _, attribute := range computed {
						refused = refused || first[attribute] != prototest.Unknown && first[attribute] != second[attribute]
					}
					if digest, _ := first["digest"].(string); refused != want || len(digest) != 24 {
						t.Errorf("%v is planned, and then %v", first, second)
					}
					b.f.write(people(4))
					b.state = createdBatch(t, b.p, b.service, b.f.config(nil))
				}
			})
		})
	}
}
