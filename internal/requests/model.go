// Package requests is the Terraform side of what the service carries out later:
// deleting and handing out all data of a person, and the list of what is pending.
package requests

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// defaultTimeout is how long a wait lasts where timeouts says nothing. The service
// promises no time for anything but profiles (interface, section 8).
const defaultTimeout = 10 * time.Minute

// requestModel is a deferred request as attributes: what is asked for, and what has
// become of it.
type requestModel struct {
	tfkit.Scope
	tfkit.PendingListOptions
	IdentityID  types.String   `tfsdk:"identity_id"`
	Triggers    types.Map      `tfsdk:"triggers"`
	Wait        types.Bool     `tfsdk:"wait_for_fulfilment"`
	Timeouts    tfkit.Timeouts `tfsdk:"timeouts"`
	RequestID   types.String   `tfsdk:"request_id"`
	RequestedAt types.String   `tfsdk:"requested_at"`
	Fulfilled   types.Bool     `tfsdk:"fulfilled"`
	FulfilledAt types.String   `tfsdk:"fulfilled_at"`
}

// requestAttributes returns the attributes of a requestModel, together with others.
func requestAttributes(noun, triggers, wait string, others map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"identity_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: tfkit.IdentityDescription + " A change replaces the object.",
			Validators:          []validator.String{tfkit.Segment()},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"triggers": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: triggers,
			Validators:          []validator.Map{mapvalidator.SizeAtMost(100)},
		},
		"wait_for_fulfilment": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: wait + " Defaults to `true`.",
		},
		"request_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Identifier that the service gave the " + noun + ". Null where it gave none.",
		},
		"requested_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the service accepted the " + noun + ", in RFC 3339, UTC: what the service says, or else the time at which its answer came.",
		},
		"fulfilled": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the " + noun + " is known to be carried out. While it is `false`, every refresh looks.",
		},
		"fulfilled_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the fulfilment was seen, in RFC 3339, UTC. Null while it is not.",
		},
	}
	maps.Copy(attributes, others)
	return attributes
}

// requestBlocks returns the blocks of a requestModel.
func requestBlocks() map[string]schema.Block {
	return map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultTimeout)}
}

// occasion returns what tells one request about a person from another: the triggers,
// as text. None and an empty map are the same.
func (m *requestModel) occasion() string {
	triggers := map[string]*string{}
	for name, v := range m.Triggers.Elements() {
		if s, ok := v.(types.String); ok {
			triggers[name] = s.ValueStringPointer()
		}
	}
	text, _ := json.Marshal(triggers) // a map of texts always can be
	return string(text)
}

// occasionKnown reports whether the occasion is known before apply.
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

// sameOccasion is false where that is known only after apply.
func (m *requestModel) sameOccasion(other requestModel) bool {
	return m.occasionKnown() && m.occasion() == other.occasion()
}

// fromSubmission takes over what is known of the request that the object stands for.
func (m *requestModel) fromSubmission(s deferred.Submission) {
	m.RequestID, m.RequestedAt = textOrNull(s.ID), instant(s.At)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()
	if s.State == deferred.Fulfilled {
		m.fulfil(s.FulfilledAt)
	}
}

func (m *requestModel) fulfil(at time.Time) {
	m.Fulfilled, m.FulfilledAt = types.BoolValue(true), instant(at)
}

// submission returns the request that the object stands for, as far as the attributes
// tell: for objects whose private state says nothing of it.
func (m *requestModel) submission() deferred.Submission {
	s := deferred.Submission{State: deferred.Accepted, ID: m.RequestID.ValueString(), Occasion: m.occasion(), EffectBefore: true}
	s.At, _ = time.Parse(time.RFC3339, m.RequestedAt.ValueString())
	s.Sent = s.At
	s.FulfilledAt, _ = time.Parse(time.RFC3339, m.FulfilledAt.ValueString())
	if m.Fulfilled.ValueBool() {
		s.State = deferred.Fulfilled
	}
	return s
}

// keepComputed takes over everything computed.
func (m *requestModel) keepComputed(state requestModel) {
	m.RequestID, m.RequestedAt = state.RequestID, state.RequestedAt
	m.Fulfilled, m.FulfilledAt = state.Fulfilled, state.FulfilledAt
}

// planSubmission plans what a request that is sent will bring.
func (m *requestModel) planSubmission() {
	m.RequestID, m.RequestedAt = types.StringUnknown(), types.StringUnknown()
	m.planFulfilment()
}

// planFulfilment plans what waiting for an accepted request will bring.
func (m *requestModel) planFulfilment() {
	if m.RequestID.IsNull() {
		m.RequestID = types.StringUnknown()
	}
	m.Fulfilled, m.FulfilledAt = types.BoolUnknown(), types.StringUnknown()
}

// waits reports whether there is anything to wait for.
func (m *requestModel) waits() bool { return m.Wait.ValueBool() && !m.Fulfilled.ValueBool() }

// change is what a change of the configuration comes to.
type change int

const (
	changeNothing  change = iota // nothing is asked of the service
	changeContinue               // with the request that is accepted
	changeSubmit                 // another request
)

// planChange plans the computed attributes of an object in state that stands for a
// submission.
func (m *requestModel) planChange(state requestModel, s deferred.Submission) change {
	if !m.sameOccasion(state) {
		m.planSubmission()
		return changeSubmit
	}

	m.keepComputed(state)
	if m.continues(state, s) {
		m.planFulfilment()
		return changeContinue
	}
	return changeNothing
}

// continues reports whether an apply goes on with the request: to fetch what is
// ready, to resume an interrupted wait, or because the way of waiting has changed.
func (m *requestModel) continues(state requestModel, s deferred.Submission) bool {
	if s.State == deferred.Fulfilled && !state.Fulfilled.ValueBool() {
		return true
	}
	if !m.waits() || s.State.IsOver() {
		return false
	}

	changed := !m.Wait.Equal(state.Wait) || !m.Timeouts.Equal(state.Timeouts) || !m.PendingListOptions.Equal(state.PendingListOptions)
	return s.Interrupted || changed
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func instant(t time.Time) types.String { return types.StringValue(client.FormatInstant(t)) }
