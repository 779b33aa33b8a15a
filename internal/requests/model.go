// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// requestModel is the part of a model that describes the request.
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

// person returns the person in a scope that the request is about.
func (m *requestModel) person(scope client.Scope) client.Person {
	return client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}
}

// idempotencyKey returns the triggers as text, which distinguish requests about one person, and
// whether all of them are known, as they are not always in a plan.
func (m *requestModel) idempotencyKey() (text string, known bool) {
	triggers, known := map[string]*string{}, !m.Triggers.IsUnknown()
	for name, v := range m.Triggers.Elements() {
		known = known && !v.IsUnknown()
		if s, ok := v.(types.String); ok {
			triggers[name] = s.ValueStringPointer()
		}
	}

	return occasionOf(triggers), known
}

// occasionOf returns triggers as text. No triggers and null are the same.
func occasionOf(triggers map[string]*string) string {
	if len(triggers) == 0 {
		return "{}"
	}

	text, _ := json.Marshal(triggers) // cannot fail for a map of strings

	return string(text)
}

// sameOccasion reports whether m and other are known to have the same triggers.
func (m *requestModel) sameOccasion(other *requestModel) bool {
	before, _ := other.idempotencyKey()
	now, known := m.idempotencyKey()

	return known && now == before
}

// withSubmission sets the computed attributes to what is known of the request, and returns the model.
func (m *requestModel) withSubmission(s deferred.Submission) *requestModel {
	m.RequestID, m.RequestedAt = types.StringNull(), types.StringNull()
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	if id := s.ShownID(); id != "" {
		m.RequestID = types.StringValue(id)
	}
	if !s.At.IsZero() {
		m.RequestedAt = types.StringValue(client.FormatInstant(s.At))
	}
	if s.State == deferred.Fulfilled {
		m.Fulfilled, m.FulfilledAt = types.BoolValue(true), types.StringValue(client.FormatInstant(s.FulfilledAt))
	}

	return m
}

// recall completes the document of an object without private state, as in a state that was written by
// hand: the object is an accepted request if its attributes tell of one.
func (m *requestModel) recall(d *run.Document) {
	at, err := time.Parse(time.RFC3339, m.RequestedAt.ValueString())
	if err != nil || d.Submission.State != deferred.Unsent {
		return
	}

	key, _ := m.idempotencyKey()
	d.Submission = deferred.Submission{
		State: deferred.Accepted, ID: m.RequestID.ValueString(), IdempotencyKey: key, Begun: at, At: at, Sent: at, Explained: true,
	}
}

// keepComputed copies the computed attributes from state.
func (m *requestModel) keepComputed(state *requestModel) {
	m.RequestID, m.RequestedAt = state.RequestID, state.RequestedAt
	m.Fulfilled, m.FulfilledAt = state.Fulfilled, state.FulfilledAt
}

// planRequest plans the computed attributes of an object whose request is another one after the apply.
func (m *requestModel) planRequest() {
	m.RequestID, m.RequestedAt = types.StringUnknown(), types.StringUnknown()
	m.Fulfilled, m.FulfilledAt = types.BoolUnknown(), types.StringUnknown()
}

// next is what an apply does about the request of an object in state.
type next int

const (
	keeps   next = iota // nothing
	waits               // goes on with the accepted request
	submits             // submits another one
)

// plan plans the computed attributes, and returns what the apply does. It warns if the service may have
// already what is submitted. name is that of the request.
func (m *requestModel) plan(state *requestModel, known run.Document, name string, diags *diag.Diagnostics) next {
	m.keepComputed(state)

	switch {
	case m.isToSubmit(state, known.Submission):
		m.planRequest()
	case m.isToAwait(state, known.Submission):
		m.Fulfilled, m.FulfilledAt = types.BoolUnknown(), types.StringUnknown()
		if m.RequestID.IsNull() {
			m.RequestID = types.StringUnknown()
		}
		return waits
	default:
		return keeps
	}

	key, isKnown := m.idempotencyKey()
	if isKnown && known.Unanswered.State == deferred.Unanswered && known.Unanswered.IdempotencyKey == key {
		tfkit.Problem{
			Summary: "The service may have this request already",
			Detail:  "An earlier apply sent the " + name + " and did not learn whether the service accepted it.",
			Do:      "look at analytics_pending_requests before you apply. The apply looks for the request first, and sends it only if nothing shows it.",
		}.AddWarning(diags)
	}

	return submits
}

// isToSubmit reports whether an apply submits a request for an object in state: its triggers have
// changed, or the request that it stands for, s, is still to be sent.
func (m *requestModel) isToSubmit(state *requestModel, s deferred.Submission) bool {
	return !m.sameOccasion(state) || deferred.IsToSend(s)
}

// isToAwait reports whether an apply goes on with the accepted request s: to resume an interrupted
// wait, or because it waits in another way now.
func (m *requestModel) isToAwait(state *requestModel, s deferred.Submission) bool {
	if !m.Wait.ValueBool() || state.Fulfilled.ValueBool() || s.State == deferred.Failed {
		return false
	}
	return s.Interrupted || !m.Wait.Equal(state.Wait) || !m.Timeouts.Equal(state.Timeouts)
}

// warnForgotten warns that destroying the object does not undo its request. name is that of
// the request.
func (m *requestModel) warnForgotten(name string, diags *diag.Diagnostics) {
	id := run.QuoteID(m.RequestID.ValueString(), m.IdentityID.ValueString())
	problem := tfkit.Problem{
		Summary: "The " + name + " cannot be undone",
		Detail:  "Destroying this resource only removes it from state. The service has accepted the " + name + ", request " + id + ", and offers no way to cancel it.",
	}
	if m.RequestedAt.IsNull() {
		problem.Detail = "Destroying this resource only removes it from state. The " + name + " was sent, and it is not known whether the service has accepted it."
	}
	problem.AddWarning(diags)
}

// defaultTimeout limits a wait if timeouts is not configured. The service promises no
// time for anything but profiles (interface, section 8).
const defaultTimeout = 10 * time.Minute

// descriptions are the texts of requestSchema that differ between the resources.
type descriptions struct {
	resource string
	request  string // what the resource requests, such as "deletion"
	triggers string
	wait     string
}

// requestSchema returns the schema of a requestModel with further attributes.
func requestSchema(text descriptions, others map[string]schema.Attribute) schema.Schema {
	attributes := map[string]schema.Attribute{
		"triggers": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: text.triggers,
			Validators:          []validator.Map{mapvalidator.SizeAtMost(100)},
		},
		"wait_for_fulfilment": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: text.wait + " Defaults to `true`.",
		},

		"request_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Identifier that the service assigned to the " + text.request + ". Null if it assigned none.",
		},
		"requested_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the service accepted the " + text.request + ", in RFC 3339 format and UTC.",
		},

		"fulfilled": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the " + text.request + " is known to be carried out. Every refresh checks it until then.",
		},
		"fulfilled_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the provider saw the " + text.request + " carried out, in RFC 3339 format and UTC. Null until then.",
		},
	}

	maps.Copy(attributes, others)

	return schema.Schema{
		MarkdownDescription: text.resource,
		Blocks:              map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultTimeout)},
		Attributes:          tfkit.AddPerson(tfkit.TextAttribute.Resource, attributes),
	}
}

// adviceTriggers applies to an object whose request came to nothing.
const adviceTriggers = "ask the operator of the service about the request. To send another one, change triggers."
