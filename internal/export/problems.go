// SPDX-License-Identifier: MPL-2.0

package export

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var atPath = path.Root("path")

// writeProblem is the problem of an error that is not the service's. In Detail, {file}, {reason} and
// {max_bytes} are replaced.
type writeProblem struct {
	err     error // nil for any other
	problem tfkit.Problem
}

// writeProblems are in the order in which they apply.
var writeProblems = []writeProblem{
	{errTooMuch, tfkit.Problem{
		Summary: "The day is larger than max_bytes",
		Detail:  "The export would be larger than {max_bytes} bytes; what was written of it is removed.",
		Do:      "raise max_bytes, ask for fewer kinds, or compress the file.",
		At:      atMaxBytes,
	}},
	{outfile.ErrPartial, tfkit.Problem{
		Summary: "The files could not all be replaced",
		Detail:  "{file} could not be put in its place: {reason}.",
		InState: "as before; some of the new files are in their places",
		Do:      "remove the cause and run again, which exports the day once more and replaces all files.",
		At:      atPath,
	}},
	{outfile.ErrExists, tfkit.Problem{
		Summary: "There is a file already",
		Detail:  "{file} would replace one that is at path already. That one may belong to another resource, so it was left as it is.",
		Do:      "choose another path, remove the file, or set overwrite = true if it may be replaced.",
		At:      atPath,
	}},
	{outfile.ErrInUse, tfkit.Problem{
		Summary: "Two resources write the same file",
		Detail:  "Another resource of this run has written a file at this path. No request was sent.",
		Do:      "give each resource a path of its own.",
		At:      atPath,
	}},
	{outfile.ErrBusy, tfkit.Problem{
		Summary: "Another run writes the same file",
		Detail:  "{file} cannot be written: {reason}. No request was sent.",
		Do:      "give each resource a path of its own, also in other workspaces and under other provider configurations; or run again when the other run has ended.",
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
	{nil, tfkit.Problem{
		Summary: "The file could not be written",
		Detail:  "{file} could not be written. The reason: {reason}.",
		Do:      "correct path, or what is at that path, and run again.",
		At:      atPath,
	}},
}

// fail reports why there are no new files, and returns false. of is the output that the error is about;
// nil for all.
func (e *dayExport) fail(err error, of *output) bool {
	if transport.IsError(err) {
		tfkit.ProblemOf(err, e.inState).AddError(e.diags)
		return false
	}

	file := "The file"
	if of != nil && e.day.split() {
		file = "The file of " + of.name
	}

	i := slices.IndexFunc(writeProblems, func(known writeProblem) bool { return known.err == nil || errors.Is(err, known.err) })
	problem := writeProblems[i].problem
	problem.Detail = strings.NewReplacer(
		"{file}", file, "{reason}", err.Error(), "{max_bytes}", strconv.FormatInt(e.day.MaxBytes.ValueInt64(), 10),
	).Replace(problem.Detail)
	problem.InState = cmp.Or(problem.InState, e.inState)
	problem.AddError(e.diags)

	return false
}

const (
	// markedIncomplete says what an incomplete day means for what has an attribute complete.
	markedIncomplete = "What is exported now is marked with complete = false."

	// partOfTheDay says what an incomplete day means for the files of an action.
	partOfTheDay = "The files hold a part of the day."
)

// notOver is the problem of the current day. outcome says what that means for what is exported.
func notOver(outcome string) tfkit.Problem {
	return tfkit.Problem{Summary: "The day is not over", Detail: tfkit.WhyNotOver + " " + outcome, At: tfkit.AtUTCDate}
}

// warnOf adds the warnings about the answer of an export. outcome says what an incomplete day means.
func warnOf(exported client.ExportResult, outcome string, diags *diag.Diagnostics) {
	if exported.InvalidUTF8 > 0 {
		tfkit.Problem{
			Summary: "Invalid UTF-8 was replaced",
			Detail:  "In " + strconv.FormatInt(exported.InvalidUTF8, 10) + " records there were bytes that are not valid UTF-8. Each sequence of such bytes was replaced by one U+FFFD, the replacement character, because wire.export.invalid_utf8 is \"replace\".",
		}.AddWarning(diags)
	}
	if !exported.Complete {
		notOver(outcome).AddWarning(diags)
	}
}

// What a refresh can find in place of the files, which the plan therefore exports again.
var (
	fileMissing = tfkit.Problem{
		Summary: "A file is missing",
		Detail:  "Some of the files of this resource do not exist any more. The plan therefore exports the day again and replaces all of them.",
		Do:      "nothing, or put the files back.",
		At:      atPath,
	}
	fileAltered = tfkit.Problem{
		Summary: "The file was altered",
		Detail:  "What is at path is not what this resource wrote there. The plan therefore exports the day again and replaces the file. If it is not a regular file any more, the apply refuses to replace it.",
		Do:      "nothing, or move what is there away, or remove the resource from the configuration: destroying it leaves an altered file where it is.",
		At:      atPath,
	}
)
