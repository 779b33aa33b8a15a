// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)

// NewDataDeletionResource returns the resource analytics_data_deletion.
func NewDataDeletionResource(s *tfkit.Service) resource.Resource { return &dataDeletionResource{s} }

type dataDeletionResource struct{ *tfkit.Service }

var deletion = run.Messages{
	Name: "deletion", InState: run.NotFulfilled,
	Pending: run.AdviceLater, Unproven: run.AdviceEachRefresh, Over: adviceTriggers,
}

func (r *dataDeletionResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = DeletionType
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema("Deletes all data of one person, except the consent record, once for each change of `triggers`.", deletion.Name, nil)
}

func (r *dataDeletionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state, plan requestModel
	switch (run.Plan{Service: r.Service, Name: deletion.Name, Req: req, Resp: resp}).Read(ctx, &state, &plan) {
	case run.Destroys:
		state.warnForgotten(deletion.Name, "", &resp.Diagnostics)
	case run.Creates, run.Replaces:
		r.planSubmission(ctx, &plan, "", &resp.Diagnostics)
	case run.Updates:
		if plan.plan(ctx, &state, run.Read(ctx, req.Private), &resp.Diagnostics) == submits {
			before, _ := state.occasion(ctx)
			r.planSubmission(ctx, &plan, before, &resp.Diagnostics)
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

// planSubmission warns that a deletion cannot be undone. It refuses one that another object in state stands
// for, as far as the plan knows which deletion it is. own is the occasion that the object itself stands for.
func (r *dataDeletionResource) planSubmission(ctx context.Context, plan *requestModel, own string, diags *diag.Diagnostics) {
	r.RefuseReadOnly(diags)
	irreversible("Applying this plan").AddWarning(diags)

	key, isKeyKnown := plan.occasion(ctx)
	scope, isScopeKnown := r.KnownScope(plan.Scope)
	if key == own || !isKeyKnown || !isScopeKnown || plan.IdentityID.IsUnknown() {
		return
	}
	about := tfkit.PartOf(client.Person{Scope: scope, Identity: plan.IdentityID.ValueString()}, key)
	if other := r.Deletions.Claim(tfkit.NewObject(DeletionType), tfkit.Undoes, about); other != nil {
		repeated.AddError(diags)
	}
}

func (r *dataDeletionResource) begin(ctx context.Context, m *requestModel, resp run.Response) (*run.Run, bool) {
	o, ok := run.OfObject(ctx, r.Service, m.Identity, resp)
	key, _ := m.occasion(ctx)
	o.Messages, o.Waits, o.Request = deletion, m.Wait.ValueBool(), deletionRequest(r.Client, o.Request.Person, key)

	return &o, ok
}

func (r *dataDeletionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.ResolveScope(&plan.Scope)
	if o, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}); ok {
		o.Limit, _ = plan.Timeouts.Create(ctx, tfkit.DefaultTimeout)
		r.apply(ctx, o, &plan, submits)
	}
}

// Read looks at the deletion until it is known to be carried out. Data that come in afterwards do not count as drift.
func (r *dataDeletionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.ReadScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		return
	}

	o, ok := r.begin(ctx, &state, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}
	state.recall(&o.Submission)
	if o.Refresh(ctx) {
		state.outcome = outcomeOf(o.Submission, o.Submission.FulfilledAt)
		o.Save(ctx, &state)
	}
}

func (r *dataDeletionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if o, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}); ok {
		o.Limit, _ = plan.Timeouts.Update(ctx, tfkit.DefaultTimeout)
		plan.outcome = state.outcome
		r.apply(ctx, o, &plan, plan.next(ctx, &state, o.Document))
	}
}

// Delete forgets the deletion, which nothing calls back. An object that takes the place of this one
// in the run stands for the deletion then, unless it came to nothing. The plan has warned.
func (r *dataDeletionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	var unused diag.Diagnostics // nothing is sent, so that the service need not be known
	if o, ok := r.begin(ctx, &state, run.Response{State: &resp.State, Private: req.Private, Diags: &unused}); ok {
		r.Deletions.Forget(tfkit.PartOf(o.Request.Person, o.Request.IdempotencyKey))
		r.Deferred.Remember(o.Request, o.Submission)
	}
}

// apply saves the object before it waits, so that an accepted deletion is never forgotten.
func (r *dataDeletionResource) apply(ctx context.Context, o *run.Run, m *requestModel, does next) {
	if does == keeps {
		o.Save(ctx, m)
		return
	}

	if does == submits {
		err := o.Submit(ctx)
		if err != nil && !o.KeepsUnknown(ctx, err) {
			o.Fail(ctx, tfkit.ProblemOf(err, ""))
			return
		}
	}

	m.outcome = outcomeOf(o.Submission, o.Submission.FulfilledAt)
	o.Save(ctx, m)
	if o.Await(ctx) {
		m.outcome = outcomeOf(o.Submission, o.Submission.FulfilledAt)
		o.Save(ctx, m)
	}
}

func deletionRequest(c *client.Client, p client.Person, key string) deferred.Request {
	return deferred.Request{
		Person:         p,
		Type:           decode.RequestDataDeletion,
		IdempotencyKey: key,
		Send: func(ctx context.Context) (decode.Receipt, error) {
			return c.DeleteData(ctx, p)
		},
		Effect: func(ctx context.Context) (deferred.Reading, error) {
			profile, err := c.GetProfile(ctx, p, nil)
			if profile.IsNone {
				err = nil
			}
			reading := deferred.Reading{Profile: profile, Effect: proof.Missing}
			if len(profile.Members) == 0 {
				reading.Effect = proof.Shown
			}

			return reading, err
		},
	}
}

// DeletionType is the type of the resource, and what messages call an object.
const DeletionType = "analytics_data_deletion"

// SeeDeletion records that an object stands for a deletion, and refuses a plan that submits it again. state is the
// object as the state file has it. The provider's server calls it whenever Terraform shows an object in state, also
// one that the plan only forgets or does not refresh.
func SeeDeletion(ctx context.Context, service *tfkit.Service, state []byte) (diags diag.Diagnostics) {
	var object struct {
		client.Scope
		IdentityID string             `json:"identity_id"`
		Triggers   map[string]*string `json:"triggers"`
	}
	_ = json.Unmarshal(state, &object) // the framework reports what is not valid
	var m requestModel
	m.Triggers, _ = types.MapValueFrom(ctx, types.StringType, object.Triggers)
	key, _ := m.occasion(ctx)
	scope, _ := service.KnownScope(tfkit.Scope{}) // a state that was written by hand may lack its own
	about := tfkit.PartOf(client.Person{Scope: cmp.Or(object.Scope, scope), Identity: object.IdentityID}, key)
	if other := service.Deletions.Claim(tfkit.NewObject(DeletionType), tfkit.Done, about); other != nil {
		repeated.AddError(&diags)
	}

	return diags
}

// irreversible returns what is to be known before something asks for a deletion.
func irreversible(asks string) tfkit.Problem {
	return tfkit.Problem{
		Summary: "Deleting all data of a person is irreversible",
		Detail:  asks + " asks the service to delete all data of a person. It cannot be undone or cancelled, and it does not revoke consent.",
	}
}

// repeated refuses a plan that would submit a deletion again. Terraform applies it in another process, may create an
// object before it destroys another one, and does not show unchanged objects to that process.
var repeated = tfkit.Problem{
	Summary: "The plan would submit a deletion again",
	Detail:  "A resource in state stands for the deletion of this person with the same triggers, and the plan creates another one, which would send it again. Usual causes are a renamed block or key, a shorter list of count, persons exchanged between blocks, a second block, -replace, replace_triggered_by, and a tainted resource.",
	InState: "the resource as it was; nothing was sent",
	Do: "take each resource to the address that its person has now:\n\n    terraform state mv OLD NEW\n\n" +
		"A moved block does the same where OLD is no longer configured. If NEW is in state for a person who is no longer configured, run this first:\n\n    terraform state rm NEW\n\n" +
		"If the person has not moved, remove the second block, or leave -replace or replace_triggered_by out. For a tainted resource, run:\n\n    terraform untaint ADDRESS\n\n" +
		"To delete once more on purpose, change triggers.",
	At: path.Root("identity_id"),
}
