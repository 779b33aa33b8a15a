// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ action.ActionWithConfigure  = (*requestDataAccessAction)(nil)
	_ action.ActionWithModifyPlan = (*requestDataAccessAction)(nil)
)

// NewRequestDataAccessAction returns the action analytics_request_data_access.
func NewRequestDataAccessAction() action.Action { return &requestDataAccessAction{} }

type requestDataAccessAction struct{ tfkit.Action }

// requestDataAccessModel is the model of analytics_request_data_access.
type requestDataAccessModel struct {
	tfkit.PersonActionModel
	OutputPath types.String `tfsdk:"output_path"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

func (a *requestDataAccessAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_request_data_access"
}

func (a *requestDataAccessAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"output_path": schema.StringAttribute{
			Required:            true,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Path of the JSON file for the data, in a directory that exists. Mode 0600.",
		},
		"overwrite": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether a file at `output_path` may be replaced. Defaults to `false`.",
		},
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Requests all data that the service holds of one person and writes them to a file. Each invocation is another request.",
		Attributes: tfkit.AddPersonAction(attributes,
			"Whether to wait for the data. If `false`, a later invocation that waits writes the file."),
		Blocks: map[string]schema.Block{
			"timeouts": tfkit.InvokeTimeoutsBlock("Then the request stands, and the action ends with an error, because there is no file.", defaultTimeout),
		},
	}
}

// ModifyPlan reports in the plan what Invoke would refuse. Nothing is sent.
func (a *requestDataAccessAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m requestDataAccessModel
	if a.PlanPerson(ctx, req, &m, &resp.Diagnostics) {
		m.checkTarget(&resp.Diagnostics)
	}
}

// checkTarget reports what is at output_path and must not be replaced. A folder that does
// not exist may be made before the action is invoked.
func (m *requestDataAccessModel) checkTarget(diags *diag.Diagnostics) {
	if m.OutputPath.IsUnknown() || m.Overwrite.IsUnknown() {
		return
	}

	_, err := outfile.Look(m.OutputPath.ValueString())
	if err == nil && !m.Overwrite.ValueBool() {
		err = outfile.ErrExists
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		reserveProblem(err).AddError(diags)
	}
}

func (a *requestDataAccessAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m requestDataAccessModel
	c, scope, ok := a.InvokePerson(ctx, req, &m, &resp.Diagnostics)
	if !ok {
		return
	}

	f := &invokedFetch{
		Invocation: a.Invocation(&m.PersonActionModel, resp, string(access)),
		delivery: delivery{
			client:   c,
			scope:    scope,
			identity: m.IdentityID.ValueString(),
			files:    &a.Files,
			target:   outfile.Target{Path: m.OutputPath.ValueString(), Replace: m.Overwrite.ValueBool()},
		},
	}
	defer f.close()

	if f.submit(ctx) && f.await(ctx, tfkit.InvokeTimeout(ctx, m.Timeouts, defaultTimeout)) {
		f.fetchReady(ctx)
	}
}

// invokedFetch is one invocation of a data access request. Its steps are called in this
// order, each if the one before returns true: submit, await, fetchReady.
type invokedFetch struct {
	*tfkit.Invocation
	delivery
}

func (f *invokedFetch) request(w io.Writer) deferred.Request {
	request := f.delivery.request(w)
	request.Occasion = deferred.AnyOccasion

	return request
}

// submit submits the request. The file is reserved first: nothing is sent if the data
// cannot be written. It reports whether the request is accepted and the data are still to
// be fetched.
func (f *invokedFetch) submit(ctx context.Context) bool {
	if err := f.reserve(); err != nil {
		reserveProblem(err).AddError(f.Diags)
		return false
	}

	written, err := f.deliver(ctx)
	if err != nil {
		f.addError(err)
		return false
	}

	if f.Submission.State == deferred.Fulfilled {
		f.sayWritten(written)
		return false
	}

	f.SayAccepted()
	warnOthers(f.Diags, f.identity, f.Report.Others)

	return true
}

// await waits for the request, and reports whether it is carried out.
func (f *invokedFetch) await(ctx context.Context, limit time.Duration) bool {
	request := f.request(nil)
	isCarriedOut := f.Await(ctx, request, limit)
	f.WarnStatus()
	if isCarriedOut || !f.Waits || f.AddOver(request) {
		return isCarriedOut
	}

	problem := f.Unfinished()
	problem.Detail += " There is no file."
	problem.Do = "invoke the action again later: it takes the request over. If the service answers with the data at once, name a member that the data has at its top in wire.all_data_member."
	problem.AddError(f.Diags)

	return false
}

// fetchReady fetches the data of a request that is carried out. The service may answer
// with another request instead.
func (f *invokedFetch) fetchReady(ctx context.Context) {
	f.seen = true
	written, err := f.deliver(ctx)
	if err != nil {
		f.addError(err)
		return
	}

	if f.Submission.State != deferred.Fulfilled {
		problem := noDataProblem(f.identity, f.Submission)
		problem.AddError(f.Diags)
		return
	}

	f.sayWritten(written)
}

// deliver submits the request and writes the data if the service answers with them: the
// submission is fulfilled then, and only then a file is returned.
func (f *invokedFetch) deliver(ctx context.Context) (outfile.File, error) {
	return f.delivery.deliver(func(w io.Writer) (isWritten bool, err error) {
		err = f.Submit(ctx, f.request(w))
		return f.Submission.State == deferred.Fulfilled, err
	})
}

func (f *invokedFetch) sayWritten(written outfile.File) {
	f.Progress.Say("Written: " + humanize.Comma(written.Bytes) + " bytes, SHA-256 " + written.SHA256 + ".")
}

// addError reports an error of deliver.
func (f *invokedFetch) addError(err error) {
	if transport.IsError(err) {
		f.AddSubmitError(err)
		return
	}

	writeProblem(err).AddError(f.Diags)
}
