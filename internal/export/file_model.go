// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
)

// fileModel is the model of analytics_export_file.
type fileModel struct {
	dayModel

	Triggers  types.Map    `tfsdk:"triggers"`
	Verify    types.String `tfsdk:"verify"`
	OnDestroy types.String `tfsdk:"on_destroy"`
	fileResults
}

// fileResults holds the computed attributes.
type fileResults struct {
	Complete types.Bool   `tfsdk:"complete"`
	SHA256   types.String `tfsdk:"sha256"`
	Bytes    types.Int64  `tfsdk:"bytes"`
	Counts   types.Object `tfsdk:"counts"`
	Replaced types.Int64  `tfsdk:"invalid_utf8_records"`
	Files    types.Map    `tfsdk:"files"`
}

// writtenFile is an element of files.
type writtenFile struct {
	Path    string `tfsdk:"path"`
	SHA256  string `tfsdk:"sha256"`
	Bytes   int64  `tfsdk:"bytes"`
	Records int64  `tfsdk:"records"`
}

var writtenFileType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"path": types.StringType, "sha256": types.StringType, "bytes": types.Int64Type, "records": types.Int64Type,
}}

// Values of verify and on_destroy.
const (
	verifyStat   = "stat"
	verifyDigest = "digest"

	destroyRemoves = "remove"
	destroyRetains = "retain"
)

// written returns the files that state says were written.
func (m *fileModel) written(ctx context.Context) (list []*output) {
	var files map[string]writtenFile
	m.Files.ElementsAs(ctx, &files, false)
	if m.Files.IsNull() {
		files = map[string]writtenFile{wholeFile: {Path: m.Path.ValueString(), SHA256: m.SHA256.ValueString()}}
	}

	for name, file := range files {
		list = append(list, &output{Target: outfile.Target{Path: file.Path}, name: name, written: outfile.File{SHA256: file.SHA256}})
	}

	return list
}

// exportsAgain reports whether an apply has to export the day again: an attribute has
// changed, a file is missing or altered, or the day is over now.
func (m *fileModel) exportsAgain(ctx context.Context, state *fileModel) bool {
	for _, values := range [][2]attr.Value{
		{m.UTCDate, state.UTCDate},
		{m.Path, state.Path},
		{m.Triggers, state.Triggers},
		{m.Compression, state.Compression},
		{m.withKind(), state.withKind()},
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

// planExport plans that the day is exported.
func (m *fileModel) planExport() {
	m.fileResults = fileResults{
		types.BoolUnknown(), types.StringUnknown(), types.Int64Unknown(),
		types.ObjectUnknown(countTypes), types.Int64Unknown(), types.MapNull(writtenFileType),
	}
	if m.Path.IsUnknown() || m.split() {
		m.Files = types.MapUnknown(writtenFileType)
	}
}

// fromExport sets the attributes that describe the answer and the files.
func (m *fileModel) fromExport(ctx context.Context, export *dayExport) {
	warnOf(export.result, export.diags)
	m.Complete = types.BoolValue(export.result.Complete)
	m.Counts = countsOf(export.result.Counts, export.kinds)
	m.Replaced = types.Int64Value(export.result.InvalidUTF8)
	m.Bytes = types.Int64Value(export.bytes.Load())
	m.SHA256, m.Files = types.StringValue(export.outputs[0].written.SHA256), types.MapNull(writtenFileType)
	if !m.split() {
		return
	}

	// The digest of several files is that of the list of theirs, as sha256sum prints it with the kinds as
	// names.
	files, list := map[string]writtenFile{}, sha256.New()
	for _, o := range export.outputs {
		files[o.name] = writtenFile{o.Path, o.written.SHA256, o.written.Bytes, export.result.Counts[o.kind]}
		fmt.Fprintf(list, "%s  %s\n", o.written.SHA256, o.name)
	}

	value, diags := types.MapValueFrom(ctx, writtenFileType, files)
	export.diags.Append(diags...)
	m.SHA256, m.Files = types.StringValue(hex.EncodeToString(list.Sum(nil))), value
}
