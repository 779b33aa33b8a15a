// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultTimeout limits a wait if timeouts is not configured. An update is "usually
// fulfilled within 60 seconds" (interface, section 8).
const defaultTimeout = 10 * time.Minute

// updateName is how messages name the request.
const updateName = "update of the profile"

// How messages speak of an update for which an object stands, and of one that clears the members
// of an object that is destroyed.
var (
	ofObject = tfkit.Messages{
		Name: updateName, InState: tfkit.NotFulfilled,
		Advice: tfkit.RequestAdvice{Pending: tfkit.AdviceLater, Unproven: tfkit.AdviceEachRefresh, Over: tfkit.AdviceApplyAgain},
	}
	ofDestroy = tfkit.Messages{
		Name: updateName + " that clears the members", InState: "nothing of this resource",
		Advice: tfkit.RequestAdvice{Pending: tfkit.AdviceInvoked.Pending, Unproven: tfkit.AdviceInvoked.Pending, Over: tfkit.AdviceApplyAgain},
	}
)

// update is one Create, Read, Update or Delete of an object: the run of its update, and the
// profile that it is about.
type update struct {
	tfkit.Run

	client  *client.Client
	model   *resourceModel
	memory  memory
	changes members // to send; empty if they were sent before

	held    members // what the latest look has read; nil if nothing was
	missing bool    // the latest look found no profile
	holds   bool    // the latest look found what it expected
}

// newUpdate returns the update that sends changes, or that sent what is managed.
func (r *profileResource) newUpdate(ctx context.Context, run tfkit.Run, m *resourceModel, changes members) (*update, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, run.Diags)
	if !ok {
		return nil, false
	}

	u := &update{Run: run, client: c, model: m, changes: changes}
	if run.Private != nil {
		u.memory = readMemory(ctx, run.Private)
	}
	u.Messages, u.Waits = ofObject, m.WaitForFulfilment.ValueBool()
	u.Request = updateRequest(c, client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, changes)
	u.Request.IdempotencyKey = digestOf(changes)
	if !m.ProfileWOVersion.IsNull() { // whose values must not be in private state in any form
		u.Request.IdempotencyKey = fmt.Sprint("version ", m.ProfileWOVersion.ValueInt64(), namesOf(changes))
	}

	expected := changes
	if len(changes) == 0 {
		expected = u.memory.sent(m.managed())
	}
	if len(expected) > 0 {
		u.Request.Effect = func(ctx context.Context, sent time.Time) (bool, error) {
			return u.shows(ctx, sent, expected)
		}
	}

	return u, true
}

// updateRequest returns the request that sends changes of a person's profile.
func updateRequest(c *client.Client, p client.Person, changes members) deferred.Request {
	return deferred.Request{
		Person:     p,
		Type:       answer.RequestProfileUpdate,
		Against:    []string{answer.RequestDataDeletion},
		Repeatable: true, // the values are absolute
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.UpdateProfile(ctx, p, changes)
		},
	}
}

// shows reports whether the profile, read as the effect of an update that was sent then, holds
// what is expected.
func (u *update) shows(ctx context.Context, sent time.Time, expected members) (bool, error) {
	err := u.look(ctx, u.client.ProfileSince(sent), expected)
	return u.holds, err
}

// look reads the profile with GetProfile, or with ProfileSince for the effect of an update, and
// keeps what it holds. That there is none is no error.
func (u *update) look(ctx context.Context, read func(context.Context, client.Person, members) (answer.Profile, error), expected members) error {
	profile, err := read(ctx, u.Request.Person, expected)
	u.missing = transport.IsClass(err, transport.ClassNotFound)
	u.holds = err == nil && profile.Holds(expected)
	if err != nil && !u.missing {
		return err
	}

	u.held = members{}
	maps.Copy(u.held, profile.Members)

	return nil
}

// apply records that the object manages its members, sends the changes, if there are any, saves
// the object, so that an accepted update is never forgotten, waits for the update, and saves the
// object again. After an error, the object remembers what it did before.
func (r *profileResource) apply(ctx context.Context, u *update) {
	object := tfkit.ObjectIn(ctx, u.Private, profileType)
	for _, name := range append(namesOf(u.changes), namesOf(u.model.managed())...) {
		r.WrittenProfiles.Keep(object, memberOf(u.Request.Person, name))
	}

	before := u.memory
	if len(u.changes) > 0 {
		// What is read after the first attempt may be its effect.
		send, begin := u.Request.Send, sync.OnceFunc(func() {
			held := u.held
			if !u.model.ProfileWOVersion.IsNull() { // it may hold write-only values of before
				held = nil
			}
			u.memory.noteSending(u.changes, held)
		})
		u.Request.Send = func(ctx context.Context) (answer.Receipt, error) {
			begin()
			return send(ctx)
		}

		if err := u.Submit(ctx); err != nil {
			u.Fail(ctx, u.ProblemOf(err))
			return
		}
	}

	u.Submission.Interrupted = false
	u.settle(ctx)
	u.save(ctx)
	if err := u.Await(ctx); err != nil {
		u.Fail(ctx, u.ProblemOf(err))
		u.Diags.Append(before.save(ctx, u.Private)...)
		return
	}

	u.settle(ctx)
	u.Warn()
	u.save(ctx)
}

// refresh is the Read of an object whose update is not known to be fulfilled. It reports, after
// a warning, that the profile is gone. An update that came to nothing leaves what the service
// holds in the model.
func (u *update) refresh(ctx context.Context) (gone bool) {
	if u.Submission.State.IsOver() { // the model holds what the service showed then: comparing them proves nothing
		u.Request.Effect = func(context.Context, time.Time) (bool, error) { return false, nil }
	}

	if !u.Refresh(ctx) {
		return false
	}
	u.settle(ctx)
	u.Warn()

	if u.Submission.State.IsOver() {
		if err := u.look(ctx, u.client.GetProfile, u.model.managed()); err != nil {
			u.WarnUnchecked(err)
		} else if u.missing {
			tfkit.Problem{
				Summary: "The profile was removed while its update was pending",
				Detail:  "The service no longer has a profile of this person, so the update that it had accepted has no effect.",
				InState: "nothing of this resource",
				Do:      "apply again, which creates the profile again. If the person's data was deleted on purpose, remove the resource from the configuration.",
			}.AddWarning(u.Diags)
			return true
		} else {
			u.model.fromAPI(u.held, u.memory)
		}
	}
	u.save(ctx)

	return false
}

// settle concludes an update that is no longer pending. If the service holds other values
// than those that were sent, and others than before, it has made them of ours: the update is
// fulfilled, and the values are remembered.
func (u *update) settle(ctx context.Context) {
	s, remembered := &u.Submission, &u.memory
	isDropped := s.State == deferred.Dropped
	if s.State != deferred.Fulfilled && !isDropped || len(remembered.Before) == 0 {
		return
	}

	sent := remembered.sent(u.model.managed())
	if sent != nil && (isDropped || !u.holds) {
		if err := u.look(ctx, u.client.ProfileSince(s.SentDate), sent); err != nil {
			return // the next refresh shows the difference
		}

		others := slices.DeleteFunc(namesOf(sent), func(name string) bool { return digest(name, sent) == digest(name, u.held) })
		isAsBefore := func(name string) bool {
			before := remembered.Before[name]
			return before == "" || before == digest(name, u.held)
		}
		if isDropped && !u.missing && !slices.ContainsFunc(others, isAsBefore) {
			s.State, s.FulfilledAt = deferred.Fulfilled, time.Now()
		}

		if s.State == deferred.Fulfilled {
			remembered.make(others, u.held)
		}
	}
	remembered.Before = nil
}

// save writes the object into state and private state, with fulfilled as the submission says.
func (u *update) save(ctx context.Context) {
	if u.Submission.State != deferred.Idle {
		u.model.Fulfilled = types.BoolValue(u.Submission.State == deferred.Fulfilled)
	}
	if u.model.ProfileWOVersion.IsNull() {
		u.memory.Written = nil
	} else if len(u.changes) > 0 {
		u.memory.Written = namesOf(u.changes)
	}

	u.Save(ctx, u.model)
	u.Diags.Append(u.memory.save(ctx, u.Private)...)
}
