// SPDX-License-Identifier: MPL-2.0

package export

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var atPath = path.Root("path")

// writeProblems are the problems of errors outside of the service, in the order in which they apply.
var writeProblems = []struct {
	err         error
	summary, do string
	inState     string // if it is not as before
}{
	{errTooMuch, "The day is larger than max_bytes", "raise max_bytes, ask for fewer kinds, or compress the file.", ""},
	{
		outfile.ErrPartial, "The files could not all be replaced", "remove the cause and run again, which exports the day once more and replaces all files.",
		"as before; some of the new files are in their places",
	},
	{outfile.ErrExists, "There is a file already", "choose another path, remove the file, or set overwrite = true if it may be replaced.", ""},
	{outfile.ErrInUse, "Two resources write the same file", "give each resource a path of its own.", ""},
	{
		outfile.ErrBusy, "Another run writes the same file",
		"give each resource a path of its own, also in other workspaces and under other provider configurations; or run again when the other run has ended.",
		"",
	},
	{outfile.ErrNoFolder, "The folder does not exist", "create the folder, correct path, or set create_directories = true.", ""},
	{outfile.ErrNoSpace, "The disk is full", "free space on the disk of path, choose a path on another one, or compress the file.", ""},
}

// fail reports why there are no new files, and returns false. of is the output that cannot be written, before any
// request; nil for an error after that.
func (e *dayExport) fail(err error, of *output) bool {
	if transport.IsError(err) {
		tfkit.ProblemOf(err, e.inState).AddError(e.diags)
		return false
	}

	file, end := "The file", ". What was written of it is removed."
	if of != nil {
		end = ". No request was sent."
		if e.day.split() {
			file = "The file of " + of.name
		}
	}
	problem := tfkit.Problem{
		Summary: "The file could not be written", Detail: file + " could not be written: " + err.Error() + end,
		InState: e.inState, Do: "correct path, or what is at that path, and run again.", At: atPath,
	}
	for _, known := range writeProblems {
		if errors.Is(err, known.err) {
			problem.Summary, problem.Do, problem.InState = known.summary, known.do, cmp.Or(known.inState, e.inState)
			break
		}
	}
	problem.AddError(e.diags)

	return false
}

// notOver is the problem of the current day.
var notOver = tfkit.Problem{
	Summary: "The day is not over",
	Detail:  "It is still that day in UTC, by the clock of this machine or of the service, so more records will come, and an export holds a part of the day. The service advises against it, and recommends 02:00 UTC of the next day.",
	At:      path.Root("utc_date"),
}

// warnOf adds the warnings about the answer of an export.
func warnOf(exported client.ExportResult, diags *diag.Diagnostics) {
	if exported.InvalidUTF8 > 0 {
		tfkit.Problem{
			Summary: "Invalid UTF-8 was replaced",
			Detail:  "In " + strconv.FormatInt(exported.InvalidUTF8, 10) + " records there were bytes that are not valid UTF-8. Each sequence of such bytes was replaced by one U+FFFD, the replacement character, because wire.export.invalid_utf8 is \"replace\".",
		}.AddWarning(diags)
	}
	if !exported.Complete {
		notOver.AddWarning(diags)
	}
}

// fileDiffers is what a refresh can find in place of the files, which the plan therefore exports again.
var fileDiffers = tfkit.Problem{
	Summary: "A file is not as it was written",
	Detail:  "A file of this resource is missing, or what is at its path is not what this resource wrote there. The plan exports the day again and replaces all of its files, if they are regular ones.",
	Do:      "nothing, or move what is there away, or remove the resource from the configuration: a destroy leaves an altered file.",
	At:      atPath,
}
