package export

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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
		Do:      "remove the cause and apply again, which exports the day once more and replaces all files.",
		At:      atPath,
	}},
	{outfile.ErrExists, tfkit.Problem{
		Summary: "There is a file already",
		Detail:  "{file} would replace one that this object did not write, and that may belong to another object. It is left as it is.",
		Do:      "choose another path, remove the file, or set overwrite = true if it may be replaced.",
		At:      atPath,
	}},
	{outfile.ErrInUse, tfkit.Problem{
		Summary: "Two objects with one file",
		Detail:  "Another object of this run has written a file at this path. Nothing was asked of the service.",
		Do:      "give each object a path of its own.",
		At:      atPath,
	}},
	{outfile.ErrBusy, tfkit.Problem{
		Summary: "Two writers with one file",
		Detail:  "{file} cannot be written: {reason}. Nothing was asked of the service.",
		Do:      "give each object a path of its own, also in other workspaces and under other provider configurations; or apply again when the other run has ended.",
		At:      atPath,
	}},
	{outfile.ErrNoFolder, tfkit.Problem{
		Summary: "The folder does not exist",
		Detail:  "{file} cannot be written: {reason}. Nothing was asked of the service.",
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
		Do:      "correct path, or what is at that path, and apply again.",
		At:      atPath,
	}
}

// addError reports why there are no new files.
func (e *fileExport) addError(err error) {
	if client.IsError(err) {
		tfkit.AddError(e.diags, err, e.inState)
		return
	}

	problem := writeProblemOf(err)
	problem.Detail = strings.NewReplacer(
		"{file}", e.describeFile(err),
		"{reason}", err.Error(),
		"{max_bytes}", strconv.FormatInt(e.model.MaxBytes.ValueInt64(), 10),
	).Replace(problem.Detail)
	problem.InState = e.inState
	problem.AddError(e.diags)
}

// describeFile names the file that an error is about, as the beginning of a sentence.
func (e *fileExport) describeFile(err error) string {
	if target, ok := errors.AsType[*outfile.TargetError](err); ok && e.model.split() {
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

// addUnreadable reports a file that a refresh cannot read.
func addUnreadable(err error, diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The file cannot be read",
		Detail:  "The reason: " + err.Error() + ".",
		InState: tfkit.PriorKept,
		Do:      "make the file readable for the user that runs Terraform.",
		At:      atPath,
	}.AddError(diags)
}

// addNotRemoved reports a file that cannot be removed.
func addNotRemoved(err error, diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The file could not be removed",
		Detail:  "The reason: " + err.Error() + ".",
		InState: tfkit.PriorKept,
		Do:      "remove the cause and destroy again, or remove the file yourself and destroy then.",
		At:      atPath,
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
		Detail:  "The answer does not tell the kind of " + strconv.FormatInt(n, 10) + " records. They are exported all the same, and counted as unknown.",
		Do:      "nothing, or set wire.export_kind_parameter in the provider block if your service selects the kind by a parameter.",
	}.AddWarning(diags)
}

// warnDifferent warns that the plan exports the day again because of what a refresh found.
func warnDifferent(found map[verdict]int, diags *diag.Diagnostics) {
	problem := tfkit.Problem{
		Summary: "A file is missing",
		Detail:  "Some of the files of this object do not exist any more. The plan therefore exports the day again and replaces all of them.",
		Do:      "nothing, or put the files back.",
		At:      atPath,
	}

	if found[altered] > 0 {
		problem.Summary = "The file was altered"
		problem.Detail = "What is at path is not what this object wrote there. The plan therefore exports the day again and replaces the file."
		problem.Do = "nothing, or move the altered file away, or remove the object from the configuration: destroying it leaves an altered file where it is."
	}
	if found[notRegular] > 0 {
		problem.Summary = "There is something else at path"
		problem.Detail = "What is at path is no regular file any more. The plan exports the day again, and its apply refuses to replace what is there."
		problem.Do = "move away what is at path, or choose another path."
	}

	problem.AddWarning(diags)
}

// warnStays warns that destroying the object leaves a file that is not its own any more.
func warnStays(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The file stays",
		Detail:  "What is at path is not what this object wrote there, so it is left as it is; it may hold personal data. Delete it yourself when it is no longer needed.",
	}.AddWarning(diags)
}

// warnOldStays warns that a file of an earlier export stays. reason completes the sentence
// "It stays, because …".
func warnOldStays(diags *diag.Diagnostics, reason string) {
	tfkit.Problem{
		Summary: "The old file stays",
		Detail:  "The day is in its new place. A file that this object wrote before stays where it is, because " + reason + ". It holds personal data, and no object manages it any more.",
		Do:      "delete it yourself when it is no longer needed.",
		At:      atPath,
	}.AddWarning(diags)
}
