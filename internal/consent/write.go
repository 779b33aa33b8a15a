package consent

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// location is where the person of an object is, and who asks.
type location struct {
	client   *client.Client
	scope    client.Scope
	identity string
	object   tfkit.Object
}

// locate returns the location of an object, or adds an error that says what is missing.
func (r *consentResource) locate(m resourceModel, diags *diag.Diagnostics) (location, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, diags)
	if !ok {
		return location{}, false
	}

	return location{c, scope, m.IdentityID.ValueString(), r.Written.Object("analytics_consent", "")}, true
}

// write sends an update. It reports whether a later choice was kept instead, and whether
// the state may say what was asked for.
func (r *consentResource) write(ctx context.Context, at location, u client.ConsentUpdate, inState string, diags *diag.Diagnostics) (kept, ok bool) {
	if other, shared := r.Written.Write(at.object, at.scope, at.identity); shared {
		warnShared(diags, other, at.object, at.scope)
	}

	result, err := at.client.UpdateConsent(ctx, at.scope, at.identity, u)
	if err != nil {
		tfkit.AddError(diags, err, inState, sentAttributes...)
		return false, false
	}

	if result.Kept != nil {
		standingIn(*result.Kept, u).warn(diags)
	}
	return result.Kept != nil, true
}

// withdraw sends a withdrawal, unless another object of this run writes the person.
func (r *consentResource) withdraw(ctx context.Context, at location, u client.ConsentUpdate, diags *diag.Diagnostics) {
	var other tfkit.Object
	u.Superseded = func() (superseded bool) {
		other, superseded = r.Written.Withdraw(at.object, at.scope, at.identity)
		return superseded
	}

	result, err := at.client.UpdateConsent(ctx, at.scope, at.identity, u)
	if client.IsClass(err, client.ClassNotFound) { // there is nothing to withdraw
		return
	}
	if errors.Is(err, client.ErrUntimed) {
		standing{laterNote: laterNote{u.KeepLaterThan, true}}.warn(diags)
		return
	}
	if err != nil {
		tfkit.AddError(diags, err, tfkit.PriorKept, sentAttributes...)
		return
	}

	if result.Kept != nil {
		standingIn(*result.Kept, u).warn(diags)
	}
	if result.Outcome == client.ConsentSuperseded {
		warnSuperseded(diags, other, at.scope)
	}
}

// standingIn returns the choice in a record that an update has left alone.
func standingIn(kept client.Consent, u client.ConsentUpdate) standing {
	chosen, _ := kept.AgreementTime.Get()
	return standing{laterNote{configured: u.KeepLaterThan}, chosen}
}
