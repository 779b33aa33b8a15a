// SPDX-License-Identifier: MPL-2.0

// Package run is the life of a deferred request above package deferred: that of an object of Terraform's state, or of
// an action. It keeps what is known of the request in private state, and says what has become of it.
package run

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Document is what private state holds of an object that stands for a request.
type Document struct {
	Version int `json:"version"`
	// Submission is the one that the object stands for.
	Submission proof.Submission `json:"submission,omitzero"`
	// Unanswered is one that an apply sent without learning the outcome; the next apply continues from it.
	Unanswered proof.Submission `json:"unanswered,omitzero"`
	// Values are what is remembered of the members of a profile.
	Values Values `json:"values,omitzero"`
	// Asked is how often the data of the request were asked for in vain, once it was carried out, with the
	// settings in Unread.
	Asked  int    `json:"asked,omitempty"`
	Unread string `json:"unread,omitempty"`
}

// Values are names of members, and digests of values in state. A service may make another value of one that it was sent,
// such as an address in lower case.
type Values struct {
	// Sent are the names of the members that the latest update has set, until it is over.
	Sent []string `json:"sent,omitempty"`
	// Normalized are the values that the service has made of those in state.
	Normalized map[string]string `json:"made,omitempty"`
	// WriteOnly are the names of write-only members that were sent. They are not in state, and
	// on_destroy = "clear" needs them.
	WriteOnly []string `json:"written,omitempty"`
}

// documentKey is the key of the document in private state, and version the one that is written.
const (
	documentKey = "request"
	version     = 1
)

// Read returns the document in private state. A document of another version counts as none, like that of
// a state that was written by hand: the attributes of the object have to tell then.
func Read(ctx context.Context, private tfkit.Private) Document {
	var d Document
	text, _ := private.GetKey(ctx, documentKey)
	if json.Unmarshal(text, &d) != nil || d.Version != version {
		return Document{}
	}
	return d
}

// Run is the life of one deferred request in one operation: an object is created, read, updated or
// destroyed, or an action is invoked.
type Run struct {
	Messages
	Document
	Response

	Engine  *deferred.Engine
	Request deferred.Request
	// Waits reports whether Await waits for the request, and Limit for how long.
	Waits bool
	Limit time.Duration
	// Observed is what the latest call of the engine noticed about the submission.
	Observed deferred.Observed

	isSubmitted   bool                   // in this run
	invoked       *action.InvokeResponse // of an action; nil for an object
	prior         tftypes.Value          // of state; null if the object is created
	priorDocument Document
}

// Response is what an operation on an object is answered with. It begins with what
// the object is before. That of an action has only Diags.
type Response struct {
	State   *tfsdk.State
	Private tfkit.Private
	Diags   *diag.Diagnostics
}

// OfObject returns the run of an object that is created, read, updated or destroyed, for a request about a
// person. It returns false if there are errors.
func OfObject(ctx context.Context, s *tfkit.Service, about tfkit.Identity, resp Response) (r Run, ok bool) {
	if resp.Diags.HasError() {
		return r, false
	}
	_, scope, ok := s.ClientAndScope(about.Scope, resp.Diags)
	if !ok {
		return r, false
	}

	before := Read(ctx, resp.Private)
	if s.Client.ListUse == client.ListIgnored && before.Submission.State == proof.Listed {
		before.Submission.State = proof.Accepted // that it has left a list which is not read is not known
	}
	r = Run{Engine: s.Deferred, Response: resp, Document: before, prior: resp.State.Raw, priorDocument: before}
	r.Request.Person = client.Person{Scope: scope, Identity: about.IdentityID.ValueString()}

	return r, true
}

// OfAction returns the run of an action. An action has no state: another invocation is another request, unless one
// is pending and adopted.
func OfAction(ctx context.Context, s *tfkit.Service, resp *action.InvokeResponse, m tfkit.PersonActionModel) Run {
	r := Run{Engine: s.Deferred, Response: Response{Diags: &resp.Diagnostics}, invoked: resp}
	r.Waits = m.Wait.IsNull() || m.Wait.ValueBool()           // an action has no defaults
	r.Limit, _ = m.Timeouts.Invoke(ctx, tfkit.DefaultTimeout) // the validator has checked it
	r.Messages = Messages{Pending: AdviceStands, Unproven: adviceAnew, Over: adviceAnew, Again: adviceAgain}

	return r
}

// Submit submits the request, and reports what stands for it. The submission of an error becomes r.Unanswered and
// leaves r.Submission as it was, but for what the list has shown of it. The errors are those of deferred.Engine.Submit.
func (r *Run) Submit(ctx context.Context) error {
	if r.Submission.State != proof.Unsent {
		r.Request.Earlier = &r.Submission
	}
	s, observed, err := r.Engine.Submit(ctx, r.Request, r.Unanswered)
	r.Observed = observed
	if err != nil {
		r.Unanswered = s
		return err
	}

	r.Submission, r.Unanswered, r.isSubmitted = s, proof.Submission{}, true
	if observed.NotUnderstood != "" {
		tfkit.Problem{
			Summary: "Sent, and the answer is not understood",
			Detail:  "The service answered the " + r.Name + " with a success and " + observed.NotUnderstood + ". It is never sent again, and counts as fulfilled once the list or its effect shows that.",
			Do:      "look at analytics_pending_requests for it. If the answer is all data of the person, point wire.all_data.at to it.",
		}.AddWarning(r.Diags)
	}
	if r.invoked != nil || observed.Known || observed.Adopted {
		r.report()
	}

	return nil
}

// Wait waits for the request of an action until it is no longer pending, for the limit at most, if the action waits. It
// returns what is to be said of the request then; nil if there is nothing.
func (r *Run) Wait(ctx context.Context) *tfkit.Problem {
	if r.Waits {
		wait := func() { r.Submission, r.Observed = r.Engine.Await(ctx, r.Request, r.Submission, r.Limit) }
		tfkit.During(ctx, wait, func(since time.Duration) {
			tfkit.Say(r.invoked, "Still pending after "+since.String()+".")
		})
	}

	return r.problem(r.Waits)
}

// Await waits for the request of an object like Wait. It returns false, after Fail, if a request that was submitted in
// this run has failed. Any other problem is a warning. A request of ours that was dropped stays in state.
func (r *Run) Await(ctx context.Context) (ok bool) {
	if r.Waits {
		r.Submission, r.Observed = r.Engine.Await(ctx, r.Request, r.Submission, r.Limit)
	}
	problem := r.problem(r.Waits)
	if problem == nil {
		return true
	}
	if r.isSubmitted && r.Submission.State == proof.Failed && !r.Submission.Dropped {
		r.Fail(ctx, *problem)
		return false
	}
	problem.AddWarning(r.Diags)

	return true
}

// Refresh looks once at the request of an object in state, and warns of its problem. It reports false, after a
// warning, if it could not look: an error would block every plan of the workspace.
func (r *Run) Refresh(ctx context.Context) bool {
	s, observed, err := r.Engine.Refresh(ctx, r.Request, r.Submission)
	r.Observed = observed
	if err != nil {
		p := tfkit.ProblemOf(err, r.InState)
		p.Summary, p.Detail = "The request could not be checked", "The "+r.Name+" (request "+client.ShownID(r.Submission.ShownID(), r.Request.Identity)+") was not looked at: "+p.Summary+".\n"+p.Detail
		p.AddWarning(r.Diags)
		return false
	}

	if r.Submission.State == proof.Unanswered { // the next apply continues from it if it still is
		r.Unanswered = s
	}
	r.Submission = s
	if problem := r.problem(observed.Unproven || observed.Gap != ""); problem != nil {
		problem.AddWarning(r.Diags)
	}

	return true
}

// Save writes a model into state, unless it is nil, and into private state what the run knows of the request.
func (r *Run) Save(ctx context.Context, model any) {
	if model != nil {
		r.Diags.Append(r.State.Set(ctx, model)...)
	}
	r.Version = version
	text, _ := json.Marshal(r.Document) // cannot fail for texts, flags and times of this era
	r.Diags.Append(r.Private.SetKey(ctx, documentKey, text)...)
}

// Fail ends the run with an error. An object that was updated is as it was and stands for
// the request of before; one that was to be created does not exist.
func (r *Run) Fail(ctx context.Context, p tfkit.Problem) {
	failed, unanswered := r.Submission, r.Unanswered
	r.State.Raw, r.Document = r.prior, r.priorDocument
	r.Unanswered = unanswered
	if failed.IsSame(r.Submission) { // the request of before was adopted, or the list tells more of it
		r.Submission.State, r.Submission.Code = failed.State, failed.Code
	}
	r.Save(ctx, nil)

	p.InState = tfkit.PriorKept
	if r.prior.IsNull() {
		p.InState = tfkit.NothingSaved
	}

	p.AddError(r.Diags)
}

// KeepsUnknown reports, after a warning, whether the object that is created has to be saved after an error of Submit:
// the run was interrupted, and it is not known whether the service has accepted the request. Terraform itself ends such
// a run with an error. An error of the provider beside the object would make it replace the object.
func (r *Run) KeepsUnknown(ctx context.Context, err error) bool {
	if !r.prior.IsNull() || ctx.Err() == nil || !transport.IsClass(err, transport.ClassUnknownOutcome) {
		return false
	}

	r.Submission = r.Unanswered
	tfkit.Problem{
		Summary: "Interrupted, and the outcome is not known",
		Detail:  "The run was interrupted while the " + r.Name + " was being sent, so the service may have accepted it or not.\n" + tfkit.ProblemOf(err, "").Detail,
		InState: r.InState + " and no request_id",
		Do:      "plan again: the refresh looks for the request. If nothing shows it, the plan sends it again.",
	}.AddWarning(r.Diags)

	return true
}

// Invoke submits the request of an action, waits for it, and reports how it ended. It says done if the request is
// fulfilled. A request still pending is a warning, because invoking the action again would not help. One that came to
// nothing is an error.
func (r *Run) Invoke(ctx context.Context, done string) {
	if err := r.Submit(ctx); err != nil {
		tfkit.ProblemOf(err, "").AddError(r.Diags)
		return
	}

	problem := r.Wait(ctx)
	switch {
	case r.Submission.State == proof.Fulfilled:
		tfkit.Say(r.invoked, done)
	case r.Submission.State == proof.Failed:
		problem.AddError(r.Diags)
	case problem != nil:
		problem.AddWarning(r.Diags)
	}
}

// Waiting is whether and how long an object waits for its request.
type Waiting struct {
	Wait     types.Bool     `tfsdk:"wait_for_fulfilment"`
	Timeouts tfkit.Timeouts `tfsdk:"timeouts"`
}

// Resumes reports whether an apply goes on waiting for the request s: the wait was interrupted, or is another one now.
func (w Waiting) Resumes(before Waiting, s proof.Submission) bool {
	if w.Wait.Equal(types.BoolValue(false)) || !s.IsOpen() { // a plan does not always know whether to wait
		return false
	}
	return s.Interrupted || !w.Wait.Equal(before.Wait) || !w.Timeouts.Equal(before.Timeouts)
}

// Change is what a plan does with an object.
type Change int

// The values of Change.
const (
	Refused  Change = iota // nothing, since there is an error
	Creates                // also the second plan of a replacement, which has no state
	Replaces               // Terraform shows the warnings of this plan, and none of the second one
	Updates
	Destroys
)

// Plan is the plan of an object that stands for a request.
type Plan struct {
	Service *tfkit.Service
	Name    string // of the request
	Req     resource.ModifyPlanRequest
	Resp    *resource.ModifyPlanResponse
}

// Read reads the state and the plan of the object, as far as there are any, and returns what the plan
// does. It refuses to replace an object in another scope while its request is under way.
func (p Plan) Read(ctx context.Context, state, plan any) Change {
	req, resp := p.Req, p.Resp
	isMoved := p.Service.PlanKeptScope(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
		return Destroys
	}
	resp.Diagnostics.Append(resp.Plan.Get(ctx, plan)...)
	if req.State.Raw.IsNull() {
		return Creates
	}

	var fulfilled types.Bool
	var before, after types.String // the framework does not show here that another person replaces the object
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("fulfilled"), &fulfilled)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("identity_id"), &before)...)
	resp.Diagnostics.Append(resp.Plan.GetAttribute(ctx, path.Root("identity_id"), &after)...)

	switch {
	case isMoved && !fulfilled.ValueBool():
		tfkit.Problem{
			Summary: "A request is under way in the former scope",
			Detail:  "The scope of the provider has changed, and the " + p.Name + " of this resource is not known to be fulfilled in the scope that it was sent to. If the resource were replaced, Terraform would lose track of the request.",
			InState: "the resource as it was; nothing was sent",
			Do:      "set the resource's own org_id and project_id, or account_id, to the former scope until it is fulfilled; or take the resource out of the configuration, which forgets the request.",
		}.AddError(&resp.Diagnostics)
		return Refused
	case len(resp.RequiresReplace) > 0, !after.Equal(before):
		return Replaces
	}

	return Updates
}
