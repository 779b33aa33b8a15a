// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// deletionApply is one Create or Update of a deletion.
type deletionApply struct {
	attempt

	model   *requestModel
	request deferred.Request
}

// apply returns the apply of a model that is saved in resp.
func (r *dataDeletionResource) apply(m *requestModel, resp tfkit.Response) (*deletionApply, bool) {
	request, ok := r.request(*m, resp.Diags)
	if ok {
		r.carriedOut(request)
	}

	return &deletionApply{attempt: attempt{Response: resp, Run: tfkit.Run{Engine: r.Deferred}}, model: m, request: request}, ok
}

// submit submits the deletion and saves the object, so that an accepted deletion is never
// forgotten.
func (d *deletionApply) submit(ctx context.Context, prior deferred.Submission) error {
	if err := d.Run.Submit(ctx, d.request, prior); err != nil {
		return err
	}

	deletion.warnSubmitted(d.Diags, d.request.Identity, d.Submission, d.Report)
	d.save(ctx)
	return nil
}

// await waits for the deletion if the configuration says so, and saves the object. It
// returns an error, and saves nothing, if the service has failed the deletion.
func (d *deletionApply) await(ctx context.Context, limit time.Duration) error {
	if !d.model.waits() {
		return nil
	}

	d.Run.Await(ctx, d.request, limit)
	if d.Submission.State == deferred.Failed {
		return d.request.Rejection(d.Submission, d.Report)
	}

	d.finish(ctx)

	return nil
}

// resume saves an object with the deletion that it stands for, and waits for it if that
// was planned. A deletion that has failed meanwhile is a warning.
func (d *deletionApply) resume(ctx context.Context, limit time.Duration) {
	planned := d.model.Fulfilled.IsUnknown()
	d.save(ctx)
	if !planned || !d.model.waits() {
		return
	}

	d.Run.Await(ctx, d.request, limit)
	d.finish(ctx)
}

// finish saves the object after a wait and says why the deletion is not fulfilled.
func (d *deletionApply) finish(ctx context.Context) {
	deletion.warnAwaited(d.Diags, d.request.Identity, d.Submission, d.Report)
	d.save(ctx)
}

func (d *deletionApply) save(ctx context.Context) {
	d.model.fromSubmission(d.Submission)
	d.Save(ctx, d.model, d.Submission)
}

// request returns the deletion that an object stands for, or adds an error that says what
// is missing.
func (r *dataDeletionResource) request(m requestModel, diags *diag.Diagnostics) (deferred.Request, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, diags)
	return m.deletion(c, scope), ok
}

// plannedRequest is request for a plan, in which values may be unknown: it reports false
// if the request cannot be told apart from others yet. The request is never sent.
func (r *dataDeletionResource) plannedRequest(m requestModel) (deferred.Request, bool) {
	if r.Service == nil || r.Deferred == nil || m.IdentityID.IsUnknown() || !m.occasionKnown() {
		return deferred.Request{}, false
	}

	scope, known := r.KnownScope(m.Scope)
	return m.deletion(r.Client, scope), known
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

// What the plan of a deletion says in any case.
const (
	summaryIrreversible = "Deleting all data of a person is irreversible"
	detailIrreversible  = "It cannot be undone, and the service offers no way to cancel it. Consent is not revoked by it; use analytics_consent for that."
)

// warnIrreversible warns about a plan that submits a deletion.
func warnIrreversible(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: summaryIrreversible,
		Detail: "Applying this plan asks the service to delete all data of a person. " + detailIrreversible + "\n\n" +
			"Nothing is sent if such a deletion is pending already: the object takes it over. This plan knows the objects that it reads: an object that stands for the deletion and is left out by -target, or belongs to another provider configuration, does not prevent another one.",
	}.AddWarning(diags)
}

// warnForgotten warns that destroying the object does not undo the deletion.
func warnForgotten(state requestModel, diags *diag.Diagnostics) {
	if state.Fulfilled.ValueBool() {
		tfkit.Problem{
			Summary: "The deletion is only forgotten",
			Detail:  "Destroying this resource only removes it from state. The deletion that it stands for is carried out and cannot be undone.",
		}.AddWarning(diags)
		return
	}

	tfkit.Problem{
		Summary: "The deletion cannot be undone",
		Detail:  "Destroying this resource only removes it from state. The deletion that it stands for, request " + shownID(state.RequestID.ValueString(), state.IdentityID.ValueString()) + ", has been accepted: it stays pending at the service, which offers no way to cancel it.",
	}.AddWarning(diags)
}
