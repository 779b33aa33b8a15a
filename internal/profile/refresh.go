// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// refresh is the Read of a profile whose update is not known to be fulfilled.
type refresh struct {
	target

	engine *deferred.Engine
	diags  *diag.Diagnostics
}

// run updates the model after one look at the update. It returns the submission after the
// look, and reports whether the profile is gone. An update that came to nothing leaves
// what the service holds in the model.
func (r *refresh) run(ctx context.Context, s deferred.Submission) (_ deferred.Submission, gone bool) {
	request := r.updateRequest(nil, r.memory.sent(r.model.managed()))
	if s.State.IsOver() { // the model holds what the service showed then: comparing them proves nothing
		request.Effect = func(context.Context) (bool, error) { return false, nil }
	}

	s, report, err := r.engine.Refresh(ctx, request, s)
	if err != nil {
		tfkit.WarnUnchecked(r.diags, "the "+updateName, err)
		return s, false
	}
	r.settle(ctx, &s)

	r.model.Fulfilled = types.BoolValue(s.State == deferred.Fulfilled)
	if s.State.IsOpen() {
		warnPending(r.diags, request.Identity, s, report)
	}
	if !s.State.IsOver() {
		return s, false
	}

	if s.State == deferred.Failed {
		tfkit.ProblemOf(request.Rejection(s, report), "what the service holds").AddWarning(r.diags)
	} else {
		warnDroppedUpdate(r.diags, request.Identity, s)
	}

	if _, err := r.read(ctx, r.client.GetProfile, r.model.managed()); err != nil {
		tfkit.WarnUnchecked(r.diags, "the "+updateName, err)
		return s, false
	}

	if !r.missing {
		r.model.fromAPI(r.held, r.memory)
	}

	return s, r.missing
}
