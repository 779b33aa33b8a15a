package profile

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// refresh is the Read of a profile whose update is not known to be fulfilled.
type refresh struct {
	target

	engine *deferred.Engine
	diags  *diag.Diagnostics

	profile answer.Profile // what the latest look has read
	missing bool           // the latest look found no profile
}

// run updates the model after one look at the update. It returns the submission after the
// look, and reports whether the profile is gone. An update that came to nothing leaves
// what the service holds in the model, so that the plan shows the difference.
func (r *refresh) run(ctx context.Context, s deferred.Submission) (_ deferred.Submission, gone bool) {
	request := r.updateRequest(nil, nil)
	switch {
	case s.State.IsOver(): // the model holds what the service showed then: comparing them proves nothing
		request.Effect = func(context.Context) (bool, error) { return false, nil }
	case r.model.managed() != nil:
		request.Effect = r.look
	}

	s, report, err := r.engine.Refresh(ctx, request, s)
	if err != nil {
		tfkit.WarnUnchecked(r.diags, "the "+updateName, err)
		return s, false
	}

	r.model.Fulfilled = types.BoolValue(s.State == deferred.Fulfilled)
	if s.State.IsOpen() {
		warnPending(r.diags, request.Identity, s, report)
	}
	if !s.State.IsOver() {
		return s, false
	}

	if s.State == deferred.Failed {
		tfkit.ProblemOf(request.Rejection(s, report), "what the service holds; the plan shows the difference").AddWarning(r.diags)
	} else {
		warnDroppedUpdate(r.diags, request.Identity, s)
	}

	if _, err := r.look(ctx); err != nil {
		tfkit.WarnUnchecked(r.diags, "the "+updateName, err)
		return s, false
	}

	if !r.missing {
		r.model.fromAPI(r.profile)
	}

	return s, r.missing
}

// look reads the profile and reports whether it has all managed members.
func (r *refresh) look(ctx context.Context) (bool, error) {
	profile, err := r.client.GetProfile(ctx, r.scope, r.model.IdentityID.ValueString(), r.model.managed())
	r.missing = client.IsClass(err, client.ClassNotFound)
	if r.missing {
		r.profile = answer.Profile{}
		return false, nil
	}
	if err != nil {
		return false, err
	}

	r.profile = profile

	return profile.Holds(r.model.managed()), nil
}
