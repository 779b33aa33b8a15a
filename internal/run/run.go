// SPDX-License-Identifier: MPL-2.0

// Package run is the life of a deferred request above package deferred: that of an object of
// Terraform's state, or of an action. It keeps what is known of the request in private state, and
// says what has become of it.
package run

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Document is what private state holds of an object that stands for a request.
type Document struct {
	Version int `json:"version"`
	// Submission is the one that the object stands for.
	Submission deferred.Submission `json:"submission,omitzero"`
	// Unanswered is one that an apply sent without learning the outcome; the next apply
	// continues from it.
	Unanswered deferred.Submission `json:"unanswered,omitzero"`
	// Values are what package profile remembers of members.
	Values jsontext.Value `json:"values,omitempty"`
	// Asked is how often the data of a request that was carried out were asked for, and another request was queued in
	// place of an answer with the data.
	Asked int `json:"asked,omitempty"`
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

	Engine  *deferred.Engine
	Request deferred.Request
	Diags   *diag.Diagnostics
	// Waits reports whether Await waits for the request, and Limit for how long.
	Waits bool
	Limit time.Duration

	// Observed is what the latest call of the engine noticed about the submission.
	Observed deferred.Observed
	// Private is private state of the object; nil without one.
	Private tfkit.Private

	submitted bool // in this run

	invoked       *action.InvokeResponse // of an action; nil for an object
	state         *tfsdk.State           // of the object; nil without one
	prior         tftypes.Value          // of state; null if the object is created
	priorDocument Document
}

// Response is what an operation on an object is answered with. It begins with what
// the object is before.
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
	r = Run{
		Engine: s.Deferred, Diags: resp.Diags, Document: before,
		state: resp.State, Private: resp.Private, prior: resp.State.Raw, priorDocument: before,
	}
	r.Request.Person = client.Person{Scope: scope, Identity: about.IdentityID.ValueString()}

	return r, true
}

// OfAction returns the run of an action. An action has no state: another invocation is another request, unless one
// is pending and adopted.
func OfAction(ctx context.Context, s *tfkit.Service, resp *action.InvokeResponse, m tfkit.PersonActionModel) Run {
	r := Run{Engine: s.Deferred, Diags: &resp.Diagnostics, invoked: resp}
	r.Waits = m.Wait.IsNull() || m.Wait.ValueBool()           // an action has no defaults
	r.Limit, _ = m.Timeouts.Invoke(ctx, tfkit.DefaultTimeout) // the validator has checked it
	r.Advice = AdviceInvoked

	return r
}

// Submit submits the request, and reports what stands for it: of an object, that nothing was sent because the
// request was known or pending before, and of an action, the ID in any case: it may be all that the user learns
// of an interrupted one. The submission of an error becomes r.Unanswered and leaves r.Submission as it was, but
// for what the list has shown of it. The errors are those of deferred.Engine.Submit.
func (r *Run) Submit(ctx context.Context) error {
	r.Request.Earlier = &r.Submission
	s, observed, err := r.Engine.Submit(ctx, r.Request, r.Unanswered)
	r.Observed = observed
	if err != nil {
		r.Unanswered = s
		return err
	}

	r.Submission, r.Unanswered, r.submitted = s, deferred.Submission{}, true
	if observed.NotUnderstood != "" {
		tfkit.Problem{
			Summary: "Sent, and the answer is not understood",
			Detail:  "The service answered the " + r.Name + " with a status of success and " + observed.NotUnderstood + ", which does not show that it accepted the request. It is never sent again. It counts as fulfilled only once the pending list or its effect shows that.",
			Do:      "look at analytics_pending_requests for it. If the answer is all data of the person, set wire.all_data.at to a pointer to the data.",
		}.AddWarning(r.Diags)
	}
	isHeld := s.State == deferred.Fulfilled && s.Sent.IsZero() // the service has the values already
	if !observed.Delivered && !r.Request.Ready && !isHeld {
		r.report()
	}

	return nil
}

// Await waits until an open request is no longer pending, for the limit at most, if the run
// waits. It returns the problem of an action, and that of an object whose request was submitted in this run and
// has failed meanwhile. It warns of any other problem of an object. A request of ours that was dropped stays in
// state.
func (r *Run) Await(ctx context.Context) *tfkit.Problem {
	if r.Waits && r.Submission.IsOpen() {
		wait := func() { r.Submission, r.Observed = r.Engine.Await(ctx, r.Request, r.Submission, r.Limit) }
		tfkit.During(ctx, wait, func(since time.Duration) {
			tfkit.Say(r.invoked, "Still pending after "+tfkit.ShortDuration(since)+".")
		})
	}

	problem := r.problem(r.Waits)
	isOursAndDropped := r.Submission.Dropped && !r.Submission.Adopted
	hasFailed := r.submitted && r.Submission.State == deferred.Failed && !isOursAndDropped
	if problem == nil || hasFailed || r.invoked != nil {
		return problem
	}
	problem.AddWarning(r.Diags)

	return nil
}

// Refresh looks once at the request of an object in state, and warns of its problem. It reports false, after a
// warning, if it could not look: an error would block every plan of the workspace.
func (r *Run) Refresh(ctx context.Context) bool {
	s, observed, err := r.Engine.Refresh(ctx, r.Request, r.Submission)
	r.Observed = observed
	if err != nil {
		p := tfkit.ProblemOf(err, r.InState)
		p.Detail = "A refresh could not look at the " + r.Name + " (" + r.request() + "): " + p.Summary + ".\n" + p.Detail
		p.Summary = "The request could not be checked"
		p.AddWarning(r.Diags)
		return false
	}

	if r.Submission.State == deferred.Unanswered { // and so r.Unanswered
		r.Unanswered = deferred.Submission{}
	}
	if s.State == deferred.Unanswered {
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
		r.Diags.Append(r.state.Set(ctx, model)...)
	}
	r.Version = version
	text, _ := json.Marshal(r.Document) // cannot fail for texts, flags and times of this era
	r.Diags.Append(r.Private.SetKey(ctx, documentKey, text)...)
}

// Fail ends the run with an error. An object that was updated is as it was and stands for
// the request of before; one that was to be created does not exist.
func (r *Run) Fail(ctx context.Context, p tfkit.Problem) {
	failed, unanswered := r.Submission, r.Unanswered
	r.state.Raw, r.Document = r.prior, r.priorDocument
	r.Unanswered = unanswered
	if failed.ID != "" && failed.ID == r.Submission.ID { // the request of before was adopted, or the list tells more of it
		r.Submission.State, r.Submission.Code = failed.State, failed.Code
	}
	r.Save(ctx, nil)
	p.InState = tfkit.PriorKept
	if r.prior.IsNull() {
		p.InState = tfkit.NothingSaved
	}

	p.AddError(r.Diags)
}

// KeepsUnknown reports, after a warning, whether the object that is created has to be saved
// after an error of Submit: the run was interrupted, and it is not known whether the service
// has accepted the request. Terraform itself ends such a run with an error. An error of the
// provider beside the object would make it replace the object.
func (r *Run) KeepsUnknown(ctx context.Context, err error) bool {
	if !r.prior.IsNull() || ctx.Err() == nil || !transport.IsClass(err, transport.ClassUnknownOutcome) {
		return false
	}

	r.Submission = r.Unanswered
	p := tfkit.ProblemOf(err, r.InState+" and without a request_id")
	p.Detail = "The run was interrupted while the " + r.Name + " was being sent. " + p.Detail
	p.Summary = "Interrupted, and the outcome is not known"
	p.Do = "plan again: the refresh looks for the request. If nothing shows it, the plan sends it again."
	p.AddWarning(r.Diags)

	return true
}

// Invoke submits the request of an action, waits for it, and reports how it ended. It says done if the
// request is fulfilled. A request that is still pending is a warning, because invoking the
// action again would not help, and one that came to nothing is an error.
func (r *Run) Invoke(ctx context.Context, done string) {
	if err := r.Submit(ctx); err != nil {
		r.ProblemOf(err).AddError(r.Diags)
		return
	}

	problem := r.Await(ctx)
	switch {
	case r.Submission.State == deferred.Fulfilled:
		tfkit.Say(r.invoked, done)
	case r.Submission.State == deferred.Failed:
		problem.AddError(r.Diags)
	case problem != nil:
		problem.AddWarning(r.Diags)
	}
}
