// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"

	"github.com/dustin/go-humanize"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ action.ActionWithModifyPlan = (*requestDataAccessAction)(nil)

// NewRequestDataAccessAction returns the action analytics_request_data_access.
func NewRequestDataAccessAction(s *tfkit.Service) action.Action { return &requestDataAccessAction{s} }

type requestDataAccessAction struct{ *tfkit.Service }

type requestDataAccessModel struct {
	tfkit.PersonActionModel
	OutputPath types.String `tfsdk:"output_path"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

func (a *requestDataAccessAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_request_data_access"
}

func (a *requestDataAccessAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Requests all data that the service holds of one person and writes them to a file. Each invocation is another request.",
		Attributes: map[string]schema.Attribute{
			"output_path": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Path of the JSON file for the data, in a directory that exists. Mode 0600.",
			},
			"overwrite": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether a file at `output_path` may be replaced. Defaults to `false`.",
			},
		},
	}
	tfkit.AddPersonAction(&resp.Schema, "Whether to wait for the data. If `false`, a later invocation that waits writes the file.",
		"After that, the request stays accepted, and the action ends with an error, because there is no file.")
}

func (a *requestDataAccessAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m requestDataAccessModel
	a.PlanPerson(ctx, req, &m, &resp.Diagnostics)
}

func (a *requestDataAccessAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m requestDataAccessModel
	c, person, ok := a.InvokePerson(ctx, req, resp, &m)
	if !ok {
		return
	}

	o := run.OfAction(ctx, a.Service, resp, m.PersonActionModel)
	o.Name = access.Name
	o.Pending = "invoke the action again later: it takes the request over."
	o.Unproven = o.Pending + adviceAtOnce
	o.Request = deferred.Request{Person: person, Type: decode.RequestDataAccess, IdempotencyKey: deferred.AnyIdempotencyKey}
	f := &fetch{Run: o, client: c}
	output, err := a.Files.Reserve(outfile.Target{Path: m.OutputPath.ValueString(), Replace: m.Overwrite.ValueBool()})
	if err != nil {
		problemOf(err, " Nothing was sent to the service.").AddError(f.Diags)
		return
	}
	f.output = output
	defer f.close()

	written, problem := f.obtain(ctx)
	if problem != nil {
		problem.Detail += " There is no file."
		problem.AddError(f.Diags)
	}
	if written != nil {
		tfkit.Say(resp, "Written: "+humanize.Comma(written.Bytes)+" bytes, SHA-256 "+written.SHA256+".")
	}
}

// obtain submits the request, waits for it, and puts the file in place. Without a problem, there is no file only if the
// action does not wait.
func (f *fetch) obtain(ctx context.Context) (*outfile.File, *tfkit.Problem) {
	written, err := f.deliver(ctx)
	if err != nil {
		p := problemOf(err, "")
		return nil, &p
	}
	if problem := f.Wait(ctx); problem != nil || written != nil {
		return written, problem
	}

	return f.fetchReady(ctx)
}
