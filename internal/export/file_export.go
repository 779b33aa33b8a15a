package export

import (
	"context"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fileExport is one export of a day into files.
type fileExport struct {
	*tfkit.Service

	model    *fileModel
	previous []output // what the object has written before, which may be replaced
	inState  string   // what is in state if the export fails
	diags    *diag.Diagnostics

	outputs []output // the files to write
}

// run exports the day, sets the computed attributes of the model, and returns the stamps of
// the files. It reports false, and leaves the old files in place, after an error.
func (e *fileExport) run(ctx context.Context) (stamps, bool) {
	c, scope, ok := e.ClientAndScope(e.model.Scope, e.diags)
	if !ok {
		return nil, false
	}
	today := c.Today()
	day, ok := e.model.checkDay(today, e.diags)
	if !ok {
		return nil, false
	}

	kinds := kindsOf(ctx, e.model.Kinds)
	e.outputs = e.model.outputs(kinds)
	query := client.ExportQuery{Day: day, Kinds: kinds, Finished: !e.model.AllowIncompleteDay.ValueBool()}
	exported, files, err := e.write(func(sink client.ExportSink) (client.ExportResult, error) {
		return c.Export(ctx, scope, query, sink)
	})
	if err != nil {
		e.addError(err)
		return nil, false
	}

	e.model.fromFiles(ctx, e.outputs, files, e.diags)
	e.model.fromAPI(exported, kinds)
	e.model.Complete = types.BoolValue(exported.Over(day, today))
	warnUnknown(exported.Counts, e.diags)
	warnInvalidUTF8(exported.InvalidUTF8, e.diags)

	return stampsOf(e.outputs, files), true
}

// write reserves the files, writes what export hands to the sink, and puts all files in
// their places together. It returns a description of each file.
func (e *fileExport) write(export func(client.ExportSink) (client.ExportResult, error)) (client.ExportResult, []outfile.File, error) {
	reservation, err := e.Files.Reserve(e.targets()...)
	if err != nil {
		return client.ExportResult{}, nil, err
	}
	defer reservation.Close()

	sink, err := newFileSink(e.model, e.outputs, reservation)
	if err != nil {
		return client.ExportResult{}, nil, err
	}
	defer sink.abort() // no effect after finish

	exported, err := export(sink)
	if err != nil {
		return client.ExportResult{}, nil, err
	}
	if err := sink.finish(); err != nil {
		return client.ExportResult{}, nil, err
	}

	files, err := reservation.Commit()

	return exported, files, err
}

// targets returns where the files go. A file that the object itself has written may be
// replaced, altered or not.
func (e *fileExport) targets() []outfile.Target {
	var targets []outfile.Target
	for _, o := range e.outputs {
		isOwn := slices.ContainsFunc(e.previous, func(old output) bool { return outfile.SamePath(old.path, o.path) })
		targets = append(targets, outfile.Target{
			Path:          o.path,
			Replace:       isOwn || e.model.Overwrite.ValueBool(),
			CreateFolders: e.model.CreateDirectories.ValueBool(),
		})
	}

	return targets
}

// removePrevious removes previous files that are not among the new ones. A file that cannot
// be removed is a warning, because the new files are in their places.
func (e *fileExport) removePrevious(ctx context.Context) {
	written := e.model.written(ctx)
	for _, old := range e.previous {
		if slices.ContainsFunc(written, func(o output) bool { return isSame(old.path, o.path) }) {
			continue
		}

		if reason := e.removeOld(ctx, old); reason != "" {
			warnOldStays(e.diags, reason)
		}
	}
}

// removeOld removes one previous file. It returns why the file stays; empty if it is gone.
func (e *fileExport) removeOld(ctx context.Context, old output) string {
	if e.model.OnDestroy.ValueString() == destroyRetains {
		return "on_destroy is \"retain\""
	}

	gone, err := e.Files.Remove(ctx, old.path, old.sha256)
	if err != nil {
		return "it could not be removed: " + err.Error()
	}
	if !gone {
		return "it is not what this object wrote there"
	}

	return ""
}

// isSame reports whether two paths lead to one file, also if the file system treats two
// spellings of a name as one.
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
