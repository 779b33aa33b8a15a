// SPDX-License-Identifier: MPL-2.0

package export

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var atPath = path.Root("path")

// writeProblems are the problems of errors that are not the service's; the first one that
// applies counts. In Detail, {file}, {reason} and {max_bytes} are replaced.
var writeProblems = []struct {
	err     error
	problem tfkit.Problem
}{
	{errTooMuch, tfkit.Problem{
		Summary: "The day is larger than max_bytes",
		Detail:  "The export would be larger than {max_bytes} bytes; what was written of it is removed.",
		Do:      "raise max_bytes, ask for fewer kinds, or compress the file.",
		At:      atMaxBytes,
	}},
	{outfile.ErrPartial, tfkit.Problem{
		Summary: "The files could not all be replaced",
		Detail:  "{file} could not be put in its place, and the files before it could not be restored: {reason}.",
		Do:      "remove the cause and run again, which exports the day once more and replaces all files.",
		At:      atPath,
	}},
	{outfile.ErrExists, tfkit.Problem{
		Summary: "There is a file already",
		Detail:  "{file} would replace one that is at path already, and that may belong to another object. It is left as it is.",
		Do:      "choose another path, remove the file, or set overwrite = true if it may be replaced.",
		At:      atPath,
	}},
	{outfile.ErrInUse, tfkit.Problem{
		Summary: "Two objects with one file",
		Detail:  "Another object of this run has written a file at this path. No request was sent.",
		Do:      "give each object a path of its own.",
		At:      atPath,
	}},
	{outfile.ErrBusy, tfkit.Problem{
		Summary: "Two writers with one file",
		Detail:  "{file} cannot be written: {reason}. No request was sent.",
		Do:      "give each object a path of its own, also in other workspaces and under other provider configurations; or run again when the other run has ended.",
		At:      atPath,
	}},
	{outfile.ErrNoFolder, tfkit.Problem{
		Summary: "The folder does not exist",
		Detail:  "{file} cannot be written: {reason}. No request was sent.",
		Do:      "create the folder, correct path, or set create_directories = true.",
		At:      atPath,
	}},
	{outfile.ErrNoSpace, tfkit.Problem{
		Summary: "The disk is full",
		Detail:  "{file} could not be written to its end: {reason}. What was written of it is removed.",
		Do:      "free space on the disk of path, choose a path on another one, or compress the file.",
		At:      atPath,
	}},
}

// writeProblemOf returns the problem of an error that is not the service's.
func writeProblemOf(err error) tfkit.Problem {
	for _, known := range writeProblems {
		if errors.Is(err, known.err) {
			return known.problem
		}
	}

	return tfkit.Problem{
		Summary: "The file could not be written",
		Detail:  "{file} could not be written. The reason: {reason}.",
		Do:      "correct path, or what is at that path, and run again.",
		At:      atPath,
	}
}

// addError reports why there are no new files.
func (e *dayExport) addError(err error) {
	if transport.IsError(err) {
		tfkit.AddError(e.diags, err, e.inState)
		return
	}

	problem := writeProblemOf(err)
	problem.Detail = strings.NewReplacer(
		"{file}", e.describeFile(err),
		"{reason}", err.Error(),
		"{max_bytes}", strconv.FormatInt(e.day.MaxBytes.ValueInt64(), 10),
	).Replace(problem.Detail)
	problem.InState = e.inState
	problem.AddError(e.diags)
}

// describeFile names the file that an error is about, as the beginning of a sentence.
func (e *dayExport) describeFile(err error) string {
	if target, ok := errors.AsType[*outfile.TargetError](err); ok && e.day.split() {
		return "The file of " + e.outputs[target.Target].name
	}
	return "The file"
}

// addNoExport refuses a scope of the path family that has no export.
func addNoExport(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "No export for accounts",
		Detail:  "The export does not exist in the older account path family, which account_id selects.",
		Do:      "set org_id and project_id, in this object or in the provider block.",
	}.AddError(diags)
}

// warnUnknown warns if there are records of unknown kind.
func warnUnknown(counts records.Counts, diags *diag.Diagnostics) {
	n := counts.Of(records.Unknown)
	if n == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Records of unknown kind",
		Detail:  strconv.FormatInt(n, 10) + " records do not state their kind. They are records because of wire.export_record_member, are exported all the same, and counted as unknown.",
		Do:      "nothing, or set wire.export_kind_parameter in the provider block if your service selects the kind by a parameter.",
	}.AddWarning(diags)
}
