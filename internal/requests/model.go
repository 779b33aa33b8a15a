// SPDX-License-Identifier: MPL-2.0

// Package requests implements the Terraform objects for what the service accepts now
// and carries out later: the resources analytics_data_deletion and
// analytics_data_access_request, an action for each, and analytics_pending_requests.
//
// Package deferred sends a request, recognises it in the pending list and waits for it. Package run
// keeps what is known of it in private state. The third type of request belongs to package profile.
package requests

import (
	"context"
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
	tfkit.Identity
	Triggers types.Map      `tfsdk:"triggers"`
	Wait     types.Bool     `tfsdk:"wait_for_fulfilment"`
	Timeouts tfkit.Timeouts `tfsdk:"timeouts"`
	outcome
}

// outcome is what state has of a submission.
type outcome struct {
	RequestID   types.String `tfsdk:"request_id"`
	RequestedAt types.String `tfsdk:"requested_at"`
	Fulfilled   types.Bool   `tfsdk:"fulfilled"`
	FulfilledAt types.String `tfsdk:"fulfilled_at"`
}

// unknownOutcome is what a plan shows of a submission that the apply makes or waits for.
var unknownOutcome = outcome{types.StringUnknown(), types.StringUnknown(), types.BoolUnknown(), types.StringUnknown()}

// outcomeOf returns the outcome of a submission. fulfilledAt is zero if it is not fulfilled.
func outcomeOf(s deferred.Submission, fulfilledAt time.Time) outcome {
	return outcome{textOf(s.ShownID()), instantOf(s.At), types.BoolValue(!fulfilledAt.IsZero()), instantOf(fulfilledAt)}
}

// textOf returns null for an empty text.
func textOf(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

// instantOf returns null for the zero time.
func instantOf(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(client.FormatInstant(t))
}

// occasion returns the triggers as text, which distinguishes requests about one person, and whether all
// of them are known, as they are not always in a plan.
func (m *requestModel) occasion(ctx context.Context) (key string, known bool) {
	var triggers map[string]*string
	known = !m.Triggers.ElementsAs(ctx, &triggers, false).HasError()

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

// recall completes the document of an object without private state, as in a state that was written by
// hand: the object is an accepted request if its attributes tell of one.
func (m *requestModel) recall(ctx context.Context, d *run.Document) {
	at, err := time.Parse(time.RFC3339, m.RequestedAt.ValueString())
	if err != nil || d.Submission.State != deferred.Unsent {
		return
	}

	key, _ := m.occasion(ctx)
	d.Submission = deferred.Submission{
		State: deferred.Accepted, ID: m.RequestID.ValueString(), IdempotencyKey: key, Begun: at, At: at, Sent: at, Explained: true,
	}
}

// next is what an apply does about the request of an object in state.
type next int

const (
	keeps   next = iota // nothing
	waits               // goes on with the accepted request
	submits             // submits another one
)

// next returns what an apply of m does: it submits another request if triggers have changed, or the one
// that the object stands for is still to be sent. It resumes a wait that was interrupted, or that is to
// be another one now.
func (m *requestModel) next(ctx context.Context, state *requestModel, s deferred.Submission) next {
	before, _ := state.occasion(ctx)
	now, known := m.occasion(ctx)

	switch {
	case !known, now != before, deferred.IsToSend(s):
		return submits
	case m.Wait.Equal(types.BoolValue(false)), !s.IsOpen(): // a plan does not always know whether to wait
		return keeps
	case s.Interrupted, !m.Wait.Equal(state.Wait), !m.Timeouts.Equal(state.Timeouts):
		return waits
	}

	return keeps
}

// warnUnanswered warns if the service may have already what a plan submits. name is that of the request.
func (m *requestModel) warnUnanswered(ctx context.Context, earlier deferred.Submission, name string, diags *diag.Diagnostics) {
	key, known := m.occasion(ctx)
	if !known || earlier.State != deferred.Unanswered || earlier.IdempotencyKey != key {
		return
	}
	tfkit.Problem{
		Summary: "The service may have this request already",
		Detail:  "An earlier apply sent the " + name + " and did not learn whether the service accepted it.",
		Do:      "look at analytics_pending_requests before you apply. The apply looks for the request first, and sends it only if nothing shows it.",
	}.AddWarning(diags)
}

// warnForgotten warns that destroying the object does not undo its request. name is that of
// the request.
func (m *requestModel) warnForgotten(name string, diags *diag.Diagnostics) {
	id := deferred.QuoteID(m.RequestID.ValueString(), m.IdentityID.ValueString())
	tfkit.Problem{
		Summary: "The " + name + " cannot be undone",
		Detail:  "Destroying this resource only removes it from state. The " + name + " (request " + id + ") was sent, and the service offers no way to cancel it.",
	}.AddWarning(diags)
}

// requestSchema returns the schema of a requestModel with further attributes. text describes the resource, and name
// is that of the request.
func requestSchema(text, name string, others map[string]schema.Attribute) schema.Schema {
	attributes := map[string]schema.Attribute{
		"triggers": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Arbitrary values, such as a date. Changing them submits another " + name + ", in place.",
			Validators:          []validator.Map{mapvalidator.SizeAtMost(100)},
		},
		"wait_for_fulfilment": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether to wait until the " + name + " is carried out. Defaults to `true`.",
		},

		"request_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Identifier that the service assigned to the " + name + ". Null if it assigned none.",
		},
		"requested_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the service accepted the " + name + ", in RFC 3339 format and UTC.",
		},

		"fulfilled": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the " + name + " is known to be carried out. Every refresh checks it until then.",
		},
		"fulfilled_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the provider saw the " + name + " carried out, in RFC 3339 format and UTC. Null until then.",
		},
	}
	maps.Copy(attributes, others)

	return schema.Schema{
		MarkdownDescription: text,
		Blocks:              map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock()},
		Attributes:          tfkit.AddPerson(tfkit.TextAttribute.Resource, attributes),
	}
}

// adviceTriggers applies to an object whose request came to nothing.
const adviceTriggers = "ask the operator of the service about the request. To send another one, change triggers."
