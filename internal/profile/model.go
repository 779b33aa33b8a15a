// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

type members = map[string]jsontext.Value

type resourceModel struct {
	tfkit.Identity
	run.Waiting
	Profile          types.String `tfsdk:"profile"`
	ProfileWO        types.String `tfsdk:"profile_wo"`
	ProfileWOVersion types.Int64  `tfsdk:"profile_wo_version"`
	Fulfilled        types.Bool   `tfsdk:"fulfilled"`
	OnDestroy        types.String `tfsdk:"on_destroy"`
}

func (m *resourceModel) isWriteOnly() bool { return !m.ProfileWOVersion.IsNull() }

// members returns the members that are managed, as far as their values are known. Only a configuration
// has write-only ones.
func (m *resourceModel) members() members {
	text := m.Profile
	if !m.ProfileWO.IsNull() {
		text = m.ProfileWO
	}
	managed, _ := formats.JSONObject.Value(text)

	return managed
}

// fromAPI sets the managed members to the values that the service holds. A value that the service shows in place of
// ours counts as ours. A null that the service does not have stays null. After an import, all members are managed.
func (m *resourceModel) fromAPI(current members, remembered run.Values) {
	if m.Fulfilled.IsNull() && m.Profile.IsNull() && !m.isWriteOnly() {
		m.Profile = types.StringValue(jsonvalue.FormatObject(current))
	}
	if m.Profile.IsNull() {
		return
	}

	observed := members{}
	for name, ours := range m.members() {
		theirs, has := current[name]
		switch shown := digest(theirs); {
		case shown == digest(ours), shown == remembered.Normalized[name]:
			observed[name] = ours
		case has:
			observed[name] = theirs
		}
	}

	m.Profile = formats.JSONObject.KeepSpelling(m.Profile, types.StringValue(jsonvalue.FormatObject(observed)))
}

// changes returns the members to send for an object in state, which stands for the submission s, and
// whether they are known, as they are not always in a plan. m is the configuration. Write-only members
// whose update came to nothing are sent again; the values of others show the difference themselves.
func (m *resourceModel) changes(state resourceModel, s proof.Submission) (changed members, isKnown bool) {
	changed = m.members()
	if m.isWriteOnly() {
		if m.ProfileWOVersion.Equal(state.ProfileWOVersion) && s.State != proof.Failed {
			return nil, true
		}
		return changed, !m.ProfileWO.IsUnknown()
	}

	before := state.members()
	maps.DeleteFunc(changed, func(name string, value jsontext.Value) bool {
		prior, ok := before[name]
		return ok && jsonvalue.Equal(prior, value)
	})

	return changed, !m.Profile.IsUnknown()
}

func namesOf(m members) []string { return slices.Sorted(maps.Keys(m)) }

const updateName = "update of the profile"

// update is the run of an update, and the profile that it is about.
type update struct {
	run.Run

	client  *client.Client
	model   *resourceModel
	changes members // to send; empty if the update was sent before
	sets    members // what the profile holds once the update is carried out, as far as that is known
	current members // of the profile, by the last reading; nil if that showed nothing
	before  members // current when the changes were sent; nil if that is not known
}

func newUpdate(of run.Run, c *client.Client, m *resourceModel, changes members) *update {
	u := &update{Run: of, client: c, model: m, changes: changes, sets: maps.Clone(changes)}
	u.Request.Type = decode.RequestProfileUpdate
	u.Request.IdempotencyKey = rand.Text() // each update is another request, also one of the same values
	u.Request.Send, u.Request.Effect = u.send, u.read

	return u
}

// begin returns the update that sends changes, or without any the one that was sent before.
func (r *profileResource) begin(ctx context.Context, m *resourceModel, changes members, resp run.Response) (*update, bool) {
	o, ok := run.OfObject(ctx, r.Service, m.Identity, resp)
	u := newUpdate(o, r.Client, m, changes)
	made := map[string]string{} // the document of before keeps its own
	maps.Copy(made, u.Values.Normalized)
	u.Waits, u.Values.Normalized = m.Wait.ValueBool(), made
	u.Messages = run.Messages{
		Name: updateName, InState: run.NotFulfilled,
		Pending: run.AdviceLater, Unproven: run.AdviceEachRefresh, Over: tfkit.AdviceApplyAgain,
	}
	if len(changes) > 0 {
		u.Values.WriteOnly = namesOf(changes)
	} else {
		u.sets = sentOf(m.members(), u.Values.Sent)
	}
	if !m.isWriteOnly() {
		u.Values.WriteOnly = nil
	}
	if len(u.sets) == 0 {
		u.Request.Effect = nil
	}

	return u, ok
}

// send sends the changes to the profile as it was read last.
func (u *update) send(ctx context.Context) (decode.Receipt, error) {
	u.before, u.Values.Sent = u.current, namesOf(u.changes)
	for name := range u.changes {
		delete(u.Values.Normalized, name)
	}

	return u.client.UpdateProfile(ctx, u.Request.Person, u.changes)
}

// read reads the profile, keeps what it holds, and returns what it shows of the update.
func (u *update) read(ctx context.Context) (deferred.Reading, error) {
	profile, err := u.client.GetProfile(ctx, u.Request.Person, u.sets)
	if profile.IsNone {
		err = nil
	}
	reading := deferred.Reading{Profile: profile}
	u.current = nil
	if err == nil && !reading.Cached {
		u.current = members{}
		maps.Copy(u.current, reading.Members)
		reading.Effect = u.effect()
	}

	return reading, err
}

// effect returns what the profile shows of the update. Two things say nothing: that it has ours as before, in another
// spelling, unless an earlier run has sent it and kept no values; and that a write-only value has become another one, for
// the service may have made it of ours.
func (u *update) effect() proof.Effect {
	like, isChanged, mayBeNew := same, false, len(u.changes) == 0
	for name, value := range u.sets {
		like = min(like, likenessOf(value, u.current[name]))
		if u.before != nil && digest(u.before[name]) != digest(u.current[name]) {
			isChanged, mayBeNew = true, true
		}
	}

	switch {
	case like == same, like == alike && mayBeNew:
		return proof.Shown
	case like == alike, isChanged && u.model.isWriteOnly():
		return proof.NoEffect
	case isChanged:
		return proof.Altered
	}

	return proof.Missing
}

// apply saves the object before it waits, so that an accepted update is never forgotten. After an error, the object
// remembers what it did before.
func (r *profileResource) apply(ctx context.Context, u *update) {
	object := tfkit.ObjectIn(ctx, u.Private, profileType)
	for _, name := range append(namesOf(u.changes), namesOf(u.model.members())...) {
		r.Profiles.Claim(object, tfkit.Keeps, tfkit.PartOf(u.Request.Person, name))
	}

	if len(u.changes) > 0 {
		if err := u.Submit(ctx); err != nil {
			u.Fail(ctx, tfkit.ProblemOf(err, ""))
			return
		}
	}

	u.save(ctx)
	if u.Await(ctx) {
		u.save(ctx)
	}
}

// refresh looks at a pending update. It reports whether that came to nothing, so that the object is to show the profile.
func (u *update) refresh(ctx context.Context) (cameToNothing bool) {
	if u.Submission.State == proof.Unsent { // the state was written by hand, or by an older version
		u.Submission.State = proof.Accepted
	}
	if !u.Refresh(ctx) {
		return false
	}
	u.save(ctx)

	return u.Submission.State == proof.Failed
}

// noteNormalized notes what the service shows of the values that were sent where nothing else explains it: it is
// alike, or the list has shown the update as done, and no other update of the person since. If the profile cannot be
// read, the next refresh shows the difference.
func (u *update) noteNormalized(ctx context.Context) {
	least := alike
	if !u.Submission.Explained {
		least = other
	}
	if u.Submission.Confirmed { // which the list was enough for
		if reading, _ := u.read(ctx); reading.IsNone {
			return
		}
	}
	for name, value := range u.sets {
		shown := u.current[name]
		if u.current != nil && digest(shown) != digest(value) && likenessOf(value, shown) >= least {
			u.Values.Normalized[name] = digest(shown)
		}
	}
}

// save writes the object into state and private state, with fulfilled as the submission says.
func (u *update) save(ctx context.Context) {
	isFulfilled := u.Submission.State == proof.Fulfilled
	if isFulfilled && len(u.Values.Sent) > 0 && !u.model.isWriteOnly() {
		u.noteNormalized(ctx)
	}
	if !u.Submission.IsOpen() {
		u.Values.Sent = nil
	}
	if u.Submission.State != proof.Unsent {
		u.model.Fulfilled = types.BoolValue(isFulfilled)
	}
	u.Save(ctx, u.model)
}

func nulls(names []string) members {
	changes := members{}
	for _, name := range names {
		changes[name] = jsontext.Value("null")
	}
	return changes
}

// sentOf returns those of our members that the latest update has set; all of them if that is not known.
func sentOf(ours members, sent []string) members {
	if len(sent) > 0 {
		maps.DeleteFunc(ours, func(name string, _ jsontext.Value) bool { return !slices.Contains(sent, name) })
	}
	return ours
}

// digest returns a digest of a member's value. One that is null counts as absent.
func digest(value jsontext.Value) string {
	if len(value) == 0 || value.Kind() == 'n' {
		return "absent"
	}
	sum := sha256.Sum256([]byte(jsonvalue.FormatObject(members{"": value})))
	return hex.EncodeToString(sum[:8])
}

// likeness is how like a value is to the one that was sent.
type likeness int

const (
	other likeness = iota
	alike          // differs only as a service may spell it: a text by capitals, blanks and punctuation, an empty one by being absent
	same           // any empty value, in place of null
)

// likenessOf returns how like a shown value is to the one sent.
func likenessOf(sent, shown jsontext.Value) likeness {
	text, isNothing := jsonvalue.Fold(jsonvalue.Text(sent)), isNothing(sent) && isNothing(shown)
	switch {
	case isNothing && sent.Kind() == 'n', jsonvalue.Equal(sent, shown):
		return same
	case isNothing, text != "" && text == jsonvalue.Fold(jsonvalue.Text(shown)):
		return alike
	}

	return other
}

func isNothing(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' || string(v) == `""` }
