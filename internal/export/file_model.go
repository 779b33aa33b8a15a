package export

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fileModel is the resource analytics_export_file.
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

// kindPlaceholder stands in path for the plural of a kind.
const kindPlaceholder = "{kind}"

// split reports whether each kind has a file of its own. It needs a known path.
func (m *fileModel) split() bool { return strings.Contains(m.Path.ValueString(), kindPlaceholder) }

// output is one file of an object.
type output struct {
	name string // plural of the kind, or wholeFile
	kind records.Kind
	path string
	// optional is a file that is not written where it would be empty.
	optional bool
	// sha256 is the digest that was written; empty where it is not known.
	sha256 string
}

// wholeFile is the name of the only file of an object, which holds all kinds.
const wholeFile = "all"

// outputs returns the files to write: one for each kind that is asked for and one for
// records of unknown kind, or a single one.
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

// checkLines refuses lines that could not be told apart.
func (m *fileModel) checkLines(ctx context.Context, diags *diag.Diagnostics) {
	if m.WithKind.IsNull() || m.WithKind.IsUnknown() || m.WithKind.ValueBool() {
		return
	}
	if m.Path.IsUnknown() || m.split() || !kindsKnown(ctx, m.Kinds) {
		return
	}
	if kinds := kindsOf(ctx, m.Kinds); len(kinds) != 1 {
		diags.AddAttributeError(path.Root("with_kind"), "Lines of several kinds",
			"Without their kind the records of "+named(kinds)+" could not be told apart.\n\n"+
				"What to do: put {kind} into path, which writes one file for each kind; or name exactly one kind in kinds; or leave with_kind out.")
	}
}

// check judges the day, as far as it is known.
func (m *fileModel) check(today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	if m.UTCDate.IsUnknown() || m.AllowIncompleteDay.IsUnknown() {
		return day, false
	}
	then := refuse
	if m.AllowIncompleteDay.ValueBool() {
		then = warn
	}
	return checkDay(m.UTCDate, today, then, diags)
}

// planWithKind plans with_kind where it is not configured: files of one kind each hold
// the records alone.
func (m *fileModel) planWithKind(configured types.Bool) {
	if !configured.IsNull() {
		return
	}
	m.WithKind = types.BoolUnknown()
	if !m.Path.IsUnknown() {
		m.WithKind = types.BoolValue(!m.split())
	}
}

// exportsAgain reports whether the day has to be exported anew: because something else
// is wanted, because a file is missing or altered, or because the day is over at last.
func (m *fileModel) exportsAgain(ctx context.Context, state fileModel) bool {
	if !m.UTCDate.Equal(state.UTCDate) || !m.Path.Equal(state.Path) || !m.Triggers.Equal(state.Triggers) {
		return true
	}
	if !m.Compression.Equal(state.Compression) || !m.WithKind.Equal(state.WithKind) {
		return true
	}
	if !kindsKnown(ctx, m.Kinds) || !slices.Equal(kindsOf(ctx, m.Kinds), kindsOf(ctx, state.Kinds)) {
		return true
	}
	return state.SHA256.IsNull() || state.Complete.IsNull()
}

// expect plans that everything computed is known after apply.
func (m *fileModel) expect() {
	m.Complete, m.SHA256, m.Bytes = types.BoolUnknown(), types.StringUnknown(), types.Int64Unknown()
	m.Counts, m.Replaced = types.ObjectUnknown(countTypes()), types.Int64Unknown()
	m.Paths, m.SHA256ByKind, m.BytesByKind = types.MapNull(types.StringType), types.MapNull(types.StringType), types.MapNull(types.Int64Type)
	if m.Path.IsUnknown() || m.split() {
		m.Paths, m.SHA256ByKind, m.BytesByKind = types.MapUnknown(types.StringType), types.MapUnknown(types.StringType), types.MapUnknown(types.Int64Type)
	}
}

// keep plans that everything computed stays.
func (m *fileModel) keep(state fileModel) {
	m.Complete, m.SHA256, m.Bytes = state.Complete, state.SHA256, state.Bytes
	m.Counts, m.Replaced = state.Counts, state.Replaced
	m.Paths, m.SHA256ByKind, m.BytesByKind = state.Paths, state.SHA256ByKind, state.BytesByKind
}

// describe fills in what is known of files that were written. A file of the zero value
// was not.
func (m *fileModel) describe(ctx context.Context, outputs []output, files []outfile.File, diags *diag.Diagnostics) {
	if !m.split() {
		m.SHA256, m.Bytes = types.StringValue(files[0].SHA256), types.Int64Value(files[0].Bytes)
		m.Paths, m.SHA256ByKind, m.BytesByKind = types.MapNull(types.StringType), types.MapNull(types.StringType), types.MapNull(types.Int64Type)
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
