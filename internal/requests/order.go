package requests

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// order is a ticket on its way: with the client and the scope to ask in.
type order struct {
	*ticket
	kind   kind
	client *client.Client
	scope  client.Scope
	files  *outfile.Claims
	effect func(context.Context) (bool, error)
	code   string // of a rejection
}

// order prepares what the service has to be asked with, or says what is missing.
func (t *ticket) order(service *tfkit.Service, k kind, diags *diag.Diagnostics) (*order, bool) {
	c, scope, ok := service.Reach(t.Scope, diags)
	if !ok {
		return nil, false
	}
	return &order{ticket: t, kind: k, client: c, scope: scope, files: &service.Files}, true
}

func (o *order) awaited() client.Awaited {
	r := o.sent()
	return client.Awaited{
		Scope: o.scope, Identity: o.IdentityID.ValueString(), Operation: o.kind.operation,
		ID: r.ID, Effect: o.effect,
	}
}

// await waits for the request and says why it is not fulfilled, apart from a
// rejection: what that means depends on what is in state.
func (o *order) await(ctx context.Context, limit time.Duration, diags *diag.Diagnostics) (client.Ending, note) {
	out, wasInterrupted := tfkit.AwaitWithin(ctx, o.client, o.awaited(), limit)
	o.learn(out)
	switch out.Ending {
	case client.Gone:
		o.kind.warnGone(diags, o.ticket)
	case client.StillPending:
		if id := o.RequestID.ValueString(); id != "" {
			out.ID = id
		}
		tfkit.WarnUnfinished(diags, "the "+o.kind.noun, out, wasInterrupted)
	}
	return out.Ending, noteAfter(out.Ending, wasInterrupted)
}

// look asks once, for a refresh, and reports whether there is an answer.
func (o *order) look(ctx context.Context, before note, diags *diag.Diagnostics) (client.Ending, note, bool) {
	out := o.client.Check(ctx, o.awaited())
	if out.Err != nil {
		o.fail(out.Err, tfkit.PriorKept, diags)
		return out.Ending, before, false
	}
	o.learn(out)
	switch {
	case out.Ending == client.Rejected:
		o.kind.warnRejected(diags, o.ticket, out.Code)
	case out.Ending == client.Gone:
		o.kind.warnGone(diags, o.ticket)
	case out.Status != "":
		o.kind.warnStatus(diags, o.ticket, out.Status)
	}
	return out.Ending, noteAfter(out.Ending, before == interrupted), true
}

func noteAfter(ending client.Ending, wasInterrupted bool) note {
	switch ending {
	case client.Rejected, client.Gone:
		return ended
	case client.StillPending:
		if wasInterrupted {
			return interrupted
		}
	}
	return none
}

// learn takes over what a look has shown beside the ending.
func (o *order) learn(out client.Outcome) {
	o.code = out.Code
	if o.RequestID.ValueString() == "" {
		o.RequestID = textOrNull(out.ID)
	}
}

// rejection is the error for a request that the service accepted and then failed.
func (o *order) rejection() error {
	return &client.Error{
		Kind: client.KindServer, Operation: o.kind.call, Method: o.kind.method, Code: o.code,
		Detail: "the service accepted request " + named(o.RequestID.ValueString()) + " and then failed it",
	}
}

// fail reports an error; a context's own is an interruption.
func (o *order) fail(err error, inState string, diags *diag.Diagnostics) {
	var e *client.Error
	if !errors.As(err, &e) && errors.Is(err, context.Canceled) {
		err = &client.Error{Kind: client.KindCancelled, Operation: o.kind.call, Method: o.kind.method, Detail: "the run was interrupted, and nothing was sent"}
	}
	tfkit.AddError(diags, err, inState)
}
