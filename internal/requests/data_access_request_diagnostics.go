// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var atOutputPath = path.Root("output_path")

// because returns the sentence that gives the reason of an error about the file. The
// errors of outfile hold no path.
func because(err error) string { return "The reason: " + err.Error() + "." }

// addReserveError reports that output_path cannot be written to, before anything is sent.
func (f *fetch) addReserveError(err error) {
	problem := reserveProblem(err)
	problem.InState = f.inState
	problem.AddError(f.Diags)
}

// reserveProblem returns the problem that output_path cannot be written to, before
// anything is sent.
func reserveProblem(err error) tfkit.Problem {
	problem := tfkit.Problem{
		Summary: "The file cannot be written",
		Detail:  because(err) + " Nothing was sent to the service.",
		Do:      "correct output_path, or what is at that path.",
		At:      atOutputPath,
	}

	if errors.Is(err, outfile.ErrExists) {
		problem.Summary = "There is a file already"
		problem.Detail = because(err) + " It may hold the data of somebody else, so it is left as it is. Nothing was sent to the service."
		problem.Do = "choose another output_path, move the file away, or set overwrite = true if it may be replaced."
	}
	if errors.Is(err, outfile.ErrInUse) || errors.Is(err, outfile.ErrBusy) {
		problem.Summary = "Two objects with one file"
		problem.Do = "give each object an output_path of its own, also in other workspaces and under other provider configurations."
	}

	return problem
}

// addDeliverError reports an error of deliver while the request is submitted.
func (f *fetch) addDeliverError(err error) {
	if transport.IsError(err) {
		tfkit.AddError(f.Diags, err, f.inState)
		return
	}

	problem := writeProblem(err)
	problem.InState = f.inState
	problem.AddError(f.Diags)
}

// writeProblem returns the problem that the data could not be written.
func writeProblem(err error) tfkit.Problem {
	return tfkit.Problem{
		Summary: "The file could not be written",
		Detail:  because(err) + " The service has sent the data, and they were discarded.",
		Do:      "remove the cause and run again.",
		At:      atOutputPath,
	}
}

// warnNotReserved warns that data that are ready were not fetched because of the file.
func (f *fetch) warnNotReserved(err error) {
	tfkit.Problem{
		Summary: "The file cannot be written",
		Detail:  "The service has carried out the data access request. " + because(err) + " The data were not fetched.",
		InState: requestKept,
		Do:      "remove the cause and run again. If a file at output_path may be replaced, set overwrite = true.",
		At:      atOutputPath,
	}.AddWarning(f.Diags)
}

// warnNotDelivered warns of an error of deliver after the request was carried out. It is
// a warning because the request is accepted and has to stay in state.
func (f *fetch) warnNotDelivered(err error) {
	if transport.IsError(err) {
		tfkit.Problem{
			Summary: "The data could not be fetched",
			Detail:  "The service has carried out the data access request, and fetching the data failed: " + err.Error() + ".",
			InState: requestKept,
			Do:      "remove the cause and run again.",
		}.AddWarning(f.Diags)
		return
	}

	tfkit.Problem{
		Summary: "The file could not be written",
		Detail:  "The service has sent the data. " + because(err),
		InState: requestKept,
		Do:      "remove the cause and run again.",
		At:      atOutputPath,
	}.AddWarning(f.Diags)
}

// warnNoData warns that the service has accepted another request instead of giving data.
func warnNoData(diags *diag.Diagnostics, person string, other deferred.Submission) {
	problem := noDataProblem(person, other)
	problem.InState = "the other request, with fulfilled = false"
	problem.AddWarning(diags)
}

// noDataProblem returns the problem that the service has accepted another request instead
// of giving data.
func noDataProblem(person string, other deferred.Submission) tfkit.Problem {
	return tfkit.Problem{
		Summary: "The service gave no data",
		Detail:  "The data access request is no longer pending, and instead of giving the data the service has accepted another one, request " + shownID(other.ID, person) + ".",
		Do:      "run again once that request is carried out. If the result is the same and the answer was the data, name a member that the data has at its top in wire.all_data_member.",
	}
}

// warnSameData warns that changed triggers have brought the data of before.
func warnSameData(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The service gave the same data as before",
		Detail:  "The triggers have changed, and the service answered at once with exactly the data that was in the file. It may go on giving what it prepared for the request of before, for a time that only its operator knows. Triggers that change after that time get new data.",
		InState: "the same data, as those of the changed triggers",
	}.AddWarning(diags)
}

// addFileUnreadable reports a file that a refresh cannot read.
func addFileUnreadable(diags *diag.Diagnostics, err error) {
	tfkit.Problem{
		Summary: "The file cannot be read",
		Detail:  because(err),
		InState: tfkit.PriorKept,
		Do:      "make the file readable for the user that runs Terraform.",
		At:      atOutputPath,
	}.AddError(diags)
}

// warnFileLost warns that the plan requests the data again because the file is gone.
func warnFileLost(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The data are requested again",
		Detail:  "The file at output_path does not exist any more. The plan therefore requests the data of the person once more and writes them there.",
		Do:      "nothing, if the data are to be requested again; or put the file back; or remove the object from the configuration and the state.",
		At:      atOutputPath,
	}.AddWarning(diags)
}

// warnFileAltered warns that the plan requests the data again because of what is at
// output_path, and that its apply may refuse to replace that.
func warnFileAltered(diags *diag.Diagnostics, what string) {
	tfkit.Problem{
		Summary: "The data are requested again",
		Detail:  what + " The plan therefore requests the data of the person once more. Its apply refuses to replace what is there, and sends nothing, unless it is a regular file and overwrite is set.",
		Do:      "move away what is at output_path, or put the file back. If two objects have this output_path, give each its own.",
		At:      atOutputPath,
	}.AddWarning(diags)
}

// warnNotUndone warns that destroying the object leaves the file or the request.
func (m *accessModel) warnNotUndone(diags *diag.Diagnostics) {
	if m.Fulfilled.ValueBool() {
		tfkit.Problem{
			Summary: "The file with the data stays",
			Detail:  "Destroying this resource only removes it from state. The file at output_path holds all data of a person and stays where it is; delete it yourself when it is no longer needed.",
		}.AddWarning(diags)
		return
	}

	tfkit.Problem{
		Summary: "The data access request cannot be undone",
		Detail:  "Destroying this resource only removes it from state. The request that it stands for, " + shownID(m.RequestID.ValueString(), m.IdentityID.ValueString()) + ", has been accepted: it stays pending at the service, which offers no way to cancel it.",
	}.AddWarning(diags)
}
