// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// dayExport is one export of a day into files.
type dayExport struct {
	*tfkit.Service

	day      *dayModel // with all values known
	previous []*output // what the object has written before, which may be replaced
	inState  string    // what is in state if the export fails
	diags    *diag.Diagnostics

	outputs []*output // the files to write
	written tally     // so far
}

// run exports the day. It reports false, and leaves the old files in place, after an error.
func (e *dayExport) run(ctx context.Context) (exportedDay, bool) {
	c, scope, ok := e.ClientAndScope(e.day.Scope, e.diags)
	if !ok {
		return exportedDay{}, false
	}
	today := c.Today()
	day, ok := e.day.checkDay(today, e.diags)
	if !ok {
		return exportedDay{}, false
	}

	kinds := kindsOf(ctx, e.day.Kinds)
	e.outputs = e.day.outputs(kinds)
	query := client.ExportQuery{Day: day, Kinds: kinds, Finished: !e.day.AllowIncompleteDay.ValueBool()}
	result, err := e.write(func(sink client.ExportSink) (client.ExportResult, error) {
		return c.Export(ctx, scope, query, sink)
	})
	if err != nil {
		e.addError(err)
		return exportedDay{}, false
	}

	warnUnknown(result.Counts, e.diags)
	warnInvalidUTF8(result.InvalidUTF8, e.diags)

	return exportedDay{
		ExportResult: result,
		complete:     result.Over(day, today),
		kinds:        kinds,
		outputs:      e.outputs,
	}, true
}

// write reserves the files, writes what export hands to the sink, and puts all files in
// their places together.
func (e *dayExport) write(export func(client.ExportSink) (client.ExportResult, error)) (client.ExportResult, error) {
	reservation, err := e.Files.Reserve(e.targets()...)
	if err != nil {
		return client.ExportResult{}, err
	}
	defer reservation.Close()

	sink, err := newFileSink(e.day, e.outputs, reservation, &e.written)
	if err != nil {
		return client.ExportResult{}, err
	}

	exported, err := export(sink)
	if err != nil {
		return client.ExportResult{}, err
	}
	if err := sink.finish(); err != nil {
		return client.ExportResult{}, err
	}

	files, err := reservation.Commit()
	if err != nil {
		return client.ExportResult{}, err
	}
	reservation.Keep()
	for i, file := range files {
		e.outputs[i].written = file
	}

	return exported, nil
}

// checkTargets reports what is at a path and must not be replaced. It looks only at paths
// that are known, and leaves nothing behind.
func (e *dayExport) checkTargets(ctx context.Context) {
	if e.day.Path.IsUnknown() || e.day.Overwrite.IsUnknown() || !kindsKnown(ctx, e.day.Kinds) {
		return
	}

	e.outputs = e.day.outputs(kindsOf(ctx, e.day.Kinds))
	for i, target := range e.targets() {
		_, err := outfile.Look(target.Path)
		if err == nil && !target.Replace {
			err = outfile.ErrExists
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}

		e.addError(&outfile.TargetError{Target: i, Err: err})

		return
	}
}

// targets returns where the files go. A file that the object itself has written may be
// replaced, altered or not.
func (e *dayExport) targets() []outfile.Target {
	var targets []outfile.Target
	for _, o := range e.outputs {
		isOwn := slices.ContainsFunc(e.previous, func(old *output) bool { return outfile.SamePath(old.path, o.path) })
		targets = append(targets, outfile.Target{
			Path:          o.path,
			Replace:       isOwn || e.day.Overwrite.ValueBool(),
			CreateFolders: e.day.CreateDirectories.ValueBool(),
		})
	}

	return targets
}

// exportedDay is a day that is in its files.
type exportedDay struct {
	client.ExportResult

	complete bool           // the day was over
	kinds    []records.Kind // that were asked for
	outputs  []*output
}

// bytes returns the size of all files together.
func (x exportedDay) bytes() (total int64) {
	for _, o := range x.outputs {
		total += o.written.Bytes
	}
	return total
}
