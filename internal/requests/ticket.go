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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// presetTimeout is how long is waited where timeouts says nothing. The service
// promises no time for anything but profiles.
const presetTimeout = 10 * time.Minute

// ticket is a deferred request as attributes: what is asked for, and what has become
// of it.
type ticket struct {
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

// ticketAttributes are the attributes of a ticket, together with others.
func ticketAttributes(noun, triggers, wait string, others map[string]schema.Attribute) map[string]schema.Attribute {
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
	return tfkit.AddScope(attributes)
}

// ticketBlocks are the blocks of a ticket.
func ticketBlocks() map[string]schema.Block {
	return map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(presetTimeout)}
}

// occasion tells one request about a person from another: the triggers, as text.
// None and an empty map are the same.
func (t *ticket) occasion() string {
	triggers := map[string]*string{}
	for name, v := range t.Triggers.Elements() {
		if s, ok := v.(types.String); ok {
			triggers[name] = s.ValueStringPointer()
		}
	}
	text, _ := json.Marshal(triggers) // a map of texts always can be
	return string(text)
}

// sameOccasion is false where that is known only after apply.
func (t *ticket) sameOccasion(other ticket) bool {
	if t.Triggers.IsUnknown() {
		return false
	}
	for _, v := range t.Triggers.Elements() {
		if v.IsUnknown() {
			return false
		}
	}
	return t.occasion() == other.occasion()
}

// accept takes over a request that the service has accepted.
func (t *ticket) accept(r tfkit.SentRequest) {
	t.RequestID, t.RequestedAt = textOrNull(r.ID), instant(r.At)
	t.Fulfilled, t.FulfilledAt = types.BoolValue(false), types.StringNull()
	if !r.FulfilledAt.IsZero() {
		t.fulfil(r.FulfilledAt)
	}
}

func (t *ticket) fulfil(at time.Time) {
	t.Fulfilled, t.FulfilledAt = types.BoolValue(true), instant(at)
}

// keep takes over everything computed.
func (t *ticket) keep(state ticket) {
	t.RequestID, t.RequestedAt = state.RequestID, state.RequestedAt
	t.Fulfilled, t.FulfilledAt = state.Fulfilled, state.FulfilledAt
}

// expect plans what a request that is sent will bring.
func (t *ticket) expect() {
	t.RequestID, t.RequestedAt = types.StringUnknown(), types.StringUnknown()
	t.expectEnd()
}

// expectEnd plans what going on with an accepted request will bring.
func (t *ticket) expectEnd() {
	if t.RequestID.IsNull() {
		t.RequestID = types.StringUnknown()
	}
	t.Fulfilled, t.FulfilledAt = types.BoolUnknown(), types.StringUnknown()
}

// sent is the request as this run remembers it.
func (t *ticket) sent() tfkit.SentRequest {
	r := tfkit.SentRequest{ID: t.RequestID.ValueString()}
	r.At, _ = time.Parse(time.RFC3339, t.RequestedAt.ValueString())
	r.FulfilledAt, _ = time.Parse(time.RFC3339, t.FulfilledAt.ValueString())
	return r
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func instant(t time.Time) types.String { return types.StringValue(client.FormatInstant(t)) }

// waits reports whether there is anything to wait for.
func (t *ticket) waits() bool { return t.Wait.ValueBool() && !t.Fulfilled.ValueBool() }

// step is what a change of the configuration comes to.
type step int

const (
	remembers step = iota // nothing is asked of the service
	goesOn                // with the request that is accepted
	sends                 // another request
)

// planChange plans what is computed.
func (t *ticket) planChange(state ticket, n note) step {
	if !t.sameOccasion(state) {
		t.expect()
		return sends
	}
	changed := !t.Wait.Equal(state.Wait) || !t.Timeouts.Equal(state.Timeouts)
	t.keep(state)
	// Whoever changes how long to wait wants to wait.
	if n == ready || t.waits() && (n == interrupted || n == none && changed) {
		t.expectEnd()
		return goesOn
	}
	return remembers
}
