// SPDX-License-Identifier: MPL-2.0

package export

import (
	"bufio"
	"context"
	"slices"
	"strings"
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

	kinds   []records.Kind // that are asked for
	outputs []*output      // the files to write
	result  client.ExportResult

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
	day, err := client.ParseDay(e.day.UTCDate.ValueString())
	if err != nil {
		return e.fail(err, nil)
	}

	var files []*outfile.Output
	defer func() {
		for _, file := range files {
			file.Close()
		}
	}()
	e.kinds = kindsOf(ctx, e.day.Kinds)
	e.outputs = e.outputsOf(e.kinds)
	for _, o := range e.outputs {
		if o.file, err = e.Files.Reserve(o.Target); err != nil {
			return e.fail(err, o)
		}
		files = append(files, o.file)
	}

	query := client.ExportQuery{Day: day, Kinds: e.kinds, Finished: !e.day.AllowIncompleteDay.ValueBool()}
	if e.result, err = c.Export(ctx, scope, query, e.write); err != nil {
		return e.fail(err, nil)
	}
	written, err := outfile.Commit(files...)
	if err != nil {
		return e.fail(err, nil)
	}

	for i, file := range written {
		e.outputs[i].written = file
	}

	return true
}

// wholeFile is the name of the only file of an object, which holds all kinds.
const wholeFile = "all"

// outputsOf returns the files to write: one for each of kinds, or a single one. A file that the object
// itself has written may be replaced, altered or not, and any file as long as overwrite is not known.
func (e *dayExport) outputsOf(kinds []records.Kind) (list []*output) {
	if !e.day.split() {
		kinds = []records.Kind{records.Unknown}
	}
	for _, kind := range kinds {
		o := &output{name: kind.Plural(), kind: kind, withKind: e.day.withKind().ValueBool()}
		if kind == records.Unknown {
			o.name = wholeFile
		}
		o.Path = strings.ReplaceAll(e.day.Path.ValueString(), kindPlaceholder, kind.Plural())
		o.Replace = e.day.Overwrite.ValueBool() || e.day.Overwrite.IsUnknown() || slices.ContainsFunc(e.previous, o.isAt)
		o.CreateFolders = e.day.CreateDirectories.ValueBool()
		list = append(list, o)
	}

	return list
}

// output is one file of an object, before and after it is written.
type output struct {
	outfile.Target

	name     string // plural of the kind, or wholeFile
	kind     records.Kind
	withKind bool // each line names its kind

	written outfile.File

	// While it is written:
	file  *outfile.Output
	lines *bufio.Writer
}

// isAt reports whether two files have one path, in any spelling.
func (o *output) isAt(other *output) bool { return outfile.SamePath(o.Path, other.Path) }
