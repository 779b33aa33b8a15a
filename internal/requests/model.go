// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// requestModel is the model of analytics_data_deletion, and the part of accessModel that
// describes the request.
type requestModel struct {
	tfkit.Scope
	IdentityID  types.String   `tfsdk:"identity_id"`
	Triggers    types.Map      `tfsdk:"triggers"`
	Wait        types.Bool     `tfsdk:"wait_for_fulfilment"`
	Timeouts    tfkit.Timeouts `tfsdk:"timeouts"`
	RequestID   types.String   `tfsdk:"request_id"`
	RequestedAt types.String   `tfsdk:"requested_at"`
	Fulfilled   types.Bool     `tfsdk:"fulfilled"`
	FulfilledAt types.String   `tfsdk:"fulfilled_at"`
}

// occasion returns the triggers as text, which distinguish requests about one person. An
// empty map and no triggers are the same.
func (m *requestModel) occasion() string {
	triggers := map[string]*string{}
	for name, v := range m.Triggers.Elements() {
		if s, ok := v.(types.String); ok {
			triggers[name] = s.ValueStringPointer()
		}
	}

	return occasionOf(triggers)
}

// occasionOf returns triggers as text. No triggers and null are the same.
func occasionOf(triggers map[string]*string) string {
	if len(triggers) == 0 {
		return "{}"
	}

	text, _ := json.Marshal(triggers) // cannot fail for a map of strings

	return string(text)
}

// occasionKnown reports whether all triggers are known, as they are not always in a plan.
func (m *requestModel) occasionKnown() bool {
	if m.Triggers.IsUnknown() {
		return false
	}

	for _, v := range m.Triggers.Elements() {
		if v.IsUnknown() {
			return false
		}
	}

	return true
}

// sameOccasion reports whether m and other are known to have the same triggers.
func (m *requestModel) sameOccasion(other requestModel) bool {
	return m.occasionKnown() && m.occasion() == other.occasion()
}

// fromSubmission sets the computed attributes from the submission that the object stands
// for.
func (m *requestModel) fromSubmission(s deferred.Submission) {
	m.RequestID, m.RequestedAt = textOrNull(s.ID), instant(s.At)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	if s.State == deferred.Fulfilled {
		m.setFulfilled(s.FulfilledAt)
	}
}

func (m *requestModel) setFulfilled(at time.Time) {
	m.Fulfilled, m.FulfilledAt = types.BoolValue(true), instant(at)
}

// submission returns what the attributes tell of the submission that the object stands
// for. It is for objects without a submission in private state.
func (m *requestModel) submission() deferred.Submission {
	at, _ := time.Parse(time.RFC3339, m.RequestedAt.ValueString())
	fulfilledAt, _ := time.Parse(time.RFC3339, m.FulfilledAt.ValueString())

	s := deferred.Submission{
		State:        deferred.Accepted,
		ID:           m.RequestID.ValueString(),
		Occasion:     m.occasion(),
		At:           at,
		Sent:         at,
		FulfilledAt:  fulfilledAt,
		EffectBefore: true,
	}

	if m.Fulfilled.ValueBool() {
		s.State = deferred.Fulfilled
	}

	return s
}

// keepComputed copies the computed attributes from state.
func (m *requestModel) keepComputed(state requestModel) {
	m.RequestID, m.RequestedAt = state.RequestID, state.RequestedAt
	m.Fulfilled, m.FulfilledAt = state.Fulfilled, state.FulfilledAt
}

// planSubmission plans the computed attributes for a request that apply submits.
func (m *requestModel) planSubmission() {
	m.RequestID, m.RequestedAt = types.StringUnknown(), types.StringUnknown()
	m.planFulfilment()
}

// planFulfilment plans the computed attributes for an accepted request that apply waits
// for.
func (m *requestModel) planFulfilment() {
	if m.RequestID.IsNull() {
		m.RequestID = types.StringUnknown()
	}

	m.Fulfilled, m.FulfilledAt = types.BoolUnknown(), types.StringUnknown()
}

// waits reports whether the configuration says to wait and the request is not fulfilled.
func (m *requestModel) waits() bool { return m.Wait.ValueBool() && !m.Fulfilled.ValueBool() }

// change is what an apply has to do about an object in state.
type change int

const (
	changeNothing  change = iota // sends nothing and waits for nothing
	changeContinue               // goes on with the accepted request
	changeSubmit                 // submits another request
)

// planChange plans the computed attributes of an object in state and returns what the
// apply has to do. s is the submission that the object stands for.
func (m *requestModel) planChange(state requestModel, s deferred.Submission) change {
	if m.submits(state, s) {
		m.planSubmission()
		return changeSubmit
	}

	m.keepComputed(state)
	if !m.continues(state, s) {
		return changeNothing
	}

	m.planFulfilment()

	return changeContinue
}

// submits reports whether an apply submits a request for an object in state: its triggers have
// changed, or the request of somebody else that it stands for has come to nothing.
func (m *requestModel) submits(state requestModel, s deferred.Submission) bool {
	return !m.sameOccasion(state) || s.IsToSend()
}

// continues reports whether an apply goes on with the accepted request: to fetch data
// that are ready, to resume an interrupted wait, or because it waits in another way now.
func (m *requestModel) continues(state requestModel, s deferred.Submission) bool {
	if s.State == deferred.Fulfilled && !state.Fulfilled.ValueBool() {
		return true
	}
	if !m.waits() || s.State.IsOver() {
		return false
	}

	return s.Interrupted || !m.waitsAs(state)
}

// waitsAs reports whether m and other are configured to wait in the same way.
func (m *requestModel) waitsAs(other requestModel) bool {
	return m.Wait.Equal(other.Wait) && m.Timeouts.Equal(other.Timeouts)
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func instant(t time.Time) types.String { return types.StringValue(client.FormatInstant(t)) }

// attempt is the request of one Create or Update.
type attempt struct {
	tfkit.Response
	tfkit.Run
}

// readUnanswered returns the submission whose outcome an earlier apply could not find
// out; the zero value if there is none.
func readUnanswered(ctx context.Context, private tfkit.PrivateReader) deferred.Submission {
	s, _ := tfkit.ReadSubmission(ctx, private, tfkit.KeyUnanswered)
	return s
}

// writeUnanswered keeps the submission of a failed submit in private state, so that the
// next apply continues from it, or removes it after a submit that succeeded.
func (a *attempt) writeUnanswered(ctx context.Context) {
	a.Diags.Append(tfkit.WriteSubmission(ctx, a.Private, tfkit.KeyUnanswered, a.Unanswered)...)
}

// readSubmission returns the submission that an object in state stands for.
func readSubmission(ctx context.Context, private tfkit.PrivateReader, state requestModel) deferred.Submission {
	if s, ok := tfkit.ReadSubmission(ctx, private, tfkit.KeySubmission); ok {
		return s
	}
	return state.submission()
}
