package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// submissionIn returns the request that an object in state stands for.
func submissionIn(ctx context.Context, private tfkit.PrivateReader, state requestModel) deferred.Submission {
	if s, ok := tfkit.ReadSubmission(ctx, private, tfkit.KeySubmission); ok {
		return s
	}
	return state.submission()
}

// submitAnother submits a request in the place of the one that an object stands for.
// A submission whose outcome is unknown is kept in private state, so that the next
// apply continues from it.
func submitAnother(ctx context.Context, engine *deferred.Engine, request deferred.Request, before tfkit.PrivateReader, after tfkit.PrivateWriter, diags *diag.Diagnostics) (deferred.Submission, deferred.Report, error) {
	prior, _ := tfkit.ReadSubmission(ctx, before, tfkit.KeyUnanswered)

	s, report, err := engine.Submit(ctx, request, prior)
	unanswered := deferred.Submission{}
	if err != nil {
		unanswered = s
	}
	diags.Append(tfkit.WriteSubmission(ctx, after, tfkit.KeyUnanswered, unanswered)...)
	return s, report, err
}

// warnAwaited says why a request that was waited for is not fulfilled.
func warnAwaited(diags *diag.Diagnostics, n noun, s deferred.Submission, report deferred.Report) {
	switch s.State {
	case deferred.Failed:
		n.warnFailed(diags, s, report.Code)
	case deferred.Dropped:
		n.warnDropped(diags, s)
	default:
		tfkit.WarnUnfinished(diags, "the "+string(n), s, report)
	}
}
