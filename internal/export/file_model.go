package export

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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
	AllowIncompleteDay types.Bool   `tfsdk:"allow_incomplete_day"`
	Complete           types.Bool   `tfsdk:"complete"`
	SHA256             types.String `tfsdk:"sha256"`
	Bytes              types.Int64  `tfsdk:"bytes"`
	Counts             types.Object `tfsdk:"counts"`
}

// checkLines refuses lines that could not be told apart.
func (m *fileModel) checkLines(ctx context.Context, diags *diag.Diagnostics) {
	if !kindsKnown(ctx, m.Kinds) || m.WithKind.IsNull() || m.WithKind.IsUnknown() || m.WithKind.ValueBool() {
		return
	}
	if kinds := kindsOf(ctx, m.Kinds); len(kinds) != 1 {
		diags.AddAttributeError(path.Root("with_kind"), "Lines of several kinds",
			"Without their kind the records of "+named(kinds)+" could not be told apart.\n\nWhat to do: leave with_kind out, or name exactly one kind in kinds and use one object for each.")
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

// exportsAgain reports whether the file has to be written anew: because something
// else is wanted in it, because it is another one by now, or because the day is over
// at last.
func (m *fileModel) exportsAgain(ctx context.Context, state fileModel) bool {
	return !m.UTCDate.Equal(state.UTCDate) || !m.Compression.Equal(state.Compression) || !m.WithKind.Equal(state.WithKind) ||
		!kindsKnown(ctx, m.Kinds) || !slices.Equal(kindsOf(ctx, m.Kinds), kindsOf(ctx, state.Kinds)) ||
		state.SHA256.IsNull() || state.Complete.IsNull()
}

func (m *fileModel) expect() {
	m.Complete, m.SHA256, m.Bytes = types.BoolUnknown(), types.StringUnknown(), types.Int64Unknown()
	m.Counts = types.ObjectUnknown(countTypes())
}

func (m *fileModel) keep(state fileModel) {
	m.Complete, m.SHA256, m.Bytes, m.Counts = state.Complete, state.SHA256, state.Bytes, state.Counts
}

// target is what may be at path before a file is written there.
type target struct {
	check func(path string) error
	write func(path string, fill func(*outfile.Writer) error) (outfile.File, error)
}

var (
	newFile = target{outfile.CheckNew, outfile.Create} // nothing
	anyFile = target{outfile.Check, outfile.Write}     // nothing, or a regular file that is replaced
)

// export writes the file and fills in what is known of it. It reports false where
// there is no new file.
func (m *fileModel) export(ctx context.Context, service *tfkit.Service, to target, inState string, diags *diag.Diagnostics) bool {
	c, scope, ok := service.Reach(m.Scope, diags)
	if !ok {
		return false
	}
	day, ok := m.check(c.Today(), diags)
	if !ok {
		return false
	}
	release, ok := m.claim(service, to, inState, diags)
	if !ok {
		return false
	}
	kinds := kindsOf(ctx, m.Kinds)
	query := client.ExportQuery{Day: day, Kinds: kinds, Finished: !m.AllowIncompleteDay.ValueBool()}
	today := c.Today()
	var exported client.ExportResult
	written, err := to.write(m.Path.ValueString(), func(out *outfile.Writer) (err error) {
		exported, err = m.fill(ctx, c, scope, query, out)
		return err
	})
	if err != nil {
		release()
		m.addError(err, inState, diags)
		return false
	}
	m.Complete, m.SHA256, m.Bytes = types.BoolValue(exported.Over(day, today)), types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	m.Counts = countsOf(exported.Counts, kinds)
	warnUnknown(exported.Counts, diags)
	return true
}

// claim makes the path this object's own for the run, before anything is asked of the
// service.
func (m *fileModel) claim(service *tfkit.Service, to target, inState string, diags *diag.Diagnostics) (release func(), ok bool) {
	release, free := service.Files.Claim(m.Path.ValueString())
	if !free {
		diags.AddAttributeError(path.Root("path"), "Two objects with one file",
			"Another object of this run has written a file at this path. Nothing was asked of the service.\n\nIn state now: "+inState+".\nWhat to do: give each object a path of its own.")
		return nil, false
	}
	if err := to.check(m.Path.ValueString()); err != nil {
		release()
		m.addError(err, inState, diags)
		return nil, false
	}
	return release, true
}

// fill streams the day into the file.
func (m *fileModel) fill(ctx context.Context, c *client.Client, scope client.Scope, q client.ExportQuery, out *outfile.Writer) (client.ExportResult, error) {
	sink := &fileSink{out: out, compression: m.Compression.ValueString(), withKind: m.WithKind.ValueBool(), limit: m.MaxBytes.ValueInt64()}
	sink.start()
	defer sink.abort() // which does nothing to what is finished
	exported, err := c.Export(ctx, scope, q, sink)
	if err != nil {
		return exported, err
	}
	return exported, sink.finish()
}

func (m *fileModel) addError(err error, inState string, diags *diag.Diagnostics) {
	now := "\n\nIn state now: " + inState + ".\nWhat to do: "
	switch _, fromClient := errors.AsType[*client.Error](err); {
	case fromClient:
		tfkit.AddError(diags, err, inState)
	case errors.Is(err, errTooMuch):
		diags.AddAttributeError(path.Root("max_bytes"), "The day is larger than max_bytes",
			"The file would be larger than "+strconv.FormatInt(m.MaxBytes.ValueInt64(), 10)+" bytes; what was written of it is removed."+now+"raise max_bytes, ask for fewer kinds, or compress the file.")
	case errors.Is(err, outfile.ErrExists):
		diags.AddAttributeError(path.Root("path"), "There is a file already",
			"At path there is a file that this object did not write; it is left as it is. It may belong to another object."+now+"choose another path, remove the file, or set overwrite = true where it may be replaced.")
	case errors.Is(err, outfile.ErrNoSpace):
		diags.AddAttributeError(path.Root("path"), "The disk is full",
			"The file could not be written to its end: "+err.Error()+". What was written of it is removed."+now+"free space on the disk of path, choose a path on another one, or compress the file.")
	default:
		diags.AddAttributeError(path.Root("path"), "The file could not be written",
			"The reason: "+err.Error()+"."+now+"correct path, or what is at that path, and apply again.")
	}
}

func addNoExport(diags *diag.Diagnostics) {
	diags.AddError("No export for accounts",
		"The export does not exist in the older account path family, which account_id selects.\n\nWhat to do: set org_id and project_id, in this object or in the provider block.")
}

func warnUnknown(counts records.Counts, diags *diag.Diagnostics) {
	if n := counts.Of(records.Unknown); n > 0 {
		diags.AddWarning("Records of unknown kind",
			"The answer does not tell the kind of "+strconv.FormatInt(n, 10)+" records. They are exported all the same, and counted as unknown.\n\nWhat to do: nothing, or set wire.export_kind_parameter in the provider block where your service selects the kind by a parameter.")
	}
}

// look compares the file with what was written, and reports whether there is one. A
// day that was not over when it was exported, and is now, makes complete null: a plan
// decides by state and not by the clock, since Terraform plans again when it applies.
func (m *fileModel) look(ctx context.Context, today time.Time, diags *diag.Diagnostics) bool {
	if day, err := client.ParseDay(m.UTCDate.ValueString()); err == nil && !m.Complete.ValueBool() && day.Before(today) {
		m.Complete = types.BoolNull()
	}
	found, err := outfile.Read(ctx, m.Path.ValueString())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err == nil && found.SHA256 == m.SHA256.ValueString():
	case errors.Is(err, outfile.ErrNotRegular):
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
		diags.AddAttributeWarning(path.Root("path"), "There is something else at path",
			"What is at path is no regular file any more. The plan exports the day again, and its apply refuses to replace what is there.\n\nWhat to do: move away what is at path, or choose another path.")
	case err == nil:
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
		diags.AddAttributeWarning(path.Root("path"), "The file is another one",
			"What is at path is not what this object wrote there. The plan therefore exports the day again and replaces the file.\n\nWhat to do: nothing, or move the altered file away, or take the object out of the configuration: destroying it leaves an altered file where it is.")
	default:
		diags.AddAttributeError(path.Root("path"), "The file cannot be read",
			"The reason: "+err.Error()+".\n\nIn state now: "+tfkit.PriorKept+".\nWhat to do: make the file readable for whoever runs Terraform.")
	}
	return true
}

// remove removes the file that this object wrote, and no other.
func (m *fileModel) remove(ctx context.Context, files *outfile.Claims, diags *diag.Diagnostics) {
	release, free := files.Claim(m.Path.ValueString())
	if !free { // what replaces this object has written its file there already
		return
	}
	defer release()
	gone, err := outfile.Remove(ctx, m.Path.ValueString(), m.SHA256.ValueString())
	switch {
	case err != nil:
		diags.AddAttributeError(path.Root("path"), "The file could not be removed",
			"The reason: "+err.Error()+".\n\nIn state now: "+tfkit.PriorKept+".\nWhat to do: remove the cause and destroy again, or remove the file yourself and destroy then.")
	case !gone:
		diags.AddWarning("The file stays",
			"What is at path is not what this object wrote there, so it is left as it is; it may hold personal data. Delete it yourself where it is not needed any more.")
	}
}
