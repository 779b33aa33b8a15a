// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Run is the life of one deferred request in an apply or in an action.
type Run struct {
	Engine *deferred.Engine

	// Submission is the one that the object or the action stands for, and Report what the
	// latest call of the engine noticed about it.
	Submission deferred.Submission
	Report     deferred.Report
	// Unanswered is the submission of a Submit that failed because its outcome is not known.
	Unanswered deferred.Submission
}

// Submit submits a request. prior is the submission of an earlier one whose outcome is not
// known, or the zero value. The submission of an error becomes r.Unanswered and leaves
// r.Submission as it was. The errors are those of deferred.Engine.Submit.
func (r *Run) Submit(ctx context.Context, request deferred.Request, prior deferred.Submission) error {
	s, report, err := r.Engine.Submit(ctx, request, prior)
	r.Report = report
	if err != nil {
		r.Unanswered = s
		return err
	}

	r.Submission, r.Unanswered = s, deferred.Submission{}

	return nil
}

// Await waits until the request is no longer pending, for the limit at most.
func (r *Run) Await(ctx context.Context, request deferred.Request, limit time.Duration) {
	r.Submission, r.Report = r.Engine.Await(ctx, request, r.Submission, limit)
}
