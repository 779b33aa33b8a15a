package consent

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// target is the person that an object is about, and what a request about that person needs.
type target struct {
	client   *client.Client
	scope    client.Scope
	identity string
	object   tfkit.Object
	written  *tfkit.Written
	diags    *diag.Diagnostics
}

// target returns the target of an object, or reports what is missing.
func (r *consentResource) target(m resourceModel, diags *diag.Diagnostics) (target, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, diags)
	if !ok {
		return target{}, false
	}

	return target{
		client:   c,
		scope:    scope,
		identity: m.IdentityID.ValueString(),
		object:   r.Written.Object("analytics_consent", ""),
		written:  &r.Written,
		diags:    diags,
	}, true
}

// manage records that this object manages the person, and warns if another one does as well.
func (at target) manage() {
	if other, shared := at.written.Manage(at.object, at.scope, at.identity); shared {
		warnShared(at.diags, other, at.object, at.scope)
	}
}

// withdrawnClauses returns the clauses that another object of this run has withdrawn: five
// times false, or nil if none has. The former self of a renamed object does that.
func (at target) withdrawnClauses() *[client.Clauses]bool {
	if at.written.Withdrawn(at.scope, at.identity) {
		return &[client.Clauses]bool{}
	}
	return nil
}

// write sends an update and reports whether a later choice was kept instead. An error is
// reported with inState, and ok is false.
func (at target) write(ctx context.Context, u client.ConsentUpdate, inState string) (kept, ok bool) {
	if other, shared := at.written.Write(at.object, at.scope, at.identity); shared {
		warnShared(at.diags, other, at.object, at.scope)
	}

	result, err := at.client.UpdateConsent(ctx, at.scope, at.identity, u)
	if err != nil {
		tfkit.AddError(at.diags, err, inState, sentAttributes...)
		return false, false
	}

	at.warnKept(result, u)

	return result.Kept != nil, true
}

// withdraw sends a withdrawal, unless another object of this run writes the person.
func (at target) withdraw(ctx context.Context, u client.ConsentUpdate) {
	var other tfkit.Object
	u.Superseded = func() (superseded bool) {
		other, superseded = at.written.Withdraw(at.object, at.scope, at.identity)
		return superseded
	}

	result, err := at.client.UpdateConsent(ctx, at.scope, at.identity, u)
	if client.IsClass(err, client.ClassNotFound) { // there is nothing to withdraw
		return
	}
	if errors.Is(err, client.ErrUntimed) {
		standing{laterNote: laterNote{u.KeepLaterThan, true}}.warn(at.diags)
		return
	}
	if err != nil {
		tfkit.AddError(at.diags, err, tfkit.PriorKept, sentAttributes...)
		return
	}

	at.warnKept(result, u)
	if result.Outcome == client.ConsentSuperseded {
		warnSuperseded(at.diags, other, at.scope)
	}
}

// warnKept warns if an update has left a later choice alone.
func (at target) warnKept(result client.ConsentResult, u client.ConsentUpdate) {
	if result.Kept == nil {
		return
	}

	chosen, _ := result.Kept.AgreementTime.Get()
	standing{laterNote{configured: u.KeepLaterThan}, chosen}.warn(at.diags)
}
