// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// limitShards is the largest count of shards.
const limitShards = 4096

var atShard = path.Root("shard")

// shardOf returns the shard that a known value of shard names; all rows if it is null.
func shardOf(value types.Object) rows.Shard {
	number := func(name string) uint64 {
		n, _ := value.Attributes()[name].(types.Int64)
		return uint64(n.ValueInt64()) //nolint:gosec // the validators refuse negative numbers
	}

	return rows.Shard{Index: number("index"), Count: number("count")}
}

// shardKnown reports whether shard is known with its attributes.
func (m *model) shardKnown() bool {
	for _, value := range m.Shard.Attributes() {
		if value.IsUnknown() {
			return false
		}
	}
	return !m.Shard.IsUnknown()
}

// checkShardChange warns of a changed shard. It returns false, with an error, if on_destroy
// is "withdraw": an object that is destroyed because there are fewer shards would withdraw
// rows that belong to other shards by then.
func (p *planner) checkShardChange() (ok bool) {
	if p.prior == nil || !p.model.shardKnown() || p.model.Shard.Equal(p.prior.Shard) {
		return true
	}

	if p.model.OnDestroy.ValueString() == withdraw || p.prior.OnDestroy.ValueString() == withdraw {
		tfkit.Problem{
			Summary: "The shard cannot change with on_destroy = \"withdraw\"",
			Detail:  "Rows move between shards when shard changes. An object that is destroyed would withdraw the consent of people whose rows belong to another shard by then.",
			InState: p.inState(),
			Do:      "apply on_destroy = \"retain\" in all shards of the file first, without changing them. Then change shard, apply, and set on_destroy back.",
			At:      atShard,
		}.AddError(p.diags)
		return false
	}

	if p.warns() {
		tfkit.Problem{
			Summary: "Rows move between shards",
			Detail:  "shard has changed, so this object manages other rows of the file. The consent of people whose rows leave it stays as it is. A row that belongs to no object is no longer managed.",
			Do:      "change count in all objects of the file, so that each number from 0 to count - 1 has an object.",
			At:      atShard,
		}.AddWarning(p.diags)
	}

	return true
}
