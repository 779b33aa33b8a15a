// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataDeletionResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)
)

// NewDataDeletionResource returns the resource analytics_data_deletion.
func NewDataDeletionResource() resource.Resource { return &dataDeletionResource{} }

type dataDeletionResource struct{ tfkit.Resource }

func (r *dataDeletionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_deletion"
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := requestAttributes(
		descriptions{
			request:  deletion.Name,
			triggers: "Arbitrary values, such as a date. Changing them submits another deletion, for data that has arrived since.",
			wait:     "Whether to wait until the deletion is carried out. If `false`, a later refresh sets `fulfilled`.",
		},
		nil)

	resp.Schema = schema.Schema{
		MarkdownDescription: "Deletes all data of one person, except the consent record, once for each value of `triggers`.",
		Blocks:              requestBlocks(),
		Attributes:          tfkit.AddScope(attributes),
	}
}

// deletion is how messages speak of a deletion for which an object stands.
var deletion = tfkit.Messages{Name: "deletion", InState: tfkit.NotFulfilled, Advice: adviceDeletion}

var adviceDeletion = tfkit.RequestAdvice{Pending: tfkit.AdviceLater, Unproven: tfkit.AdviceEachRefresh, Over: adviceTriggers}

func (r *dataDeletionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	d := deletionRun{Run: r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics), model: &plan}
	d.Limit, _ = plan.Timeouts.Create(ctx, defaultTimeout)
	if d.begin(r) {
		r.carriedOut(d.Request)
		d.submit(ctx)
	}
}

// Read looks at a deletion until it is known to be carried out. Data that come in
// afterwards are no drift.
func (r *dataDeletionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		return
	}

	d := deletionRun{Run: r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics), model: &state}
	if d.begin(r) && d.Refresh(ctx) {
		d.Warn()
		d.save(ctx)
	}
}

// Update submits another deletion if triggers have changed, and otherwise waits for the
// accepted one. If another deletion fails, the object stays as it was.
func (r *dataDeletionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	d := deletionRun{Run: r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics), model: &plan}
	d.Limit, _ = plan.Timeouts.Update(ctx, defaultTimeout)
	if !d.begin(r) {
		return
	}
	r.carriedOut(d.Request)

	waits := plan.Fulfilled.IsUnknown()
	switch {
	case plan.submits(state, d.Submission):
		d.submit(ctx)
	case waits:
		d.finish(ctx)
	default:
		d.save(ctx)
	}
}

// Delete forgets the deletion. An object that takes its place in this run does not send
// it again, unless it came to nothing.
func (r *dataDeletionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	state.warnDestroyed(&resp.Diagnostics)
	if request, ok := r.plannedRequest(state); ok {
		r.carriedOut(request)
		r.Deferred.Note(request, tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission))
	}
}

// deletionRun is one Create, Read or Update of a deletion.
type deletionRun struct {
	tfkit.Run

	model *requestModel
}

// begin completes the run.
func (d *deletionRun) begin(r *dataDeletionResource) bool {
	c, scope, ok := r.ClientAndScope(d.model.Scope, d.Diags)
	d.Messages, d.Waits = deletion, d.model.Wait.ValueBool()
	d.Request = d.model.deletion(c, scope)

	return ok
}

// submit submits the deletion, and then finishes the run.
func (d *deletionRun) submit(ctx context.Context) {
	err := d.Submit(ctx)
	switch {
	case err == nil:
		warnTakenOver(&d.Run)
		d.finish(ctx)
	case d.KeepsUnknown(ctx, err):
		d.save(ctx)
	default:
		d.Fail(ctx, d.ProblemOf(err))
	}
}

// finish saves the object, so that an accepted deletion is never forgotten, waits for the
// deletion, and saves the object again.
func (d *deletionRun) finish(ctx context.Context) {
	d.save(ctx)
	if err := d.Await(ctx); err != nil {
		d.Fail(ctx, d.ProblemOf(err))
		return
	}

	d.Warn()
	d.save(ctx)
}

func (d *deletionRun) save(ctx context.Context) {
	d.model.fromSubmission(d.Submission)
	d.Save(ctx, d.model)
}

// deletion returns the request that an object stands for. It is sent once for its
// triggers.
func (m *requestModel) deletion(c *client.Client, scope client.Scope) deferred.Request {
	request := deletionRequest(c, scope, m.IdentityID.ValueString())
	request.Occasion, request.Once = m.occasion(), true

	return request
}

// deletionRequest returns the request to delete a person's data.
func deletionRequest(c *client.Client, scope client.Scope, identity string) deferred.Request {
	return deferred.Request{
		Scope:    scope,
		Identity: identity,
		Type:     answer.RequestDataDeletion,
		Against:  []string{answer.RequestProfileUpdate, answer.RequestDataAccess},
		Adopts:   true,
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.DeleteData(ctx, scope, identity)
		},
		Effect: c.ProfileGone(scope, identity),
	}
}
