// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// shard returns the configuration of one shard.
func shard(index, count any) prototest.Attributes {
	return prototest.Attributes{"shard": prototest.Attributes{"index": index, "count": count}}
}

// TestConsentBatch_changedCountMovesRows changes two shards into three, and these into one object.
// Nothing is sent that has been written by another object.
func TestConsentBatch_changedCountMovesRows(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(12))
	states := make([]*prototest.State, 3)
	for index := range 2 {
		states[index], _ = p.MustCreate(batchName, f.config(shard(index, 2)))
	}
	wantEachOnce(t, service, every(1, 12)...)

	service.Reset()
	rows := 0.0
	for index, state := range states {
		config := f.config(shard(index, 3))
		if state != nil {
			p.MustRefresh(batchName, state)
		}
		plan, diags := p.Plan(batchName, state, config)
		p.NoErrors(diags)
		if state != nil {
			prototest.WantText(t, diags.Warnings(), "Rows move between shards", "stays as it is")
		}
		if len(plan.Replace) > 0 || !plan.Changes {
			t.Errorf("shard %d: changes %v, replaces by %v", index, plan.Changes, plan.Replace)
		}

		states[index], diags = p.Apply(t.Context(), batchName, state, plan)
		p.NoErrors(diags)
		wantEmptyBatchPlan(t, p, states[index], config)
		n, _ := states[index].Attributes["rows"].(float64)
		rows += n
	}

	state, diags := p.Update(batchName, states[0], f.config(nil))
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 12})
	if n := service.Count(mockserver.OpUpdateConsent); n > 0 || rows != 12 {
		t.Errorf("%d updates were sent; the shards have %v rows", n, rows)
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
