package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fileExport is one export of a day into files.
type fileExport struct {
	*tfkit.Service

	previous []output // what the object has written before, which may be replaced
	inState  string   // what is in state where the export fails
}

// run writes the files, fills in what is known of them, and returns their stamps. It
// reports false where there are no new files.
func (e *fileExport) run(ctx context.Context, m *fileModel, diags *diag.Diagnostics) (stamps, bool) {
	c, scope, ok := e.ClientAndScope(m.Scope, diags)
	if !ok {
		return nil, false
	}
	day, ok := m.check(c.Today(), diags)
	if !ok {
		return nil, false
	}

	kinds := kindsOf(ctx, m.Kinds)
	outputs := m.outputs(kinds)
	reserved, err := e.Files.Reserve(e.targets(m, outputs)...)
	if err != nil {
		e.addError(err, m, outputs, diags)
		return nil, false
	}
	defer reserved.Close()

	today := c.Today()
	query := client.ExportQuery{Day: day, Kinds: kinds, Finished: !m.AllowIncompleteDay.ValueBool()}
	exported, err := m.fill(ctx, source{c, scope, query}, outputs, reserved)
	if err != nil {
		e.addError(err, m, outputs, diags)
		return nil, false
	}
	files, err := reserved.Commit()
	if err != nil {
		e.addError(err, m, outputs, diags)
		return nil, false
	}

	m.describe(ctx, outputs, files, diags)
	m.Complete, m.Counts = types.BoolValue(exported.Over(day, today)), countsOf(exported.Counts, kinds)
	m.Replaced = types.Int64Value(exported.InvalidUTF8)
	warnUnknown(exported.Counts, diags)
	warnInvalidUTF8(exported.InvalidUTF8, diags)
	return stampsOf(outputs, files), true
}

// targets says where the files go. What the object has written itself may always be
// replaced, altered or not.
func (e *fileExport) targets(m *fileModel, outputs []output) []outfile.Target {
	var list []outfile.Target
	for _, o := range outputs {
		own := slices.ContainsFunc(e.previous, func(old output) bool { return outfile.SamePath(old.path, o.path) })
		list = append(list, outfile.Target{
			Path:          o.path,
			Replace:       own || m.Overwrite.ValueBool(),
			CreateFolders: m.CreateDirectories.ValueBool(),
		})
	}
	return list
}

// source is what the records come from.
type source struct {
	client *client.Client
	scope  client.Scope
	query  client.ExportQuery
}

// fill streams the day into the reserved files.
func (m *fileModel) fill(ctx context.Context, from source, outputs []output, reserved *outfile.Reservation) (client.ExportResult, error) {
	sink, err := newFileSink(m, outputs, reserved)
	if err != nil {
		return client.ExportResult{}, err
	}
	defer sink.abort() // does nothing to what is finished

	exported, err := from.client.Export(ctx, from.scope, from.query, sink)
	if err != nil {
		return exported, err
	}
	return exported, sink.finish()
}

// removeOld removes previous files that are not among the new ones. The new files are
// in their places, so whatever is in the way is a warning.
func (e *fileExport) removeOld(ctx context.Context, m *fileModel, diags *diag.Diagnostics) {
	for _, old := range e.previous {
		if slices.ContainsFunc(m.written(ctx), func(o output) bool { return isSame(old.path, o.path) }) {
			continue
		}

		if m.OnDestroy.ValueString() == destroyRetains {
			warnOldStays(diags, "on_destroy is \"retain\"")
			continue
		}
		gone, err := e.Files.Remove(ctx, old.path, old.sha256)
		if err != nil {
			warnOldStays(diags, "it could not be removed: "+err.Error())
		} else if !gone {
			warnOldStays(diags, "it is not what this object wrote there")
		}
	}
}

// isSame reports whether two paths lead to one file, also where the file system takes
// two spellings of a name for one.
func isSame(a, b string) bool {
	if outfile.SamePath(a, b) {
		return true
	}
	first, err := os.Lstat(a)
	if err != nil {
		return false
	}
	second, err := os.Lstat(b)
	return err == nil && os.SameFile(first, second)
}

// digestOf returns one digest for several files: that of a list of theirs, as sha256sum
// prints it with the kinds as names.
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

// markOver marks a day that was not over when it was exported and is now: complete
// becomes null. A plan decides by state and not by the clock, since Terraform plans
// again when it applies.
func (m *fileModel) markOver(today time.Time) {
	day, err := client.ParseDay(m.UTCDate.ValueString())
	if err == nil && !m.Complete.ValueBool() && day.Before(today) {
		m.Complete = types.BoolNull()
	}
}
