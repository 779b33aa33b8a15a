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

// isWriteOnly reports whether the content comes from content_wo. State then holds only its
// version.
func (m *model) isWriteOnly() bool { return m.Source.IsNull() }

// comparesAnew reports whether a setting of the comparison differs from state, so that its
// result may differ although neither the content nor the service has changed.
func (m *model) comparesAnew(state model) bool {
	if !m.KeepLaterChoice.Equal(state.KeepLaterChoice) || !m.Shard.Equal(state.Shard) {
		return true
	}
	return m.isWriteOnly() && !m.ContentWOVersion.Equal(state.ContentWOVersion)
}

// isUnknown reports whether the rows of a configuration, or how to compare them, are known only
// after apply.
func (m *model) isUnknown() bool {
	rows := m.Source.IsUnknown() || m.ContentWO.IsUnknown() || m.ContentWOVersion.IsUnknown() || m.Format.IsUnknown()
	return rows || !m.shardKnown() || m.KeepLaterChoice.IsUnknown() || m.CompareAtPlan.IsUnknown()
}

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
