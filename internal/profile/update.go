// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultTimeout limits a wait if timeouts is not configured. An update is "usually
// fulfilled within 60 seconds" (interface, section 8).
const defaultTimeout = 10 * time.Minute

// updateName is how messages name the request.
const updateName = "update of the profile"

// How messages speak of the update of an object, and of the one that clears its members in a destroy.
var (
	ofObject = run.Messages{
		Name: updateName, InState: run.NotFulfilled,
		Advice: run.Advice{Pending: run.AdviceLater, Unproven: run.AdviceEachRefresh, Over: tfkit.AdviceApplyAgain},
	}
	ofDestroy = run.Messages{
		Name: updateName + " that clears the members", InState: "nothing of this resource",
		Advice: run.Advice{Pending: run.AdviceInvoked.Pending, Unproven: run.AdviceInvoked.Pending, Over: tfkit.AdviceApplyAgain},
	}
)

// update is one Create, Read, Update or Delete of an object: the run of its update, and the
// profile that it is about.
type update struct {
	run.Run

	client  *client.Client
	model   *resourceModel
	memory  memory
	changes members // to send; empty if they were sent before
	current members // of the profile when it was read last; nil if it was not
}

// newUpdate returns the update that sends changes, or that sent what is managed.
func (r *profileResource) newUpdate(o run.Run, m *resourceModel, changes members) (*update, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, o.Diags)
	if !ok {
		return nil, false
	}

	u := &update{Run: o, client: c, model: m, memory: readMemory(o.Document), changes: changes}
	u.Messages, u.Waits = ofObject, m.WaitForFulfilment.ValueBool()
	u.Request = updateRequest(c, client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, changes)
	u.Request.IdempotencyKey = digestOf(changes)
	if m.isWriteOnly() { // whose values must not be in private state in any form
		u.Request.IdempotencyKey = fmt.Sprint("version ", m.ProfileWOVersion.ValueInt64(), namesOf(changes))
	}

	send := u.Request.Send
	u.Request.Send = func(ctx context.Context) (answer.Receipt, error) {
		if u.memory.recent == nil { // what is read after the first attempt may be its effect
			u.memory.noteSending(changes, u.current, m.isWriteOnly())
		}
		return send(ctx)
	}

	expected := changes
	if len(changes) == 0 {
		expected = u.memory.sent(m.managed())
	}
	if len(expected) > 0 {
		u.Request.Effect = func(ctx context.Context) (deferred.Reading, error) { return u.read(ctx, expected) }
	}

	return u, true
}

// updateRequest returns the request that sends changes of a person's profile.
func updateRequest(c *client.Client, p client.Person, changes members) deferred.Request {
	return deferred.Request{
		Person: p,
		Wanted: proof.Wanted{Type: answer.RequestProfileUpdate},
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.UpdateProfile(ctx, p, changes)
		},
	}
}

// read reads the profile, keeps what it holds, and returns what it shows of an update that sets members.
func (u *update) read(ctx context.Context, expected members) (deferred.Reading, error) {
	profile, err := u.client.GetProfile(ctx, u.Request.Person, expected)
	return deferred.ReadingOf(profile, err, func(current members) proof.Effect {
		u.current = members{}
		maps.Copy(u.current, current)
		return u.memory.effect(expected, current, u.model.isWriteOnly())
	})
}

// apply records that the object manages its members, sends the changes, if there are any, saves
// the object, so that an accepted update is never forgotten, waits for the update, and saves the
// object again. After an error, the object remembers what it did before.
func (r *profileResource) apply(ctx context.Context, u *update) {
	object := tfkit.ObjectIn(ctx, u.Private, profileType)
	for _, name := range append(namesOf(u.changes), namesOf(u.model.managed())...) {
		r.Profiles.Keep(object, memberOf(u.Request.Person, name))
	}

	if len(u.changes) > 0 {
		if err := u.Submit(ctx); err != nil {
			u.Fail(ctx, u.ProblemOf(err))
			return
		}
	}

	u.Submission.Interrupted = false
	u.save(ctx)
	if failed := u.Await(ctx); failed != nil {
		u.Fail(ctx, *failed)
		return
	}

	u.Warn()
	u.save(ctx)
}

// refresh is the Read of an object whose update is not known to be fulfilled. It reports, after
// a warning, that the profile was removed. An update that came to nothing leaves what the service
// holds in the model.
func (u *update) refresh(ctx context.Context) (removed bool) {
	if !u.Refresh(ctx) {
		return false
	}
	u.settle(ctx)
	u.Warn()

	if u.Submission.State == deferred.Failed {
		reading, err := u.read(ctx, u.model.managed())
		switch {
		case err != nil:
			u.WarnUnchecked(err)
		case reading.NoProfile:
			tfkit.Problem{
				Summary: "The profile was removed while its update was pending",
				Detail:  "The service no longer has a profile of this person, so the update that it had accepted has no effect.",
				InState: "nothing of this resource",
				Do:      "apply again, which creates the profile again. If the person's data was deleted on purpose, remove the resource from the configuration.",
			}.AddWarning(u.Diags)
			return true
		default:
			u.model.fromAPI(u.current, u.memory)
		}
	}
	u.save(ctx)

	return false
}

// settle concludes an update that is no longer pending. What the service shows of the values that were
// sent is remembered as ours where nothing else explains it: it is alike, or the list has shown the
// update as done, and no other update of the person since.
func (u *update) settle(ctx context.Context) {
	s := u.Submission
	if s.IsOpen() || s.State == deferred.Unanswered || len(u.memory.Before) == 0 {
		return
	}

	ours := u.model.managed()
	if len(u.changes) > 0 && !u.model.isWriteOnly() {
		ours = u.changes
	}
	sent := u.memory.sent(ours)
	u.memory.Before = nil
	if s.State != deferred.Fulfilled || len(sent) == 0 {
		return
	}

	if s.Confirmed { // the list was enough, and the profile was not read
		if reading, err := u.read(ctx, sent); err != nil || reading.NoProfile {
			return // the next refresh shows the difference
		}
	}
	u.memory.noteNormalized(sent, u.current, s.Confirmed && !s.Explained)
}

// save writes the object into state and private state, with fulfilled as the submission says.
func (u *update) save(ctx context.Context) {
	u.settle(ctx)
	if u.Submission.State != deferred.Unsent {
		u.model.Fulfilled = types.BoolValue(u.Submission.State == deferred.Fulfilled)
	}

	switch {
	case !u.model.isWriteOnly():
		u.memory.WriteOnly = nil
	case len(u.changes) > 0:
		u.memory.WriteOnly = namesOf(u.changes)
	}

	u.Values = u.memory.encode()
	u.Save(ctx, u.model)
}
