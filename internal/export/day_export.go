// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"slices"
	"sync/atomic"

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

	kinds    []records.Kind // that are asked for
	outputs  []*output      // the files to write
	reserved *outfile.Reservation
	result   client.ExportResult
	complete bool // the day was over

	// What has been written so far. It may be read at any time.
	records, bytes atomic.Int64 // bytes of all files together, after compression
}

// run reserves the files, writes the records of the day, and puts all files in their places
// together. It reports false, and leaves the old files in place, after an error.
func (e *dayExport) run(ctx context.Context) (ok bool) {
	c, scope, ok := e.ClientAndScope(e.day.Scope, e.diags)
	if !ok {
		return false
	}
	today := c.Today()
	day, ok := e.day.checkDay(today, e.diags)
	if !ok {
		return false
	}

	e.kinds = kindsOf(ctx, e.day.Kinds)
	reserved, err := e.Files.Reserve(e.targets()...)
	if err != nil {
		return e.fail(err)
	}
	defer reserved.Close()
	e.reserved = reserved

	query := client.ExportQuery{Day: day, Kinds: e.kinds, Finished: !e.day.AllowIncompleteDay.ValueBool()}
	if e.result, err = c.Export(ctx, scope, query, e.write); err != nil {
		return e.fail(err)
	}
	written, err := reserved.Commit()
	if err != nil {
		return e.fail(err)
	}

	for i, file := range written {
		e.outputs[i].written = file
	}
	e.complete = e.result.Complete
	if e.result.InvalidUTF8 > 0 {
		invalidUTF8(e.result.InvalidUTF8).AddWarning(e.diags)
	}

	return true
}

// checkTargets reports what is at a path and must not be replaced. It looks only at paths
// that are known, and leaves nothing behind.
func (e *dayExport) checkTargets(ctx context.Context) {
	if e.day.Path.IsUnknown() || e.day.Overwrite.IsUnknown() || !kindsKnown(ctx, e.day.Kinds) {
		return
	}

	e.kinds = kindsOf(ctx, e.day.Kinds)
	for i, target := range e.targets() {
		if err := outfile.Check(target); err != nil {
			e.fail(&outfile.TargetError{Target: i, Err: err})
			return
		}
	}
}

// targets sets the outputs, and returns where they go. A file that the object itself has written
// may be replaced, altered or not.
func (e *dayExport) targets() []outfile.Target {
	e.outputs = e.day.outputs(e.kinds)
	var targets []outfile.Target
	for _, o := range e.outputs {
		targets = append(targets, outfile.Target{
			Path:          o.path,
			Replace:       slices.ContainsFunc(e.previous, o.isAt) || e.day.Overwrite.ValueBool(),
			CreateFolders: e.day.CreateDirectories.ValueBool(),
		})
	}

	return targets
}
