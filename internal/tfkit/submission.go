package tfkit

import (
	"context"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Keys in private state. The submission is the one that the object stands for; the
// unanswered one was sent by an apply that failed because its outcome is unknown, and
// the next apply continues from it.
const (
	KeySubmission = "submission"
	KeyUnanswered = "unanswered"
)

type (
	// PrivateReader is private state as the framework lets it be read.
	PrivateReader interface {
		GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	}
	// PrivateWriter is private state as the framework lets it be written.
	PrivateWriter interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
)

// ReadSubmission returns the submission under a key of private state; false where
// there is none.
func ReadSubmission(ctx context.Context, private PrivateReader, key string) (deferred.Submission, bool) {
	text, _ := private.GetKey(ctx, key)
	return deferred.Decode(text)
}

// WriteSubmission puts a submission under a key of private state. The zero value
// removes it.
func WriteSubmission(ctx context.Context, private PrivateWriter, key string, s deferred.Submission) diag.Diagnostics {
	if s.State == deferred.Idle {
		return private.SetKey(ctx, key, nil)
	}

	text, err := s.Encode()
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Internal error", "The state of a request cannot be written into private state.")}
	}
	return private.SetKey(ctx, key, text)
}

// PendingListOptions is the part of a model that says how the pending list is used.
type PendingListOptions struct {
	PendingList   types.String `tfsdk:"pending_list"`
	EndedStatuses types.Set    `tfsdk:"ended_statuses"`
}

// AddPendingList adds pending_list and ended_statuses to a resource's attributes.
// accepted are the values of pending_list, the default first.
func AddPendingList(attributes map[string]schema.Attribute, accepted ...string) map[string]schema.Attribute {
	description := "How the list of pending requests is used before anything is sent. `complete` (default): a list that cannot be understood as a whole is an error, because another request of the person could be in it. " +
		"`partial`: what is understood is taken for the whole list. "
	if slices.Contains(accepted, deferred.ListIgnored) {
		description += "`ignored`: the list is not asked for; nothing that is pending is taken over or stands against the request, and only its effect shows that it was fulfilled. "
	}

	attributes["pending_list"] = schema.StringAttribute{
		Optional:            true,
		Validators:          []validator.String{stringvalidator.OneOf(accepted...)},
		MarkdownDescription: description + "Look at `analytics_pending_requests` yourself before you loosen it.",
	}
	attributes["ended_statuses"] = schema.SetAttribute{
		Optional:    true,
		ElementType: types.StringType,
		Validators: []validator.Set{
			setvalidator.SizeAtMost(20),
			setvalidator.ValueStringsAre(stringvalidator.LengthBetween(1, 100)),
		},
		MarkdownDescription: "Statuses by which your service means that a request is over, such as `closed` or `delivered`. " +
			"A status that the provider does not know counts as pending, so that nothing is taken for done too early; naming it here ends that. Upper and lower case and punctuation do not matter.",
	}
	return attributes
}

// Apply puts the options into a request.
func (o PendingListOptions) Apply(r *deferred.Request) {
	r.List = o.PendingList.ValueString()
	for _, element := range o.EndedStatuses.Elements() {
		if status, ok := element.(types.String); ok {
			r.EndedStatuses = append(r.EndedStatuses, status.ValueString())
		}
	}
}

// Equal reports whether the options are the same.
func (o PendingListOptions) Equal(other PendingListOptions) bool {
	return attr.Value(o.PendingList).Equal(other.PendingList) && o.EndedStatuses.Equal(other.EndedStatuses)
}

// QuoteID returns the identifier of a request for messages: quoted, cut, and without
// what looks like a person, because it is the service's text.
func QuoteID(id string) string {
	return strconv.Quote(client.ShownID(id))
}

// WarnUnfinished says why a request that was accepted is not fulfilled yet. It is
// never an error: an error beside a saved state would make Terraform destroy the
// object and send the request again. what names the request, such as "the deletion".
func WarnUnfinished(diags *diag.Diagnostics, what string, s deferred.Submission, report deferred.Report) {
	if s.ID != "" {
		what += " (request " + QuoteID(s.ID) + ")"
	}

	if report.Status != "" {
		diags.AddWarning("Unknown status of a pending request",
			"The service gives "+what+" the status \""+report.Status+"\", which this provider does not know. It is treated as pending, never as done.\n\n"+
				"What to do: where this status means that the request is over, name it in ended_statuses.")
	}
	if !s.State.IsOpen() {
		return
	}

	if report.Interrupted {
		diags.AddWarning("Interrupted while waiting",
			"The service has accepted "+what+", and the run ended before it was fulfilled.\n\n"+
				"In state now: the object with fulfilled = false.\nWhat to do: apply again; it goes on waiting for the same request and sends nothing.")
		return
	}
	if report.Err != nil {
		var seen diag.Diagnostics
		AddError(&seen, report.Err, "the object with fulfilled = false; the request itself was accepted")
		for _, d := range seen {
			diags.AddWarning("Accepted, and could not be watched: "+d.Summary(), d.Detail())
		}
		return
	}

	detail := "The service has accepted " + what + " and has not fulfilled it within the time that timeouts allows."
	if report.Gap != "" {
		detail += " The list of pending requests could not be read as a whole: " + report.Gap + "."
	}
	diags.AddWarning("Accepted and still pending", detail+"\n\n"+
		"In state now: the object with fulfilled = false.\nWhat to do: nothing; a later refresh finds it fulfilled. A longer wait can be set in timeouts.")
}
