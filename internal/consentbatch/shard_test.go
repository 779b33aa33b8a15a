// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// shard returns the configuration of one shard.
func shard(index, count any) prototest.Attributes {
	return prototest.Attributes{"shard": prototest.Attributes{"index": index, "count": count}}
}

// rowsIn returns the number of rows in the states of shards.
func rowsIn(states []*prototest.State) (sum float64) {
	for _, state := range states {
		if n, known := state.Attributes["rows"].(float64); known {
			sum += n
		}
	}
	return sum
}

// wantEachOnce fails the test unless the service has carried out one update for each of n
// rows, and holds what is configured.
func wantEachOnce(t *testing.T, service *mocktest.Instance, n int) {
	t.Helper()
	updates := written(service)

	for i := range n {
		if updates[userName(i)] != 1 {
			t.Errorf("row %d was written %d times", i, updates[userName(i)])
		}
		wantRow(t, service, i, configured)
	}
}

// TestConsentBatch_changedCountMovesRows changes two shards into three. Only what moves is
// compared by another object than before, and the service keeps everything.
func TestConsentBatch_changedCountMovesRows(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(12))
	var states []*prototest.State
	for index := range 2 {
		states = append(states, createdBatch(t, p, service, f.config(shard(index, 2))))
	}

	for index := range 3 {
		var state *prototest.State
		config := f.config(shard(index, 3))
		if index < len(states) {
			states[index], _ = p.MustRefresh(batchName, states[index])
			plan, diags := p.Plan(batchName, states[index], config)
			p.NoErrors(diags)
			prototest.WantText(t, diags.Warnings(), "Rows move between shards", "stays as it is")
			if len(plan.Replace) > 0 || !plan.Changes {
				t.Errorf("shard %d: changes %v, replaces by %v", index, plan.Changes, plan.Replace)
			}
			state, diags = p.Apply(t.Context(), batchName, states[index], plan)
			p.NoErrors(diags)
			states[index] = state
		} else {
			state, _ = p.MustCreate(batchName, config)
			states = append(states, state)
		}
		wantEmptyBatchPlan(t, p, state, config)
	}

	if n := rowsIn(states); n != 12 {
		t.Errorf("the shards have %v rows", n)
	}
	if n := service.Count(mockserver.OpUpdateConsent); n > 0 {
		t.Errorf("%d updates were sent", n)
	}
	for i := range 12 {
		wantRow(t, service, i, configured)
	}

	// Without shards, one object has all rows again.
	state, diags := p.Update(batchName, states[0], f.config(nil))
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 12})
}

func TestConsentBatch_changeOfAnotherShardPlansNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	content := people(16)
	f := newFile(t, content)
	var states []*prototest.State
	for index := range 4 {
		states = append(states, createdBatch(t, p, service, f.config(shard(index, 4))))
	}

	f.write("\n" + strings.Replace(content, userName(7)+",true", userName(7)+",false", 1))
	changed := 0
	for index, state := range states {
		plan, diags := p.Plan(batchName, state, f.config(shard(index, 4)).With(prototest.Attributes{"compare_at_plan": true}))
		p.NoErrors(diags)
		if plan.Changes {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d shards have changes", changed)
	}
}

func TestConsentBatch_withdrawalIsOfTheShard(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(16))
	withdrawing := prototest.Attributes{"on_destroy": "withdraw"}
	createdBatch(t, p, service, f.config(shard(0, 2)))
	state := createdBatch(t, p, service, f.config(shard(1, 2)).With(withdrawing))

	for name, config := range map[string]prototest.Attributes{
		"another index":    shard(0, 2).With(withdrawing),
		"another count":    shard(1, 3).With(withdrawing),
		"no shard":         withdrawing,
		"retained at once": shard(1, 3),
	} {
		_, diags := p.Plan(batchName, state, f.config(config))
		if len(diags.Errors()) == 0 {
			t.Errorf("%s is accepted", name)
		}
		prototest.WantText(t, diags.Errors(), "The shard cannot change", `on_destroy = "retain"`, "In state now: this resource as it was before", "shard")
	}
	wantRequests(t, service, 0, 0)

	gone, diags := p.Destroy(batchName, state)
	p.NoErrors(diags)
	if gone != nil {
		t.Error("the object is still there")
	}
	withdrawn := 0
	for i := range 16 {
		if record, _ := service.Consent(scope, userName(i)); record.Clauses == [5]bool{} {
			withdrawn++
		}
	}
	if n, _ := state.Attributes["rows"].(float64); withdrawn != int(n) || withdrawn == 0 || withdrawn == 16 {
		t.Errorf("%d people were withdrawn, the shard has %v rows", withdrawn, n)
	}
}

func TestConsentBatch_shardOfAWriteOnlyContent(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	config := func(index, count int) prototest.Attributes {
		return shard(index, count).With(prototest.Attributes{"content_wo": people(16), "content_wo_version": 1, "compare_at_plan": false})
	}
	state := createdBatch(t, p, service, config(0, 2))
	first, _ := state.Attributes["rows"].(float64)

	// The version is the same, so only the shard tells that there is something to do.
	state, diags := p.Update(batchName, state, config(1, 2))
	p.NoErrors(diags)
	if second, _ := state.Attributes["rows"].(float64); first+second != 16 || service.Count(mockserver.OpUpdateConsent) != int(second) {
		t.Errorf("the shards have %v and %v rows, %d updates were sent", first, second, service.Count(mockserver.OpUpdateConsent))
	}
}

func TestConsentBatch_shardKnownAfterApply(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	f := newFile(t, people(3))
	p.NoErrors(p.Validate(batchName, f.config(shard(4095, 4096))))

	for _, unknown := range []prototest.Attributes{shard(prototest.Unknown, 2), shard(1, prototest.Unknown), {"shard": prototest.Unknown}} {
		p.NoErrors(p.Validate(batchName, f.config(unknown)))
		plan, diags := p.Plan(batchName, nil, f.config(unknown))
		p.NoErrors(diags)
		if plan.Attributes["rows"] != prototest.Unknown {
			t.Errorf("planned are %v rows", plan.Attributes["rows"])
		}
	}
}
