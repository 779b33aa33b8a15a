// SPDX-License-Identifier: MPL-2.0

package export

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

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
