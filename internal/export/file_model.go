package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fileModel is the model of analytics_export_file.
type fileModel struct {
	tfkit.Scope

	UTCDate            types.String `tfsdk:"utc_date"`
	Kinds              types.Set    `tfsdk:"kinds"`
	Path               types.String `tfsdk:"path"`
	Compression        types.String `tfsdk:"compression"`
	WithKind           types.Bool   `tfsdk:"with_kind"`
	MaxBytes           types.Int64  `tfsdk:"max_bytes"`
	Overwrite          types.Bool   `tfsdk:"overwrite"`
	CreateDirectories  types.Bool   `tfsdk:"create_directories"`
	AllowIncompleteDay types.Bool   `tfsdk:"allow_incomplete_day"`
	Triggers           types.Map    `tfsdk:"triggers"`
	Verify             types.String `tfsdk:"verify"`
	OnDestroy          types.String `tfsdk:"on_destroy"`
	Complete           types.Bool   `tfsdk:"complete"`
	SHA256             types.String `tfsdk:"sha256"`
	Bytes              types.Int64  `tfsdk:"bytes"`
	Counts             types.Object `tfsdk:"counts"`
	Replaced           types.Int64  `tfsdk:"invalid_utf8_records"`
	Paths              types.Map    `tfsdk:"paths"`
	SHA256ByKind       types.Map    `tfsdk:"sha256_by_kind"`
	BytesByKind        types.Map    `tfsdk:"bytes_by_kind"`
}

// Values of verify and on_destroy.
const (
	verifyStat   = "stat"
	verifyDigest = "digest"

	destroyRemoves = "remove"
	destroyRetains = "retain"
)

// kindPlaceholder is replaced in path by the plural of a kind.
const kindPlaceholder = "{kind}"

// split reports whether each kind has a file of its own. The path must be known.
func (m *fileModel) split() bool { return strings.Contains(m.Path.ValueString(), kindPlaceholder) }

// output is one file of an object.
type output struct {
	name string // plural of the kind, or wholeFile
	kind records.Kind
	path string
	// optional files are not written if they would be empty.
	optional bool
	// sha256 is the digest that was written; empty if it is not known.
	sha256 string
}

// wholeFile is the name of the only file of an object, which holds all kinds.
const wholeFile = "all"

// outputs returns the files to write: one for each of kinds and one for records of unknown
// kind, or a single one.
func (m *fileModel) outputs(kinds []records.Kind) []output {
	if !m.split() {
		return []output{{name: wholeFile, path: m.Path.ValueString()}}
	}

	var list []output
	for _, kind := range append(slices.Clone(kinds), records.Unknown) {
		list = append(list, output{
			name:     kind.Plural(),
			kind:     kind,
			path:     strings.ReplaceAll(m.Path.ValueString(), kindPlaceholder, kind.Plural()),
			optional: kind == records.Unknown,
		})
	}

	return list
}

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

// checkLines adds an error if lines could not be told apart: with_kind is false, and records
// of several kinds go to one file.
func (m *fileModel) checkLines(ctx context.Context, diags *diag.Diagnostics) {
	if !m.WithKind.Equal(types.BoolValue(false)) {
		return
	}
	if m.Path.IsUnknown() || m.split() || !kindsKnown(ctx, m.Kinds) {
		return
	}

	kinds := kindsOf(ctx, m.Kinds)
	if len(kinds) == 1 {
		return
	}

	tfkit.Problem{
		Summary: "Lines of several kinds",
		Detail:  "Without their kind the records of " + listOf(kinds) + " could not be told apart.",
		Do:      "put {kind} into path, which writes one file for each kind; or name exactly one kind in kinds; or leave with_kind out.",
		At:      path.Root("with_kind"),
	}.AddError(diags)
}

// checkDay returns the day to export. It adds an error if the day has not begun, or if it is
// not over and allow_incomplete_day is not set. It reports false without an error while
// attributes are unknown.
func (m *fileModel) checkDay(today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	if m.UTCDate.IsUnknown() || m.AllowIncompleteDay.IsUnknown() {
		return day, false
	}

	day, ok = startedDay(m.UTCDate, today, diags)
	if !ok || day.Before(today) {
		return day, ok
	}

	if !m.AllowIncompleteDay.ValueBool() {
		addNotOver(diags)
		return day, false
	}
	warnNotOver(diags)

	return day, true
}

// planWithKind plans with_kind if it is not configured: files of one kind each hold the
// records alone.
func (m *fileModel) planWithKind(configured types.Bool) {
	if !configured.IsNull() {
		return
	}

	m.WithKind = types.BoolUnknown()
	if !m.Path.IsUnknown() {
		m.WithKind = types.BoolValue(!m.split())
	}
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

// fromAPI sets the attributes that describe the answer, except complete.
func (m *fileModel) fromAPI(exported client.ExportResult, kinds []records.Kind) {
	m.Counts = countsOf(exported.Counts, kinds)
	m.Replaced = types.Int64Value(exported.InvalidUTF8)
}

// fromFiles sets the attributes that describe the files. A file of the zero value was not
// written.
func (m *fileModel) fromFiles(ctx context.Context, outputs []output, files []outfile.File, diags *diag.Diagnostics) {
	if !m.split() {
		m.SHA256, m.Bytes = types.StringValue(files[0].SHA256), types.Int64Value(files[0].Bytes)
		m.setNoKinds()
		return
	}

	paths, digests, sizes := map[string]string{}, map[string]string{}, map[string]int64{}
	var total int64
	for i, o := range outputs {
		if files[i].SHA256 == "" {
			continue
		}
		paths[o.name], digests[o.name], sizes[o.name] = o.path, files[i].SHA256, files[i].Bytes
		total += files[i].Bytes
	}

	m.SHA256, m.Bytes = types.StringValue(digestOf(digests)), types.Int64Value(total)
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
