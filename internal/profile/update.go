package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultTimeout leaves an update, "usually fulfilled within 60 seconds" (interface,
// section 8), ample room.
const defaultTimeout = 10 * time.Minute

// keyMembers is the key in private state of the names of members that were sent and
// are not in state, because they are write-only.
const keyMembers = "members"

// update is one change of a profile: sent, saved, awaited.
type update struct {
	engine  *deferred.Engine
	written *tfkit.Written
	client  *client.Client
	scope   client.Scope
	plan    resourceModel
	changes members
	request deferred.Request
	diags   *diag.Diagnostics

	submission deferred.Submission
	report     deferred.Report
	// save writes the object and its private state into the response.
	save func()
}

// begin collects what an update needs. state is nil for an object to create.
func (r *profileResource) begin(plan resourceModel, state *resourceModel, config resourceModel, diags *diag.Diagnostics) (*update, bool) {
	c, scope, ok := r.ClientAndScope(plan.Scope, diags)
	if !ok {
		return nil, false
	}

	written, _ := config.ProfileWO.Value()
	u := &update{engine: r.Deferred, written: &r.WrittenProfiles, client: c, scope: scope, plan: plan, changes: plan.changes(state, written), diags: diags}
	u.request = u.requestOf(u.changes)
	// What differs from state was compared with the service by the refresh, unless state
	// holds an update that is not fulfilled.
	u.request.EffectKnownAbsent = state != nil && state.Fulfilled.ValueBool() && plan.managed() != nil
	return u, true
}

// requestOf returns the request that sends changes. Without any, it is the one that
// was sent before, whose effect is all that is managed.
func (u *update) requestOf(changes members) deferred.Request {
	expected := changes
	if len(expected) == 0 {
		expected = u.plan.managed()
	}
	return profileUpdate(u.client, u.scope, u.plan, changes, expected)
}

// profileUpdate returns the request that sends changes. expected are the members
// whose values show that it was fulfilled; nil where they are not known.
func profileUpdate(c *client.Client, scope client.Scope, m resourceModel, changes, expected members) deferred.Request {
	identity := m.IdentityID.ValueString()
	request := deferred.Request{
		Scope: scope, Identity: identity, Type: client.RequestProfileUpdate, Occasion: m.occasion(changes),
		Against:    []string{client.RequestDataDeletion},
		Repeatable: true, // the values are absolute
		Send: func(ctx context.Context) (client.Receipt, error) {
			return c.UpdateProfile(ctx, scope, identity, changes)
		},
	}
	if len(expected) > 0 {
		request.Effect = c.ProfileHolds(scope, identity, expected)
	}
	m.Apply(&request)
	return request
}

// occasion tells updates of one profile apart: by the version of write-only members,
// which must not be in private state in any form, or else by a digest of the values.
func (m *resourceModel) occasion(changes members) string {
	if !m.ProfileWOVersion.IsNull() {
		return fmt.Sprint("version ", m.ProfileWOVersion.ValueInt64())
	}
	sum := sha256.Sum256([]byte(jsonvalue.FormatObject(changes)))
	return hex.EncodeToString(sum[:8])
}

// send submits the changes. It reports false where the service has not accepted
// them, or nobody knows.
func (u *update) send(ctx context.Context, inState string) bool {
	u.written.Write(u.written.Object(profileType, ""), u.scope, u.request.Identity)
	s, report, err := u.engine.Submit(ctx, u.request, deferred.Submission{})
	u.report = report
	if err != nil {
		tfkit.AddError(u.diags, err, inState)
		return false
	}

	u.submission = s
	return true
}

// goesOnWaiting reports whether an apply without changes waits for the update that was
// sent before.
func (u *update) goesOnWaiting() bool {
	return u.plan.Fulfilled.IsUnknown() && u.submission.State.IsOpen()
}

// await saves the accepted update before it waits, so that nothing that happens
// meanwhile can lose it. It reports false where the service has refused the update
// after all.
func (u *update) await(ctx context.Context, limit time.Duration, inState string) bool {
	u.plan.Fulfilled = types.BoolValue(u.submission.State == deferred.Fulfilled)
	u.submission.Interrupted = false
	u.save()
	if !u.plan.WaitForFulfilment.ValueBool() || u.plan.Fulfilled.ValueBool() {
		return true
	}

	u.submission, u.report = u.engine.Await(ctx, u.request, u.submission, limit)
	if u.submission.State == deferred.Failed {
		tfkit.AddError(u.diags, u.request.Rejection(u.submission, u.report), inState)
		return false
	}
	warnUnfinished(u.diags, u.submission, u.report)

	u.plan.Fulfilled = types.BoolValue(u.submission.State == deferred.Fulfilled)
	u.save()
	return true
}

// writePrivate writes what private state holds of the object.
func (u *update) writePrivate(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	diags := tfkit.WriteSubmission(ctx, private, tfkit.KeySubmission, u.submission)
	if !u.plan.ProfileWOVersion.IsNull() && len(u.changes) > 0 {
		diags.Append(writeNames(ctx, private, namesOf(u.changes))...)
	}
	return diags
}

// warnUnfinished says why an update that was accepted is not fulfilled.
func warnUnfinished(diags *diag.Diagnostics, s deferred.Submission, report deferred.Report) {
	tfkit.WarnUnfinished(diags, "the update of the profile", s, report)
	if s.State != deferred.Dropped {
		return
	}

	request := "The update of the profile"
	if s.ID != "" {
		request += " (request " + tfkit.QuoteID(s.ID) + ")"
	}
	diags.AddWarning("The request left the pending list without a visible effect", request+" is no longer pending, and its effect cannot be seen at the service.\n\n"+
		"In state now: the object with fulfilled = false.\nWhat to do: run plan; it shows what the service holds.")
}

// refresh finds out what became of an update that was not fulfilled yet. It returns
// the submission after the look, and reports whether the profile is gone with it: what
// an update that came to nothing has left is shown, as for any other drift.
func refresh(ctx context.Context, service *tfkit.Service, scope client.Scope, state *resourceModel, s deferred.Submission, diags *diag.Diagnostics) (_ deferred.Submission, gone bool) {
	managed := state.managed()
	request := profileUpdate(service.Client, scope, *state, nil, nil)

	held, missing := client.Profile{}, false
	look := func(ctx context.Context) (bool, error) {
		now, err := service.Client.GetProfile(ctx, scope, request.Identity)
		missing = client.IsClass(err, client.ClassNotFound)
		if err != nil && !missing {
			return false, err
		}
		held = now
		return !missing && held.Holds(managed), nil
	}
	if managed != nil {
		request.Effect = look
	}

	s, report, err := service.Deferred.Refresh(ctx, request, s)
	if err != nil {
		warnUnwatched(diags, err)
		return s, false
	}

	state.Fulfilled = types.BoolValue(s.State == deferred.Fulfilled)
	if !s.State.IsOver() {
		warnUnfinishedAtRefresh(diags, s, report)
		return s, false
	}
	if s.State == deferred.Failed {
		warnFailed(diags, request, s, report)
		if _, err := look(ctx); err != nil {
			warnUnwatched(diags, err)
			return s, false
		}
	} else {
		warnUnfinished(diags, s, report)
	}
	if missing {
		return s, true
	}
	state.show(held.Members)
	return s, false
}

func warnFailed(diags *diag.Diagnostics, request deferred.Request, s deferred.Submission, report deferred.Report) {
	var failed diag.Diagnostics
	tfkit.AddError(&failed, request.Rejection(s, report), "what the service holds; the plan shows the difference")
	addWarnings(diags, failed)
}

// warnUnwatched is for a refresh: the object stays as it was.
func warnUnwatched(diags *diag.Diagnostics, err error) {
	var failed diag.Diagnostics
	tfkit.AddError(&failed, err, "the object with fulfilled = false; the request itself was accepted")
	for _, d := range failed {
		diags.AddWarning("Accepted, and could not be watched: "+d.Summary(), d.Detail())
	}
}

// warnUnfinishedAtRefresh says only what is unusual about an update that is pending.
func warnUnfinishedAtRefresh(diags *diag.Diagnostics, s deferred.Submission, report deferred.Report) {
	if report.Status != "" || report.Gap != "" {
		tfkit.WarnUnfinished(diags, "the update of the profile", s, report)
	}
}

func addWarnings(diags *diag.Diagnostics, errors diag.Diagnostics) {
	for _, d := range errors {
		diags.AddWarning(d.Summary(), d.Detail())
	}
}

// readNames returns the names of members that were sent and are not in state.
func readNames(ctx context.Context, private tfkit.PrivateReader) []string {
	var names []string
	text, _ := private.GetKey(ctx, keyMembers)
	if len(text) == 0 || json.Unmarshal(text, &names) != nil {
		return nil
	}
	return names
}

func writeNames(ctx context.Context, private tfkit.PrivateWriter, names []string) diag.Diagnostics {
	if len(names) == 0 {
		return private.SetKey(ctx, keyMembers, nil)
	}
	text, err := json.Marshal(names)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Internal error", "The names of members cannot be written into private state.")}
	}
	return private.SetKey(ctx, keyMembers, text)
}
