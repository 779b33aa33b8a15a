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
)

// accessModel is the model of analytics_data_access_request: a request, and the file
// that its data are written to.
type accessModel struct {
	requestModel
	OutputPath types.String `tfsdk:"output_path"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

// keepFile copies the description of the file from state.
func (m *accessModel) keepFile(state accessModel) { m.SHA256, m.Bytes = state.SHA256, state.Bytes }

// planFile plans the description of a file that apply writes.
func (m *accessModel) planFile() { m.SHA256, m.Bytes = types.StringUnknown(), types.Int64Unknown() }

// replaces reports whether a change from state to m replaces the object.
func (m *accessModel) replaces(state accessModel) bool {
	return !m.IdentityID.Equal(state.IdentityID) || !m.OutputPath.Equal(state.OutputPath)
}

// planComputed plans the computed attributes of an object in state. s is the submission
// that the object stands for.
func (m *accessModel) planComputed(state accessModel, s deferred.Submission) {
	if m.planChange(state.requestModel, s) == changeNothing {
		m.keepFile(state)
		return
	}

	m.planSubmission() // even fetching can end in another request
	m.planFile()
}

// fromAccepted sets the computed attributes from a submission whose data are not written.
// fulfilled is false even if the service has carried the request out.
func (m *accessModel) fromAccepted(s deferred.Submission) {
	m.fromSubmission(s)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	if m.SHA256.IsUnknown() { // known values describe a file that is still there
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	}
}

// fromFile sets the computed attributes from a file that was written now.
func (m *accessModel) fromFile(written outfile.File) {
	m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	m.setFulfilled(time.Now())
}

// fileIsIntact reports whether the file is there as it was written. Otherwise it adds a
// warning, or an error if the file cannot be read.
func (m *accessModel) fileIsIntact(ctx context.Context, diags *diag.Diagnostics) bool {
	file, err := outfile.Read(ctx, m.OutputPath.ValueString())
	if errors.Is(err, fs.ErrNotExist) {
		warnFileLost(diags)
		return false
	}
	if errors.Is(err, outfile.ErrNotRegular) {
		warnFileAltered(diags, "At output_path there is something that is no regular file.")
		return false
	}
	if err != nil {
		addFileUnreadable(diags, err)
		return false
	}

	if file.SHA256 != m.SHA256.ValueString() {
		warnFileAltered(diags, "The file at output_path is not what was written to it.")
		return false
	}

	return true
}
