package requests

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataDeletionResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)
)

// NewDataDeletionResource is the resource analytics_data_deletion.
func NewDataDeletionResource() resource.Resource { return &dataDeletionResource{} }

type dataDeletionResource struct{ tfkit.Resource }

var deletion = kind{operation: client.OperationDataDeletion, noun: "deletion", call: "Delete all data of a user", method: http.MethodDelete}

func (r *dataDeletionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_deletion"
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Deletes all data of one person, except their consent, which a deletion does not revoke. It is irreversible: the plan says so, and nothing calls it back.\n\n" +
			"The service accepts the request and carries it out later. A deletion of the person that is pending already is taken over instead of sending another, with a warning. " +
			"An object that is tainted, or replaced without a change of `triggers`, takes over the deletion that it has submitted before, and so does a second object for the same person with the same `triggers` in the same run. " +
			"What cannot be recognised is a deletion that is carried out already, and of which the run knows nothing when it creates the object: " +
			"with `create_before_destroy` (also where it is inherited from an object that depends on this one), after `terraform state rm`, or when an object is removed in one run and written anew in a later one. Another deletion is sent then.\n\n" +
			"Destroying the object only makes Terraform forget it, with a warning; a deletion that is pending stays pending. There is no import: a request is an action, and nothing at the service lasts that could be read.",
		Blocks: ticketBlocks(),
		Attributes: ticketAttributes("deletion",
			"Any values; when they change, another deletion is submitted, in place. Use it where data has come in since, for example with a date. Without a change nothing is ever sent again.",
			"Whether to wait until the deletion is carried out: it has left the list of pending requests, and the person's profile is gone or empty. With `false`, a later refresh completes `fulfilled`.",
			nil),
	}
}

// ModifyPlan says what cannot be undone, and leaves everything else as it is unless
// there is something to send or to wait for.
func (r *dataDeletionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state, plan ticket
	switch {
	case req.State.Raw.IsNull():
		warnIrreversible(&resp.Diagnostics)
		return
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		state.warnForgotten(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.PlanScope(plan.Scope, state.Scope, resp)
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return // planned again, as an object to create
	}
	if plan.planChange(state, noteIn(ctx, req.Private)) == sends {
		warnIrreversible(&resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *dataDeletionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan ticket
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	o, ok := r.order(&plan, &resp.Diagnostics)
	if !ok || !r.submit(ctx, o, tfkit.NothingSaved, &resp.Diagnostics) {
		return
	}
	// Saved before waiting: an accepted deletion is never forgotten.
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if !plan.waits() {
		return
	}
	ending, n := r.await(ctx, o, tfkit.CreateTimeout(ctx, plan.Timeouts, presetTimeout), &resp.Diagnostics)
	if ending == client.Rejected {
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, o.rejection(), tfkit.NothingSaved)
		return
	}
	resp.Diagnostics.Append(n.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read looks after a deletion until it is known to be carried out. What the service
// holds afterwards is another matter: it is not asked any more.
func (r *dataDeletionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state ticket
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || state.Fulfilled.ValueBool() {
		return
	}
	o, ok := r.order(&state, &resp.Diagnostics)
	if !ok {
		return
	}
	ending, n, ok := o.look(ctx, noteIn(ctx, req.Private), &resp.Diagnostics)
	if !ok {
		return
	}
	if ending == client.Fulfilled {
		state.fulfil(time.Now())
	}
	resp.Diagnostics.Append(n.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *dataDeletionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan, state ticket
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	o, ok := r.order(&plan, &resp.Diagnostics)
	if !ok {
		return
	}
	goesOn, another := plan.Fulfilled.IsUnknown(), !plan.sameOccasion(state)
	n := noteIn(ctx, req.Private)
	plan.keep(state)
	if another {
		if !r.submit(ctx, o, tfkit.PriorKept, &resp.Diagnostics) {
			return
		}
		n = none
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
	if goesOn && plan.waits() {
		var kept bool
		if n, kept = r.finish(ctx, o, another, &resp.Diagnostics); !kept {
			resp.State.Raw = req.State.Raw
			return
		}
	}
	resp.Diagnostics.Append(n.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete forgets. What takes the object's place in this run must not send again
// what it has sent, unless nothing came of that.
func (r *dataDeletionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state ticket
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	state.warnForgotten(&resp.Diagnostics)
	scope, ok := r.ScopeOf(state.Scope, &resp.Diagnostics)
	if !ok {
		return
	}
	if noteIn(ctx, req.Private) == ended {
		r.Sent.Note(deletionOf(scope, &state), nil)
		return
	}
	sent := state.sent()
	r.Sent.Note(deletionOf(scope, &state), &sent)
}

// deletionOf is the deletion as this run remembers it.
func deletionOf(scope client.Scope, t *ticket) tfkit.SentKey {
	return tfkit.SentKey{Scope: scope, Operation: deletion.operation, Identity: t.IdentityID.ValueString(), Occasion: t.occasion()}
}

func (r *dataDeletionResource) order(t *ticket, diags *diag.Diagnostics) (*order, bool) {
	o, ok := t.order(r.Service, deletion, diags)
	if ok {
		o.effect = o.client.ProfileGone(o.scope, t.IdentityID.ValueString())
	}
	return o, ok
}

// submit sends the deletion, unless this run knows it or it is pending already.
func (r *dataDeletionResource) submit(ctx context.Context, o *order, inState string, diags *diag.Diagnostics) bool {
	sent, known, err := r.Sent.Once(ctx, deletionOf(o.scope, o.ticket), func() (tfkit.SentRequest, error) {
		got, err := o.client.RequestDeletion(ctx, o.scope, o.IdentityID.ValueString())
		if err == nil {
			deletion.warnAdopted(diags, got)
		}
		return tfkit.SentRequest{ID: got.ID, At: got.At}, err
	})
	if err != nil {
		o.fail(err, inState, diags)
		return false
	}
	o.accept(sent)
	if known {
		deletion.warnKnown(diags, o.ticket)
	}
	return true
}

// finish waits within a change. It reports false where another deletion failed and
// the object stays as it was.
func (r *dataDeletionResource) finish(ctx context.Context, o *order, another bool, diags *diag.Diagnostics) (note, bool) {
	ending, n := r.await(ctx, o, tfkit.UpdateTimeout(ctx, o.Timeouts, presetTimeout), diags)
	switch {
	case ending == client.Rejected && another:
		tfkit.AddError(diags, o.rejection(), tfkit.PriorKept)
		return n, false
	case ending == client.Rejected:
		deletion.warnRejected(diags, o.ticket, o.code)
	}
	return n, true
}

// await waits, and remembers for this run what became of the deletion.
func (r *dataDeletionResource) await(ctx context.Context, o *order, limit time.Duration, diags *diag.Diagnostics) (client.Ending, note) {
	ending, n := o.await(ctx, limit, diags)
	switch {
	case n == ended:
		r.Sent.Note(deletionOf(o.scope, o.ticket), nil)
	case ending == client.Fulfilled:
		o.fulfil(time.Now())
		sent := o.sent()
		r.Sent.Note(deletionOf(o.scope, o.ticket), &sent)
	}
	return ending, n
}

func warnIrreversible(diags *diag.Diagnostics) {
	diags.AddWarning("Deleting all data of a person is irreversible",
		"Applying this plan asks the service to delete all data of a person. It cannot be undone, and the service has no way to call it back. "+
			"Consent is not revoked by it; analytics_consent does that.\n\n"+
			"Nothing is sent where such a deletion is pending already, or where this object is replaced without a change of triggers: the deletion that is known is taken over then.")
}

func (t *ticket) warnForgotten(diags *diag.Diagnostics) {
	if t.Fulfilled.ValueBool() {
		diags.AddWarning("The deletion is only forgotten",
			"Destroying this object only makes Terraform forget it. The deletion that it stands for is done and cannot be undone.")
		return
	}
	diags.AddWarning("The deletion cannot be undone",
		"Destroying this object only makes Terraform forget it. The deletion that it stands for, request "+named(t.RequestID.ValueString())+", has been accepted: it stays pending at the service, which has no way to call it back.")
}
