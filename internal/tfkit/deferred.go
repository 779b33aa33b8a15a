package tfkit

import (
	"context"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// What deferred requests share: a note in private state, a bounded wait, and the
// words for how a wait ended.

// requestKey is the key of the note in private state.
const requestKey = "request"

// RequestNote is what private state holds of a deferred request beside the
// attributes of its object.
type RequestNote struct {
	ID string `json:"id,omitempty"`
	// Waiting: the run was interrupted while it waited, so the next apply goes on.
	Waiting bool `json:"waiting,omitempty"`
	// Uncertain: an update was sent, and nobody knows whether it was accepted, so the
	// next one adopts what is pending.
	Uncertain bool `json:"uncertain,omitempty"`
	// Names are the members that an update of a profile has sent, where state does not
	// hold them.
	Names []string `json:"names,omitempty"`
}

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

// ReadRequestNote gives the note; the zero note where there is none.
func ReadRequestNote(ctx context.Context, private PrivateReader) (note RequestNote) {
	text, _ := private.GetKey(ctx, requestKey)
	if len(text) == 0 || json.Unmarshal(text, &note) != nil {
		return RequestNote{}
	}
	return note
}

// Write puts the note into private state; a zero note removes it.
func (n RequestNote) Write(ctx context.Context, private PrivateWriter) diag.Diagnostics {
	if n.ID == "" && !n.Waiting && !n.Uncertain && len(n.Names) == 0 {
		return private.SetKey(ctx, requestKey, nil)
	}
	text, err := json.Marshal(n)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Internal error", "The note of a request cannot be written.")}
	}
	return private.SetKey(ctx, requestKey, text)
}

// AwaitWithin waits for a request for at most a time. interrupted says that the run
// was ended from outside, and not by that time.
func AwaitWithin(ctx context.Context, c *client.Client, a client.Awaited, limit time.Duration) (o client.Outcome, interrupted bool) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o = c.Await(bounded, a)
	return o, ctx.Err() != nil && o.Ending == client.StillPending
}

// QuoteID shows a request's id, which is the service's text: quoted, and cut.
func QuoteID(id string) string {
	if runes := []rune(id); len(runes) > 80 {
		id = string(runes[:80]) + "…"
	}
	return strconv.Quote(id)
}

// WarnUnfinished says why a request that was accepted is not fulfilled yet. It is
// never an error: an error beside a saved state would have Terraform destroy the
// object and send the request again.
func WarnUnfinished(diags *diag.Diagnostics, what string, o client.Outcome, interrupted bool) {
	request := what
	if o.ID != "" {
		request += " (request " + QuoteID(o.ID) + ")"
	}
	if o.Status != "" {
		diags.AddWarning("Unknown status of a pending request", "The service gives "+request+" the status \""+o.Status+"\", which this provider does not know. It is treated as pending, never as done.")
	}
	switch {
	case o.Ending == client.Fulfilled:
	case o.Ending == client.Gone:
		diags.AddWarning("The request left the pending list without a visible effect", upperFirst(request)+" is no longer pending, and its effect cannot be seen at the service.\n\n"+
			"In state now: the object with fulfilled = false.\nWhat to do: run plan; it shows what the service holds.")
	case interrupted:
		diags.AddWarning("Interrupted while waiting", "The service has accepted "+request+", and the run ended before it was fulfilled.\n\n"+
			"In state now: the object with fulfilled = false.\nWhat to do: apply again; it goes on waiting for the same request and sends nothing.")
	case o.Err != nil:
		var seen diag.Diagnostics
		AddError(&seen, o.Err, "the object with fulfilled = false; the request itself was accepted")
		for _, d := range seen {
			diags.AddWarning("Accepted, and could not be watched: "+d.Summary(), d.Detail())
		}
	default:
		diags.AddWarning("Accepted and still pending", "The service has accepted "+request+" and has not fulfilled it within the time that timeouts allows.\n\n"+
			"In state now: the object with fulfilled = false.\nWhat to do: nothing; a later refresh finds it fulfilled. A longer wait can be set in timeouts.")
	}
}
