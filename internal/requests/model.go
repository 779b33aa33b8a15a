// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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
	m.RequestID, m.RequestedAt = types.StringNull(), types.StringNull()
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	if s.ID != "" {
		m.RequestID = types.StringValue(s.ID)
	}
	if !s.At.IsZero() {
		m.RequestedAt = instant(s.At)
	}
	if s.State == deferred.Fulfilled {
		m.Fulfilled, m.FulfilledAt = types.BoolValue(true), instant(s.FulfilledAt)
	}
}

// keepComputed copies the computed attributes from state.
func (m *requestModel) keepComputed(state requestModel) {
	m.RequestID, m.RequestedAt = state.RequestID, state.RequestedAt
	m.Fulfilled, m.FulfilledAt = state.Fulfilled, state.FulfilledAt
}

// planComputed plans the computed attributes of an object, and reports whether the apply
// submits a request or goes on with the accepted one. s is the submission that the object in
// state stands for.
func (m *requestModel) planComputed(state requestModel, s deferred.Submission) (changes bool) {
	m.keepComputed(state)
	submits := m.submits(state, s)
	if !submits && !m.continues(state, s) {
		return false
	}

	m.Fulfilled, m.FulfilledAt = types.BoolUnknown(), types.StringUnknown()
	if submits || m.RequestID.IsNull() {
		m.RequestID = types.StringUnknown()
	}
	if submits {
		m.RequestedAt = types.StringUnknown()
	}

	return true
}

// submits reports whether an apply submits a request for an object in state: its triggers have
// changed, or the request that it stands for is still to be sent.
func (m *requestModel) submits(state requestModel, s deferred.Submission) bool {
	return !m.sameOccasion(state) || s.IsToSend()
}

// continues reports whether an apply goes on with the accepted request: to fetch data
// that are ready, to resume an interrupted wait, or because it waits in another way now.
func (m *requestModel) continues(state requestModel, s deferred.Submission) bool {
	if s.State == deferred.Fulfilled && !state.Fulfilled.ValueBool() {
		return true
	}
	if !m.Wait.ValueBool() || state.Fulfilled.ValueBool() || s.State.IsOver() {
		return false
	}

	return s.Interrupted || !m.Wait.Equal(state.Wait) || !m.Timeouts.Equal(state.Timeouts)
}

func instant(t time.Time) types.String { return types.StringValue(client.FormatInstant(t)) }

// warnUnanswered warns in a plan that submits a request of which it is not known whether the
// service has it already. name is that of the request.
func (m *requestModel) warnUnanswered(ctx context.Context, private tfkit.Private, name string, diags *diag.Diagnostics) {
	unanswered := tfkit.ReadSubmission(ctx, private, tfkit.KeyUnanswered)
	if unanswered.IsUnanswered() && m.occasionKnown() && unanswered.Occasion == m.occasion() {
		tfkit.Problem{
			Summary: "The service may have this request already",
			Detail:  "An earlier apply sent the " + name + " and did not learn whether the service accepted it.",
			Do:      "look at analytics_pending_requests before you apply. The apply looks for the request first, and sends it only if nothing shows it.",
		}.AddWarning(diags)
	}
}

// warnForgotten warns that destroying an object whose request is not fulfilled does not undo
// it. name is that of the request.
func (m *requestModel) warnForgotten(name string, diags *diag.Diagnostics) {
	problem := tfkit.Problem{
		Summary: "The " + name + " cannot be undone",
		Detail:  "Destroying this resource only removes it from state. The " + name + " that it stands for, request " + tfkit.QuoteID(m.RequestID.ValueString(), m.IdentityID.ValueString()) + ", has been accepted: it stays pending at the service, which offers no way to cancel it.",
	}
	if m.RequestedAt.IsNull() {
		problem.Detail = "Destroying this resource only removes it from state. The " + name + " was sent, and it is not known whether the service has accepted it. The service offers no way to cancel it."
	}
	problem.AddWarning(diags)
}

// defaultTimeout limits a wait if timeouts is not configured. The service promises no
// time for anything but profiles (interface, section 8).
const defaultTimeout = 10 * time.Minute

// descriptions are the parts of requestAttributes that differ between the resources.
type descriptions struct {
	request  string // what the resource requests, such as "deletion"
	triggers string
	wait     string
}

// requestAttributes returns the attributes of a requestModel and those in others.
func requestAttributes(text descriptions, others map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"identity_id": tfkit.IdentityAttribute(),

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

	return attributes
}

// requestBlocks returns the blocks of a requestModel.
func requestBlocks() map[string]schema.Block {
	return map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultTimeout)}
}

// adviceTriggers applies to an object whose request came to nothing.
const adviceTriggers = "ask the operator of the service about the request. To send another one, change triggers."

// limitOthers is how many further requests a message names.
const limitOthers = 10

// warnTakenOver warns that nothing was sent because the request was known or pending before.
func warnTakenOver(run *tfkit.Run) {
	s, report, person := run.Submission, run.Report, run.Request.Identity

	if report.Known {
		tfkit.Problem{
			Summary: "No second " + run.Name + " was sent",
			Detail: fmt.Sprintf("This run has already submitted a %s of the same person: request %s of %s, for another resource or an action. This resource takes it over, and nothing was sent.",
				run.Name, tfkit.QuoteID(s.ID, person), instant(s.At).ValueString()),
			Do: "nothing. To send another one, change triggers.",
		}.AddWarning(run.Diags)
	}

	if report.Adopted {
		tfkit.Problem{
			Summary: "A pending " + run.Name + " was taken over",
			Detail: fmt.Sprintf("The service already has a pending %s of this person, request %s. This resource takes it over and stands for that request now. Nothing was sent.",
				run.Name, tfkit.QuoteID(s.ID, person)) + describeOthers(run),
		}.AddWarning(run.Diags)
	}
}

// sayAccepted is SayAccepted of an action. It warns of pending requests that are left alone,
// because the action has taken over another one.
func sayAccepted(run *tfkit.Run) {
	run.SayAccepted()
	if len(run.Report.Others) > 0 {
		tfkit.Problem{
			Summary: "More requests are pending",
			Detail:  "The action has taken over one pending request." + describeOthers(run),
		}.AddWarning(run.Diags)
	}
}

// describeOthers returns a paragraph about further pending requests of the same type about
// the person; empty if there are none.
func describeOthers(run *tfkit.Run) string {
	ids := run.Report.Others
	if len(ids) == 0 {
		return ""
	}

	var names []string
	for _, id := range ids[:min(len(ids), limitOthers)] {
		names = append(names, tfkit.QuoteID(id, run.Request.Identity))
	}
	if len(ids) > limitOthers {
		names = append(names, "…")
	}

	return fmt.Sprintf("\n\n%d more requests of the same type are pending for this person. Terraform leaves them alone: %s.", len(ids), strings.Join(names, ", "))
}
