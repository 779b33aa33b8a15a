// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// accessModel is the model of analytics_data_access_request: a request, and the file
// that its data is written to.
type accessModel struct {
	requestModel
	OutputPath types.String `tfsdk:"output_path"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

// fromAccepted sets the computed attributes from a submission whose data is not written.
// fulfilled is false even if the service has carried the request out.
func (m *accessModel) fromAccepted(s deferred.Submission) {
	m.fromSubmission(s)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	if m.SHA256.IsUnknown() { // known values describe a file that is still there
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	}
}

// fromFile sets the computed attributes from a file that was written now.
func (m *accessModel) fromFile(s deferred.Submission, written *outfile.File) {
	m.fromSubmission(s)
	m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(true), instant(time.Now())
}

// fileIsIntact reports whether the file is there as it was written. Otherwise it adds a
// warning that the plan requests the data again, or an error if the file cannot be read.
func (m *accessModel) fileIsIntact(ctx context.Context, diags *diag.Diagnostics) bool {
	file, err := outfile.Read(ctx, m.OutputPath.ValueString())
	if err == nil && file.SHA256 == m.SHA256.ValueString() {
		return true
	}

	lost := tfkit.Problem{
		Summary: "The data is requested again",
		Detail:  "The file at output_path is not what was written to it. The plan therefore requests the data of the person once more. The apply replaces what is there only if it is a regular file and overwrite is set. Otherwise it ends with an error and sends nothing.",
		Do:      "move away what is at output_path, or put the file back. If two resources have this output_path, give each its own.",
		At:      atOutputPath,
	}

	switch {
	case errors.Is(err, fs.ErrNotExist):
		lost.Detail = "The file at output_path does not exist any more. The plan therefore requests the data of the person once more and writes it there."
		lost.Do = "nothing, if the data is to be requested again; or put the file back; or remove the resource from the configuration and the state."

	case err != nil && !errors.Is(err, outfile.ErrNotRegular):
		tfkit.Problem{
			Summary: "The file cannot be read",
			Detail:  because(err),
			InState: tfkit.PriorKept,
			Do:      "make the file readable for the user that runs Terraform.",
			At:      atOutputPath,
		}.AddError(diags)

		return false
	}

	lost.AddWarning(diags)

	return false
}
