// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultTimeout limits a wait if timeouts is not configured. An update is "usually
// fulfilled within 60 seconds" (interface, section 8).
const defaultTimeout = 10 * time.Minute

// keyMembers is the key in private state of the names of write-only members that were
// sent. They are not in state, and on_destroy = "clear" needs them.
const keyMembers = "members"

// target is the profile that an object is about.
type target struct {
	client *client.Client
	scope  client.Scope
	model  *resourceModel
	memory memory

	held    members // what the latest look has read; nil if nothing was
	missing bool    // the latest look found no profile
	holds   bool    // the latest look found what it expected
}

// look is read for the effect of an update.
func (t *target) look(ctx context.Context, expected members) (bool, error) {
	return t.read(ctx, t.client.ProfileNow, expected)
}

// getProfile is a method of the client that reads a profile.
type getProfile func(ctx context.Context, scope client.Scope, identity string, managed members) (answer.Profile, error)

// read reads the profile and reports whether it has members with these values.
func (t *target) read(ctx context.Context, get getProfile, expected members) (bool, error) {
	profile, err := get(ctx, t.scope, t.model.IdentityID.ValueString(), expected)
	t.missing, t.holds = transport.IsClass(err, transport.ClassNotFound), false
	if err != nil && !t.missing {
		return false, err
	}

	t.held = members{}
	maps.Copy(t.held, profile.Members)
	t.holds = !t.missing && profile.Holds(expected)

	return t.holds, nil
}

// settle concludes an update that is no longer pending. If the service holds other values
// than those that were sent, and others than before, it has made them of ours: the update is
// fulfilled, and the values are remembered.
func (t *target) settle(ctx context.Context, s *deferred.Submission) {
	isDropped := s.State == deferred.Dropped
	if s.State != deferred.Fulfilled && !isDropped || len(t.memory.Before) == 0 {
		return
	}

	ours := t.model.managed()
	if ours != nil && (isDropped || !t.holds) {
		if _, err := t.look(ctx, t.memory.sent(ours)); err != nil {
			return // the next refresh shows the difference
		}
		if isDropped && !t.missing && t.memory.hasChanged(ours, t.held) {
			s.State, s.FulfilledAt = deferred.Fulfilled, time.Now()
		}
		if s.State == deferred.Fulfilled {
			t.memory.settle(ours, t.held)
		}
	}
	t.memory.Before = nil
}

// updateRequest returns the request that sends changes. expected are the members whose values
// show that it was fulfilled; empty if they are not known.
func (t *target) updateRequest(changes, expected members) deferred.Request {
	request := updateRequest(t.client, t.scope, t.model.IdentityID.ValueString(), changes)
	request.Occasion = t.model.occasion(changes)

	if len(expected) > 0 {
		request.Effect = func(ctx context.Context) (bool, error) { return t.look(ctx, expected) }
	}

	return request
}

// updateRequest returns the request that sends changes of a person's profile.
func updateRequest(c *client.Client, scope client.Scope, identity string, changes members) deferred.Request {
	return deferred.Request{
		Scope:      scope,
		Identity:   identity,
		Type:       answer.RequestProfileUpdate,
		Against:    []string{answer.RequestDataDeletion},
		Repeatable: true, // the values are absolute
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.UpdateProfile(ctx, scope, identity, changes)
		},
	}
}

// occasion returns what distinguishes updates of one profile: the version of write-only
// members, whose values must not be in private state in any form, or else a digest of the
// values.
func (m *resourceModel) occasion(changes members) string {
	if !m.ProfileWOVersion.IsNull() {
		return fmt.Sprint("version ", m.ProfileWOVersion.ValueInt64())
	}

	sum := sha256.Sum256([]byte(jsonvalue.FormatObject(changes)))
	return hex.EncodeToString(sum[:8])
}

// update is one Create or Update of a profile.
type update struct {
	target
	tfkit.Response
	tfkit.Run

	written *tfkit.Written
	changes members // to send; empty if only a wait is resumed
	request deferred.Request
}

// begin returns the update that sends changes, and that is saved in resp. remembered is what
// private state remembers.
func (r *profileResource) begin(plan *resourceModel, changes members, remembered memory, resp tfkit.Response) (*update, bool) {
	c, scope, ok := r.ClientAndScope(plan.Scope, resp.Diags)
	if !ok {
		return nil, false
	}

	u := &update{
		target:   target{client: c, scope: scope, model: plan, memory: remembered},
		Response: resp,
		Run:      tfkit.Run{Engine: r.Deferred},
		written:  &r.WrittenProfiles,
		changes:  changes,
	}
	expected := changes
	if len(changes) == 0 { // the request was sent before, and set what is managed
		expected = remembered.sent(plan.managed())
	}
	u.request = u.updateRequest(changes, expected)

	send, begun := u.request.Send, false
	u.request.Send = func(ctx context.Context) (answer.Receipt, error) {
		if !begun { // what was read since the first attempt may be its effect
			u.memory.begin(changes, u.held)
			begun = true
		}
		return send(ctx)
	}

	return u, true
}

// apply sends the changes, if there are any, and waits for the update. An error means that
// the service has not accepted the update, has failed it, or that its outcome is unknown.
func (u *update) apply(ctx context.Context, limit time.Duration) error {
	if len(u.changes) > 0 {
		if err := u.send(ctx); err != nil {
			return err
		}
	}

	return u.await(ctx, limit)
}

func (u *update) send(ctx context.Context) error {
	u.written.Keep(tfkit.NewObject(profileType), u.scope, u.request.Identity)

	if err := u.Submit(ctx, u.request, deferred.Submission{}); err != nil {
		return err
	}
	tfkit.WarnNotUnderstood(u.Diags, "the "+updateName, u.Report)

	return nil
}

// resumesWait reports whether an apply without changes waits for the update that was sent
// before.
func (u *update) resumesWait() bool {
	return u.model.Fulfilled.IsUnknown() && u.Submission.State.IsOpen()
}

// await saves the object and then waits, so that an accepted update is never forgotten. It
// returns an error if the service has failed the update.
func (u *update) await(ctx context.Context, limit time.Duration) error {
	u.Submission.Interrupted = false
	u.settle(ctx, &u.Submission)
	u.saveSubmission(ctx)
	if !u.model.WaitForFulfilment.ValueBool() || u.model.Fulfilled.ValueBool() {
		return nil
	}

	u.Await(ctx, u.request, limit)
	if u.Submission.State == deferred.Failed {
		return u.request.Rejection(u.Submission, u.Report)
	}

	u.settle(ctx, &u.Submission)
	warnAwaited(u.Diags, u.request.Identity, u.Submission, u.Report)
	u.saveSubmission(ctx)

	return nil
}

// saveSubmission saves the object with fulfilled as the submission says.
func (u *update) saveSubmission(ctx context.Context) {
	u.model.Fulfilled = types.BoolValue(u.Submission.State == deferred.Fulfilled)
	u.save(ctx)
}

// save writes the object into state and private state.
func (u *update) save(ctx context.Context) {
	u.Save(ctx, u.model, u.Submission)
	u.Diags.Append(u.memory.save(ctx, u.Private)...)

	switch {
	case u.model.ProfileWOVersion.IsNull():
		u.Diags.Append(u.Private.SetKey(ctx, keyMembers, nil)...)
	case len(u.changes) > 0:
		u.Diags.Append(writeNames(ctx, u.Private, namesOf(u.changes))...)
	}
}

// readNames returns the names of write-only members that were sent.
func readNames(ctx context.Context, private tfkit.PrivateReader) []string {
	text, _ := private.GetKey(ctx, keyMembers)

	var names []string
	if len(text) == 0 || json.Unmarshal(text, &names) != nil {
		return nil
	}
	return names
}

// writeNames stores the names of write-only members that are sent.
func writeNames(ctx context.Context, private tfkit.PrivateWriter, names []string) diag.Diagnostics {
	text, _ := json.Marshal(names) // cannot fail for strings
	return private.SetKey(ctx, keyMembers, text)
}
