// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// dayModel holds the attributes that select a day and say how its files are written. It is
// a part of every model that writes files.
type dayModel struct {
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
}

// What attributes have in common wherever they are declared.

const (
	dayDescription = "UTC day to export, such as `2026-01-31`."

	kindsDescription = "Kinds of records to export: any of `persons`, `sessions` and `events`. Defaults to all three."

	countsDescription = "Number of exported records by kind. Null for kinds that were not requested."

	invalidUTF8Description = "Number of records in which bytes that are not UTF-8 were replaced."

	pathDescription = "Path of the file. With `{kind}` in it, each kind has a file of its own."

	compressionDescription = "Compression of the files: `none` (default), `gzip` or `zstd`. The name in `path` stays as it is."

	withKindDescription = "Whether each line names the kind of its record. If `false`, which requires one kind per file, a line is the record alone. Defaults to `false` with `{kind}` in `path`, and else to `true`."

	// inPlaceDescription ends the description of an attribute of the resource.
	inPlaceDescription = " Changing it writes the files again."
)

var (
	pathValidators        = []validator.String{stringvalidator.LengthAtLeast(1)}
	compressionValidators = []validator.String{stringvalidator.OneOf(uncompressed, gzipped, zstandard)}
	maxBytesValidators    = []validator.Int64{int64validator.AtLeast(1)}
	kindsValidators       = []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(stringvalidator.OneOf(client.ExportKinds...))}
)

// kindPlaceholder is replaced in path by the plural of a kind.
const kindPlaceholder = "{kind}"

// split reports whether each kind has a file of its own. The path must be known.
func (m *dayModel) split() bool { return strings.Contains(m.Path.ValueString(), kindPlaceholder) }

// withKind returns whether each line names its kind. By default, the lines of files of one kind each do
// not.
func (m *dayModel) withKind() types.Bool {
	if m.WithKind.IsNull() {
		return types.BoolValue(!m.split())
	}
	return m.WithKind
}

// checkScope reports a scope that has no export, and returns false then.
func (m *dayModel) checkScope(s *tfkit.Service, diags *diag.Diagnostics) bool {
	scope, known := s.KnownScope(m.Scope)
	if !known || scope.AccountID == "" {
		return true
	}
	problem := tfkit.ProblemOf(client.ErrNoExport, "")
	problem.Do = "set org_id and project_id, in this block or in the provider block."
	problem.AddError(diags)

	return false
}

// checkLines adds an error if lines could not be told apart: with_kind is false, and records
// of several kinds go to one file.
func (m *dayModel) checkLines(ctx context.Context, diags *diag.Diagnostics) {
	withoutKind := m.WithKind.Equal(types.BoolValue(false))
	if !withoutKind || !m.filesKnown(ctx) || m.split() || len(kindsOf(ctx, m.Kinds)) == 1 {
		return
	}

	tfkit.Problem{
		Summary: "One file for records of several kinds",
		Detail:  "Without their kind the records of one file could not be told apart.",
		Do:      "put {kind} into path, which writes one file for each kind; or name exactly one kind in kinds; or leave with_kind out.",
		At:      path.Root("with_kind"),
	}.AddError(diags)
}

// checkDay adds an error if the day to export has not begun, or if it is not over and
// allow_incomplete_day is not set. If that is set, it adds a warning. It checks nothing while attributes are unknown.
func (m *dayModel) checkDay(today time.Time, diags *diag.Diagnostics) {
	if m.UTCDate.IsUnknown() || m.AllowIncompleteDay.IsUnknown() {
		return
	}
	day, ok := tfkit.StartedDay(m.UTCDate, today, diags)
	if !ok || day.Before(today) {
		return
	}

	if m.AllowIncompleteDay.ValueBool() {
		notOver.AddWarning(diags)
		return
	}
	problem := notOver
	problem.Do = "export a day that is over. To export what there is by now, set allow_incomplete_day = true."
	problem.AddError(diags)
}

// filesKnown reports whether the files to write are known.
func (m *dayModel) filesKnown(ctx context.Context) bool {
	return !m.Path.IsUnknown() && kindsKnown(ctx, m.Kinds)
}

// kindsKnown reports whether a set of kinds is known with all of its elements.
func kindsKnown(ctx context.Context, set types.Set) bool {
	v, err := set.ToTerraformValue(ctx)
	return err == nil && v.IsFullyKnown()
}

// kindsOf returns the kinds in a set, in the order of the interface; all kinds if the set
// is null or unknown.
func kindsOf(ctx context.Context, set types.Set) (kinds []records.Kind) {
	if set.IsNull() || set.IsUnknown() {
		return records.Kinds
	}

	var names []string
	set.ElementsAs(ctx, &names, false)
	for _, k := range records.Kinds {
		if slices.Contains(names, k.Plural()) {
			kinds = append(kinds, k)
		}
	}

	return kinds
}

// countDescriptions holds the descriptions of the attributes of counts, by name.
var countDescriptions = map[string]string{
	"persons":  "Number of Person records.",
	"sessions": "Number of Session records.",
	"events":   "Number of Event records.",
}

// countTypes holds the types of the attributes of counts, by name.
var countTypes = map[string]attr.Type{
	"persons": types.Int64Type, "sessions": types.Int64Type, "events": types.Int64Type,
}

func countsOf(counts records.Counts, kinds []records.Kind) types.Object {
	values := map[string]attr.Value{}
	for _, k := range records.Kinds {
		values[k.Plural()] = types.Int64Null()
		if slices.Contains(kinds, k) {
			values[k.Plural()] = types.Int64Value(counts[k])
		}
	}

	return types.ObjectValueMust(countTypes, values)
}
