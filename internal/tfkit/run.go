// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Keys of private state. KeySubmission holds the submission that the object stands for.
// KeyUnanswered holds one that an apply sent without learning the outcome; the next apply
// continues from it.
const (
	KeySubmission = "submission"
	KeyUnanswered = "unanswered"
)

// Private is private state.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ReadSubmission returns the submission under a key of private state; the zero value if it
// holds none.
func ReadSubmission(ctx context.Context, private Private, key string) deferred.Submission {
	text, _ := private.GetKey(ctx, key)
	return deferred.Decode(text)
}

// Run is the life of one deferred request above the engine: that of an object which is
// created, read or updated, of an action, or of an object that is destroyed.
type Run struct {
	Messages

	Engine  *deferred.Engine
	Request deferred.Request
	Diags   *diag.Diagnostics
	// Private is where the run remembers what it knows; nil without an object.
	Private Private
	// Waits reports whether Await waits for the request, and Limit for how long.
	Waits bool
	Limit time.Duration

	// Submission is the one that the object or the action stands for, and Observed what the
	// latest call of the engine noticed about it.
	Submission deferred.Submission
	Observed   deferred.Observed
	// Unanswered is the submission of a Submit whose outcome is not known. The next Submit
	// continues from it.
	Unanswered deferred.Submission

	submitted bool // in this run
	refreshed bool

	invoked *action.InvokeResponse // of an action; nil for an object
	state   *tfsdk.State           // of the object; nil without one
	prior   tftypes.Value          // of state; null if the object is created
	stood   deferred.Submission    // that the object stood for then
}

// Run returns the run of an object that is created, read or updated. The arguments are those of
// the response, which begins with what the object is before.
func (s *Service) Run(ctx context.Context, state *tfsdk.State, private Private, diags *diag.Diagnostics) Run {
	before := ReadSubmission(ctx, private, KeySubmission)

	return Run{
		Engine:     s.Deferred,
		Diags:      diags,
		Private:    private,
		Submission: before,
		Unanswered: ReadSubmission(ctx, private, KeyUnanswered),
		state:      state,
		prior:      state.Raw,
		stood:      before,
	}
}

// Submit submits the request. The submission of an error becomes r.Unanswered and leaves
// r.Submission as it was. The errors are those of deferred.Engine.Submit.
func (r *Run) Submit(ctx context.Context) error {
	s, observed, err := r.Engine.Submit(ctx, r.Request, r.Unanswered)
	r.Observed = observed
	if err != nil {
		r.Unanswered = s
		return err
	}

	r.Submission, r.Unanswered, r.submitted = s, deferred.Submission{}, true
	if observed.NotUnderstood != "" {
		Problem{
			Summary: "Sent, and the answer is not understood",
			Detail:  "The service answered the " + r.Name + " with a status of success and " + observed.NotUnderstood + ", which does not show that it accepted the request. It is never sent again. It counts as fulfilled only once the pending list or its effect shows that.",
			Do:      "look at analytics_pending_requests for it. If the answer is all data of the person, set wire.all_data.at to a pointer to the data.",
		}.AddWarning(r.Diags)
	}

	return nil
}

// Await waits until an open request is no longer pending, for the limit at most, if the run
// waits. A request that was submitted in this run and has failed meanwhile is an error.
func (r *Run) Await(ctx context.Context) error {
	if !r.Waits || !r.Submission.State.IsOpen() {
		return nil
	}

	wait := func() { r.Submission, r.Observed = r.Engine.Await(ctx, r.Request, r.Submission, r.Limit) }
	During(ctx, wait, func(since time.Duration) {
		Say(r.invoked, "Still pending after "+shortDuration(since)+".")
	})

	if r.submitted && r.Submission.State == deferred.Failed {
		return r.Request.Rejection(r.Submission, r.Observed)
	}

	return nil
}

// Refresh looks once at the request of an object in state. It reports false, after a warning,
// if it could not look: an error would block every plan of the workspace.
func (r *Run) Refresh(ctx context.Context) bool {
	s, observed, err := r.Engine.Refresh(ctx, r.Request, r.Submission)
	r.Observed, r.refreshed = observed, true
	if err != nil {
		r.WarnUnchecked(err)
		return false
	}

	r.Submission = s
	if r.Unanswered.IdempotencyKey == s.IdempotencyKey && !s.IsUnanswered() {
		r.Unanswered = deferred.Submission{}
	}

	return true
}

// Save writes a model into state, and into private state what the run knows of the request.
func (r *Run) Save(ctx context.Context, model any) {
	r.Diags.Append(r.state.Set(ctx, model)...)
	r.save(ctx)
}

func (r *Run) save(ctx context.Context) {
	for key, s := range map[string]deferred.Submission{KeySubmission: r.Submission, KeyUnanswered: r.Unanswered} {
		var text []byte // nil removes the key
		if s.State != deferred.Idle {
			text = s.Encode()
		}
		r.Diags.Append(r.Private.SetKey(ctx, key, text)...)
	}
}

// Fail ends the run with an error. An object that was updated is as it was and stands for
// the request of before; one that was to be created does not exist.
func (r *Run) Fail(ctx context.Context, p Problem) {
	if r.state != nil {
		r.state.Raw = r.prior
		r.Submission = r.stood
		r.save(ctx)
		p.InState = PriorKept
		if r.prior.IsNull() {
			p.InState = NothingSaved
		}
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
	p := ProblemOf(err, r.InState+" and without a request_id")
	p.Detail = "The run was interrupted while the " + r.Name + " was being sent. " + p.Detail
	p.Summary = "Interrupted, and the outcome is not known"
	p.Do = "plan again: the refresh looks for the request. If nothing shows it, the plan sends it again."
	p.AddWarning(r.Diags)

	return true
}

// SayAccepted says under which ID the service has the request. Actions must call it
// directly after Submit: it may be all that the user learns of an interrupted one.
func (r *Run) SayAccepted() {
	as := "as a request without an id"
	if r.Submission.ID != "" {
		as = "as request " + QuoteID(r.Submission.ID, r.Request.Person.Identity)
	}

	switch {
	case r.Observed.Known:
		Say(r.invoked, "A "+r.Name+" of this person was submitted in this run, "+as+"; no other is sent.")
	case r.Observed.Adopted:
		Say(r.invoked, "A "+r.Name+" is pending already, "+as+"; no other is sent.")
	default:
		Say(r.invoked, "The service accepted the "+r.Name+" "+as+". It cannot be cancelled.")
	}
}

// Finish waits for the request of an action and reports how it ended. It says done if the
// request is fulfilled. A request that is still pending is a warning, because invoking the
// action again would not help, and one that came to nothing is an error.
func (r *Run) Finish(ctx context.Context, done string) {
	_ = r.Await(ctx) // a failed request is a problem as well
	if r.Submission.State == deferred.Fulfilled {
		Say(r.invoked, done)
		return
	}

	add := Problem.AddWarning
	if r.Submission.State.IsOver() {
		add = Problem.AddError
	}
	for _, p := range r.Problems() {
		add(p, r.Diags)
	}
}
