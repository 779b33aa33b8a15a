package requests

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// attempt is the request of one Create or Update.
type attempt struct {
	tfkit.Response

	engine *deferred.Engine
	// submission is the one that the object stands for, and report what the latest call
	// of the engine noticed about it.
	submission deferred.Submission
	report     deferred.Report
	// unanswered is the submission of a submit that failed because its outcome is not
	// known.
	unanswered deferred.Submission
}

// submit submits a request. prior is what readUnanswered returned, or the zero value.
// The submission of an error becomes a.unanswered and leaves a.submission as it was.
func (a *attempt) submit(ctx context.Context, request deferred.Request, prior deferred.Submission) error {
	s, report, err := a.engine.Submit(ctx, request, prior)
	a.report = report
	if err != nil {
		a.unanswered = s
		return err
	}

	a.submission, a.unanswered = s, deferred.Submission{}

	return nil
}

// await waits until the request is no longer pending, for the limit at most.
func (a *attempt) await(ctx context.Context, request deferred.Request, limit time.Duration) {
	a.submission, a.report = a.engine.Await(ctx, request, a.submission, limit)
}

// restore puts back the object of a failed Update, and the submission that it stood for.
func (a *attempt) restore(ctx context.Context, state tfsdk.State, s deferred.Submission) {
	a.State.Raw = state.Raw
	a.Diags.Append(tfkit.WriteSubmission(ctx, a.Private, tfkit.KeySubmission, s)...)
}

// readUnanswered returns the submission whose outcome an earlier apply could not find
// out; the zero value if there is none.
func readUnanswered(ctx context.Context, private tfkit.PrivateReader) deferred.Submission {
	s, _ := tfkit.ReadSubmission(ctx, private, tfkit.KeyUnanswered)
	return s
}

// writeUnanswered keeps the submission of a failed submit in private state, so that the
// next apply continues from it, or removes it after a submit that succeeded.
func (a *attempt) writeUnanswered(ctx context.Context) {
	a.Diags.Append(tfkit.WriteSubmission(ctx, a.Private, tfkit.KeyUnanswered, a.unanswered)...)
}

// readSubmission returns the submission that an object in state stands for.
func readSubmission(ctx context.Context, private tfkit.PrivateReader, state requestModel) deferred.Submission {
	if s, ok := tfkit.ReadSubmission(ctx, private, tfkit.KeySubmission); ok {
		return s
	}
	return state.submission()
}
