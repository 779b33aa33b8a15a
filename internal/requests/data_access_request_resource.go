// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataAccessRequestResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataAccessRequestResource)(nil)
)

// NewDataAccessRequestResource returns the resource analytics_data_access_request.
func NewDataAccessRequestResource() resource.Resource {
	return &dataAccessRequestResource{requestResource{messages: access, newModel: func() object { return &accessModel{} }}}
}

type dataAccessRequestResource struct{ requestResource }

func (r *dataAccessRequestResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_access_request"
}

func (r *dataAccessRequestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema(descriptions{
		resource: "Requests all data that the service holds of one person and writes them to a file, and nowhere else.",
		request:  access.Name,
		triggers: "Arbitrary values. Changing them requests and writes the data again, in place.",
		wait:     "Whether to wait for the data. If `false`, an apply after the request was carried out writes the file.",
	}, map[string]schema.Attribute{
		"output_path": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Path of the JSON file for the data, in a directory that exists. Mode 0600. Changing it replaces the resource and leaves the old file.",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"overwrite": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether a file at `output_path` that this resource did not write may be replaced. Defaults to `false`.",
		},

		"sha256": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "SHA-256 of the file, in hexadecimal. Null until the file is written.",
		},
		"bytes": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Size of the file in bytes. Null until the file is written.",
		},
	})
}

// access is how messages speak of a data access request for which an object stands.
var access = tfkit.Messages{Name: "data access request", InState: tfkit.NotFulfilled, Advice: adviceAccess}

var adviceAccess = tfkit.RequestAdvice{
	Pending:  tfkit.AdviceLater,
	Unproven: tfkit.AdviceEachRefresh + " If the service answers with the data at once, set wire.all_data.at to a pointer to the data.",
	Over:     adviceTriggers,
}

// accessModel is the model of analytics_data_access_request: a request, and the file
// that its data is written to.
type accessModel struct {
	requestModel
	OutputPath types.String `tfsdk:"output_path"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

func (m *accessModel) planSubmit(r *tfkit.Resource, _ object, diags *diag.Diagnostics) {
	r.RefuseReadOnly(diags)
}

func (m *accessModel) keepComputed(state object) {
	m.requestModel.keepComputed(state)
	if before, ok := state.(*accessModel); ok {
		m.SHA256, m.Bytes = before.SHA256, before.Bytes
	}
}

// planComputed plans all computed attributes: even fetching can end in another request.
func (m *accessModel) planComputed(bool) {
	m.requestModel.planComputed(true)
	m.SHA256, m.Bytes = types.StringUnknown(), types.Int64Unknown()
}

func (m *accessModel) newOperation(r *tfkit.Resource, run tfkit.Run, c *client.Client, scope client.Scope) operation {
	key, _ := m.idempotencyKey()
	run.Request = accessRequest(client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, key)
	target := outfile.Target{Path: m.OutputPath.ValueString(), Replace: m.Overwrite.ValueBool()}

	return &fetch{requestRun: requestRun{Run: run, model: m}, object: m, client: c, files: &r.Files, target: target}
}

// fromSubmission sets the computed attributes from a submission whose data is not written.
// fulfilled is false even if the service has carried the request out.
func (m *accessModel) fromSubmission(s deferred.Submission) {
	m.requestModel.fromSubmission(s)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	if m.SHA256.IsUnknown() { // known values describe a file that is still there
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	}
}

// fromFile sets the computed attributes from a file that was written now.
func (m *accessModel) fromFile(s deferred.Submission, written *outfile.File) {
	m.requestModel.fromSubmission(s)
	m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(true), instant(time.Now())
}

func (m *accessModel) applied(*tfkit.Resource) {}

// forget leaves the file to another object of the run.
func (m *accessModel) forget(ctx context.Context, r *tfkit.Resource, _ deferred.Submission) {
	r.Files.Leave(ctx, m.OutputPath.ValueString(), m.SHA256.ValueString())
}

// warnDestroyed warns that destroying the object leaves the file or the request.
func (m *accessModel) warnDestroyed(diags *diag.Diagnostics) {
	m.warnForgotten(access.Name, tfkit.Problem{
		Summary: "The file with the data stays",
		Detail:  "Destroying this resource only removes it from state. The file at output_path holds all data of a person and stays where it is; delete it yourself when it is no longer needed.",
	}, diags)
}
