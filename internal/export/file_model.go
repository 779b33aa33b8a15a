package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// fileModel is the model of analytics_export_file.
type fileModel struct {
	dayModel

	Triggers     types.Map    `tfsdk:"triggers"`
	Verify       types.String `tfsdk:"verify"`
	OnDestroy    types.String `tfsdk:"on_destroy"`
	Complete     types.Bool   `tfsdk:"complete"`
	SHA256       types.String `tfsdk:"sha256"`
	Bytes        types.Int64  `tfsdk:"bytes"`
	Counts       types.Object `tfsdk:"counts"`
	Replaced     types.Int64  `tfsdk:"invalid_utf8_records"`
	Paths        types.Map    `tfsdk:"paths"`
	SHA256ByKind types.Map    `tfsdk:"sha256_by_kind"`
	BytesByKind  types.Map    `tfsdk:"bytes_by_kind"`
}

// Values of verify and on_destroy.
const (
	verifyStat   = "stat"
	verifyDigest = "digest"

	destroyRemoves = "remove"
	destroyRetains = "retain"
)

// written returns the files that state says were written.
func (m *fileModel) written(ctx context.Context) []output {
	if m.Paths.IsNull() {
		return []output{{name: wholeFile, path: m.Path.ValueString(), sha256: m.SHA256.ValueString()}}
	}

	var paths, digests map[string]string
	m.Paths.ElementsAs(ctx, &paths, false)
	m.SHA256ByKind.ElementsAs(ctx, &digests, false)

	var list []output
	for _, kind := range append(slices.Clone(records.Kinds), records.Unknown) {
		if at, ok := paths[kind.Plural()]; ok {
			list = append(list, output{name: kind.Plural(), kind: kind, path: at, sha256: digests[kind.Plural()]})
		}
	}

	return list
}

// exportsAgain reports whether an apply has to export the day again: an attribute has
// changed, a file is missing or altered, or the day is over now.
func (m *fileModel) exportsAgain(ctx context.Context, state fileModel) bool {
	for _, values := range [][2]attr.Value{
		{m.UTCDate, state.UTCDate},
		{m.Path, state.Path},
		{m.Triggers, state.Triggers},
		{m.Compression, state.Compression},
		{m.WithKind, state.WithKind},
	} {
		if !values[0].Equal(values[1]) {
			return true
		}
	}

	if !kindsKnown(ctx, m.Kinds) || !slices.Equal(kindsOf(ctx, m.Kinds), kindsOf(ctx, state.Kinds)) {
		return true
	}

	return state.SHA256.IsNull() || state.Complete.IsNull()
}

// planComputed plans the computed attributes for an apply that exports the day.
func (m *fileModel) planComputed() {
	m.Complete, m.SHA256, m.Bytes = types.BoolUnknown(), types.StringUnknown(), types.Int64Unknown()
	m.Counts, m.Replaced = types.ObjectUnknown(countTypes()), types.Int64Unknown()

	m.setNoKinds()
	if m.Path.IsUnknown() || m.split() {
		m.Paths, m.SHA256ByKind, m.BytesByKind = types.MapUnknown(types.StringType), types.MapUnknown(types.StringType), types.MapUnknown(types.Int64Type)
	}
}

// keepComputed copies the computed attributes from state.
func (m *fileModel) keepComputed(state fileModel) {
	m.Complete, m.SHA256, m.Bytes = state.Complete, state.SHA256, state.Bytes
	m.Counts, m.Replaced = state.Counts, state.Replaced
	m.Paths, m.SHA256ByKind, m.BytesByKind = state.Paths, state.SHA256ByKind, state.BytesByKind
}

// setNoKinds sets the attributes by kind for a single file.
func (m *fileModel) setNoKinds() {
	m.Paths, m.SHA256ByKind, m.BytesByKind = types.MapNull(types.StringType), types.MapNull(types.StringType), types.MapNull(types.Int64Type)
}

// fromExport sets the attributes that describe the answer and the files.
func (m *fileModel) fromExport(ctx context.Context, exported exportedDay, diags *diag.Diagnostics) {
	m.Complete = types.BoolValue(exported.complete)
	m.Counts = countsOf(exported.Counts, exported.kinds)
	m.Replaced = types.Int64Value(exported.InvalidUTF8)
	m.fromFiles(ctx, exported, diags)

	if !exported.complete {
		warnNotOver(markedIncomplete, diags)
	}
}

// fromFiles sets the attributes that describe the files.
func (m *fileModel) fromFiles(ctx context.Context, exported exportedDay, diags *diag.Diagnostics) {
	m.Bytes = types.Int64Value(exported.bytes())
	if !m.split() {
		m.SHA256 = types.StringValue(exported.files[0].SHA256)
		m.setNoKinds()
		return
	}

	paths, digests, sizes := map[string]string{}, map[string]string{}, map[string]int64{}
	for i, o := range exported.outputs {
		if file := exported.files[i]; file.SHA256 != "" {
			paths[o.name], digests[o.name], sizes[o.name] = o.path, file.SHA256, file.Bytes
		}
	}

	m.SHA256 = types.StringValue(digestOf(digests))
	m.Paths = mapValue(ctx, types.StringType, paths, diags)
	m.SHA256ByKind = mapValue(ctx, types.StringType, digests, diags)
	m.BytesByKind = mapValue(ctx, types.Int64Type, sizes, diags)
}

// digestOf returns one digest for several files: that of the list of their digests, as
// sha256sum prints it with the kinds as names.
func digestOf(digests map[string]string) string {
	sum := sha256.New()
	for _, kind := range append(slices.Clone(records.Kinds), records.Unknown) {
		if digest, ok := digests[kind.Plural()]; ok {
			fmt.Fprintf(sum, "%s  %s\n", digest, kind.Plural())
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func mapValue[T any](ctx context.Context, of attr.Type, elements map[string]T, diags *diag.Diagnostics) types.Map {
	value, more := types.MapValueFrom(ctx, of, elements)
	diags.Append(more...)
	return value
}
