// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/go-json-experiment/json/jsontext"
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

// ofObject is how messages speak of the update that an object stands for.
var ofObject = run.Messages{
	Name: updateName, InState: run.NotFulfilled,
	Advice: run.Advice{Pending: run.AdviceLater, Unproven: run.AdviceEachRefresh, Over: tfkit.AdviceApplyAgain},
}

// update is the run of the update that an object stands for, and the profile that it is about.
type update struct {
	run.Run

	client  *client.Client
	model   *resourceModel
	memory  memory
	changes members // to send; empty if the update was sent before
	sets    members // what the update sets, as far as that is known
	current members // of the profile when it was read last; nil if it was not
}

// begin returns the update that sends changes, or without any the one that was sent before. It returns
// false if there are errors.
func (r *profileResource) begin(ctx context.Context, m *resourceModel, changes members, resp run.Response) (*update, bool) {
	o, ok := run.OfObject(ctx, r.Service, m.Identity, resp)
	u := &update{Run: o, client: r.Client, model: m, memory: readMemory(o.Document), changes: changes, sets: changes}
	u.Messages, u.Waits = ofObject, m.WaitForFulfilment.ValueBool()
	u.Request.Type = answer.RequestProfileUpdate
	u.Request.IdempotencyKey = rand.Text() // each update is another request, also one of the same values
	u.Request.Send = u.send
	if len(changes) == 0 {
		u.Request.IdempotencyKey = u.Submission.IdempotencyKey
		u.sets = u.memory.sent(m.members())
	}
	if len(u.sets) > 0 {
		u.Request.Effect = u.read
	}

	return u, ok
}

// send sends the changes to the profile as it was read last.
func (u *update) send(ctx context.Context) (answer.Receipt, error) {
	u.memory.noteSending(u.changes, u.current)
	return u.client.UpdateProfile(ctx, u.Request.Person, u.changes)
}

// read reads the profile, keeps what it holds, and returns what it shows of the update. That a write-only
// value was altered says nothing: the service may have made it of ours.
func (u *update) read(ctx context.Context) (deferred.Reading, error) {
	reading, err := deferred.ReadProfile(ctx, u.client, u.Request.Person, u.sets)
	if err != nil {
		return reading, err
	}

	u.current = reading.Members
	if u.current == nil {
		u.current = members{}
	}
	reading.Shows = effectOf(u.sets, u.current, u.memory.Before)
	if reading.Shows == proof.Altered && u.model.isWriteOnly() {
		reading.Shows = proof.NoEffect
	}

	return reading, nil
}

// apply records that the object manages its members, sends the changes, if there are any, saves
// the object, so that an accepted update is never forgotten, waits for the update, and saves the
// object again. After an error, the object remembers what it did before.
func (r *profileResource) apply(ctx context.Context, u *update) {
	object := tfkit.ObjectIn(ctx, u.Private, profileType)
	for _, name := range append(namesOf(u.changes), namesOf(u.model.members())...) {
		r.Profiles.Keep(object, memberOf(u.Request.Person, name))
	}

	if len(u.changes) > 0 {
		if err := u.Submit(ctx); err != nil {
			u.Fail(ctx, u.ProblemOf(err))
			return
		}
	}

	u.save(ctx)
	if failed := u.Await(ctx); failed != nil {
		u.Fail(ctx, *failed)
		return
	}

	u.save(ctx)
}

// refresh looks at an update that is not known to be fulfilled, and reports whether it came to nothing, so
// that the object is to show what the service holds.
func (u *update) refresh(ctx context.Context) (cameToNothing bool) {
	if u.Submission.State == deferred.Unsent { // the state was written by hand, or by an older version
		u.Submission.State = deferred.Accepted
	}
	if !u.Refresh(ctx) {
		return false
	}
	u.save(ctx)

	return u.Submission.State == deferred.Failed
}

// settle concludes an update that is no longer pending. What the service shows of the values that were
// sent is remembered as ours where nothing else explains it: it is alike, or the list has shown the
// update as done, and no other update of the person since.
func (u *update) settle(ctx context.Context) {
	if len(u.memory.Before) == 0 {
		return
	}

	s := u.Submission
	switch s.State {
	case deferred.Fulfilled:
		if !u.model.isWriteOnly() && u.hasRead(ctx) {
			u.memory.noteNormalized(u.sets, u.current, s.Confirmed && !s.Explained)
		}
		u.memory.Before = nil
	case deferred.Failed:
		u.memory.Before = nil
	}
}

// hasRead reports whether the profile was read since the update is fulfilled, and reads it where the
// list was enough to see that. If that fails, the next refresh shows the difference.
func (u *update) hasRead(ctx context.Context) bool {
	if !u.Submission.Confirmed {
		return true
	}
	reading, err := u.read(ctx)
	return err == nil && !reading.NoProfile && !reading.Cached
}

// save writes the object into state and private state, with fulfilled as the submission says.
func (u *update) save(ctx context.Context) {
	u.settle(ctx)
	if u.Submission.State != deferred.Unsent {
		u.model.Fulfilled = types.BoolValue(u.Submission.State == deferred.Fulfilled)
	}

	if !u.model.isWriteOnly() {
		u.memory.WriteOnly = nil
	} else if len(u.changes) > 0 {
		u.memory.WriteOnly = namesOf(u.changes)
	}
	u.Values = u.memory.encode(u.model.isWriteOnly())
	u.Save(ctx, u.model)
}

// clearRequest returns the request that clears members of a person's profile, which have to be null in
// update. Its effect is that they have no value, whoever has cleared them.
func clearRequest(c *client.Client, p client.Person, update members) deferred.Request {
	return deferred.Request{
		Person:         p,
		Type:           answer.RequestProfileUpdate,
		IdempotencyKey: rand.Text(),
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.UpdateProfile(ctx, p, update)
		},
		Effect: func(ctx context.Context) (deferred.Reading, error) { return readCleared(ctx, c, p, update) },
	}
}

// readCleared returns what a person's profile shows of an update that clears members.
func readCleared(ctx context.Context, c *client.Client, p client.Person, update members) (deferred.Reading, error) {
	reading, err := deferred.ReadProfile(ctx, c, p, update)
	reading.Shows = effectOf(update, reading.Members, nil)
	return reading, err
}

// nulls returns the update that clears members.
func nulls(names []string) members {
	update := members{}
	for _, name := range names {
		update[name] = jsontext.Value("null")
	}
	return update
}
