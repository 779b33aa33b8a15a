package profile

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultWait leaves an update, "usually fulfilled within 60 seconds" (interface,
// section 8), ample room.
const defaultWait = 10 * time.Minute

// update is one change of a profile on its way: sent, saved, awaited.
type update struct {
	client  *client.Client
	scope   client.Scope
	plan    resourceModel
	changes members
	note    tfkit.RequestNote
	adopted bool // the request is an earlier one, which may have other values
	diags   *diag.Diagnostics
	// save writes the object and its note into the response.
	save func(resourceModel, tfkit.RequestNote)
}

// begin collects what an update needs; nil where something is missing.
func (r *profileResource) begin(plan resourceModel, state *resourceModel, config resourceModel, diags *diag.Diagnostics) *update {
	c, scope, ok := r.Reach(plan.Scope, diags)
	if !ok {
		return nil
	}
	written, _ := config.ProfileWO.Value()
	return &update{client: c, scope: scope, plan: plan, changes: plan.changes(state, written), diags: diags}
}

// send sends the changes and notes the request. Where an earlier one may have been
// accepted without anybody knowing, a pending one is adopted instead.
func (u *update) send(ctx context.Context, inState string) bool {
	way := u.client.UpdateProfile
	if u.note.Uncertain {
		way = u.client.AdoptProfileUpdate
	}
	accepted, err := way(ctx, u.scope, u.plan.IdentityID.ValueString(), u.changes)
	if err != nil {
		u.note.Uncertain = client.IsKind(err, client.KindUnknownOutcome)
		tfkit.AddError(u.diags, err, inState)
		return false
	}
	u.adopted = accepted.Adopted
	u.note = tfkit.RequestNote{ID: accepted.ID}
	if !u.plan.ProfileWOVersion.IsNull() {
		u.note.Names = namesOf(u.changes)
	}
	return true
}

// await saves the accepted update before it waits, so that nothing that happens
// meanwhile can lose it. It reports false where the service has refused the update
// after all.
func (u *update) await(ctx context.Context, limit time.Duration, inState string) bool {
	u.plan.Fulfilled = types.BoolValue(false)
	u.note.Waiting = false
	u.save(u.plan, u.note)
	if !u.plan.WaitForFulfilment.ValueBool() {
		return true
	}
	outcome, interrupted := tfkit.AwaitWithin(ctx, u.client, u.awaited(), limit)
	if u.adopted && outcome.Ending == client.Gone {
		// What was pending had other values; now it is out of the way.
		if !u.send(ctx, inState) {
			return false
		}
		u.save(u.plan, u.note)
		outcome, interrupted = tfkit.AwaitWithin(ctx, u.client, u.awaited(), limit)
	}
	if outcome.Ending == client.Rejected {
		tfkit.AddError(u.diags, rejected(outcome), inState)
		return false
	}
	tfkit.WarnUnfinished(u.diags, "the update of the profile", outcome, interrupted)
	u.plan.Fulfilled = types.BoolValue(outcome.Ending == client.Fulfilled)
	u.note.ID, u.note.Waiting = outcome.ID, interrupted
	if outcome.Ending == client.Fulfilled {
		u.note.ID = ""
	}
	u.save(u.plan, u.note)
	return true
}

// awaited is the update as the client watches it. The values decide, where they are
// known: what a pending record looks like is not documented.
func (u *update) awaited() client.Awaited {
	identity := u.plan.IdentityID.ValueString()
	a := client.Awaited{Scope: u.scope, Identity: identity, Operation: client.OperationProfileUpdate, ID: u.note.ID}
	expected := u.changes
	if len(expected) == 0 {
		expected = u.plan.managed()
	}
	if len(expected) > 0 {
		a.Effect = u.client.ProfileHolds(u.scope, identity, expected)
	}
	return a
}

func rejected(o client.Outcome) error {
	return &client.Error{
		Kind: client.KindServer, Code: o.Code, Operation: "Update user profile", Method: http.MethodPatch,
		Detail: "the service accepted the update and then failed it",
	}
}

// complete finds out at a refresh what became of an update that was not fulfilled
// yet: fulfilled, still pending, or gone, in which case what the service holds is
// shown, as for any other drift.
func complete(ctx context.Context, c *client.Client, scope client.Scope, state *resourceModel, held client.Profile, note *tfkit.RequestNote) (diags diag.Diagnostics) {
	managed := state.managed()
	if managed != nil && held.Holds(managed) {
		state.Fulfilled = types.BoolValue(true)
		*note = tfkit.RequestNote{Names: note.Names}
		return nil
	}
	a := client.Awaited{Scope: scope, Identity: state.IdentityID.ValueString(), Operation: client.OperationProfileUpdate, ID: note.ID}
	if managed != nil {
		// Looked at again once the request is known to have left the list: what was read
		// before may be from before it was fulfilled.
		a.Effect = func(ctx context.Context) (bool, error) {
			now, err := c.GetProfile(ctx, scope, a.Identity)
			if err != nil && !client.IsKind(err, client.KindNotFound) {
				return false, err
			}
			held = now
			return held.Holds(managed), nil
		}
	}
	switch o := c.Check(ctx, a); o.Ending {
	case client.Fulfilled:
		state.Fulfilled = types.BoolValue(true)
		*note = tfkit.RequestNote{Names: note.Names}
	case client.Rejected:
		tfkit.AddError(&diags, rejected(o), "what the service holds; the plan shows the difference")
		diags = asWarnings(diags)
		state.show(held.Members)
		*note = tfkit.RequestNote{Names: note.Names}
	case client.Gone:
		tfkit.WarnUnfinished(&diags, "the update of the profile", o, false)
		state.show(held.Members)
		*note = tfkit.RequestNote{Names: note.Names}
	case client.StillPending:
		if o.Err != nil || o.Status != "" {
			tfkit.WarnUnfinished(&diags, "the update of the profile", o, false)
		}
	}
	return diags
}

// asWarnings is for a refresh: what has failed is over, and the plan shows what
// there is to do about it.
func asWarnings(errors diag.Diagnostics) (warnings diag.Diagnostics) {
	for _, d := range errors {
		warnings.AddWarning(d.Summary(), d.Detail())
	}
	return warnings
}
