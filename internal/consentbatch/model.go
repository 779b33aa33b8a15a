// SPDX-License-Identifier: MPL-2.0

// Package consentbatch implements the resource analytics_consent_batch, the consent of
// thousands of people from one file.
package consentbatch

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// model holds the attributes of the resource analytics_consent_batch. State holds no rows,
// only a digest of them and counts.
type model struct {
	tfkit.Scope
	Source           types.String `tfsdk:"source"`
	ContentWO        types.String `tfsdk:"content_wo"`
	ContentWOVersion types.Int64  `tfsdk:"content_wo_version"`
	Format           types.String `tfsdk:"format"`
	Shard            types.Object `tfsdk:"shard"`
	KeepLaterChoice  types.Bool   `tfsdk:"keep_later_choice"`
	CompareAtPlan    types.Bool   `tfsdk:"compare_at_plan"`
	OnDestroy        types.String `tfsdk:"on_destroy"`
	ReportPath       types.String `tfsdk:"report_path"`
	MaxNewRecords    types.Int64  `tfsdk:"max_new_records"`
	results
}

// results holds the computed attributes.
type results struct {
	Digest  types.String `tfsdk:"digest"`
	Rows    types.Int64  `tfsdk:"rows"`
	Kept    types.Int64  `tfsdk:"kept"`
	Written types.Int64  `tfsdk:"written"`
	Missing types.Int64  `tfsdk:"missing"`
}

// isDone reports whether the last apply has left no row missing, and how rows are compared has not
// changed since, nor the version of content_wo.
func (m *model) isDone(prior *model) bool {
	if prior == nil || prior.Missing.ValueInt64() > 0 {
		return false
	}
	return m.KeepLaterChoice.Equal(prior.KeepLaterChoice) && m.ContentWOVersion.Equal(prior.ContentWOVersion)
}

// shardOf returns the shard that a value of shard names; all rows if it is null or unknown.
func shardOf(value types.Object) rows.Shard {
	number := func(name string) uint64 {
		n, _ := value.Attributes()[name].(types.Int64)
		return uint64(n.ValueInt64()) //nolint:gosec // the validators refuse negative numbers
	}

	return rows.Shard{Index: number("index"), Count: number("count")}
}
