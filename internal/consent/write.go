// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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
func (r *consentResource) target(ctx context.Context, m resourceModel, private tfkit.Private, diags *diag.Diagnostics) (target, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, diags)
	if !ok {
		return target{}, false
	}

	return target{
		client:   c,
		scope:    scope,
		identity: m.IdentityID.ValueString(),
		object:   tfkit.ObjectIn(ctx, private, objectLabel),
		written:  &r.Written,
		diags:    diags,
	}, true
}

// overwrittenBy returns the clauses of the record at the service that a new object
// overwrites, although later choices are to stand: there is no time to compare them with. An
// error is reported, and ok is false.
func (at target) overwrittenBy(ctx context.Context, plan resourceModel) (clauses []string, ok bool) {
	isOwn := at.written.Left(at.scope, at.identity, nil) != nil
	if !plan.comparesNothing(choiceNote{}) || isOwn || at.client.ReadOnly() {
		return nil, true
	}

	held, err := at.client.GetConsent(ctx, at.scope, at.identity)
	if transport.IsClass(err, transport.ClassNotFound) {
		return nil, true
	}
	if err != nil {
		tfkit.AddError(at.diags, err, tfkit.NothingSaved)
		return nil, false
	}

	var record recordModel
	record.fromAPI(held)

	return plan.otherClauses(record), true
}

// update sends an update, whose outcome the run remembers. It warns if a later choice was kept
// instead. prior is what this object has written before; nil if it has not.
func (at target) update(ctx context.Context, u client.ConsentUpdate, prior *client.Choice) (client.ConsentResult, error) {
	u.LastWritten = func() *client.Choice { return at.written.Left(at.scope, at.identity, prior) }
	u.Confirmed = func() { at.written.Leave(u.Choice(), at.scope, at.identity) }

	result, err := at.client.UpdateConsent(ctx, at.scope, at.identity, u)
	if result.Kept != nil {
		chosen, _ := result.Kept.AgreementTime.Get()
		warnStands(at.diags, u.KeepLaterThan, chosen, false)
	}

	return result, err
}

// write sends an update and reports whether a later choice was kept instead. An error is
// reported with inState, and ok is false.
func (at target) write(ctx context.Context, u client.ConsentUpdate, prior *client.Choice, inState string) (kept, ok bool) {
	result, err := at.update(ctx, u, prior)
	if e, ok := errors.AsType[*transport.Error](err); ok && u.OnlyKnown && e.Class == transport.ClassNotFound {
		tfkit.Problem{
			Summary: "The consent record is missing",
			Detail:  "Terraform has this consent in state, and the service cannot remove a consent record. Yet the service, or a gateway in front of it, says that this person has none. There may be a later choice that it does not show, so nothing was sent.\n\n" + tfkit.Describe(e),
			InState: tfkit.PriorKept,
			Do:      tfkit.AdviceApplyAgain,
		}.AddError(at.diags)

		return false, false
	}
	if err != nil {
		tfkit.AddError(at.diags, err, inState, answer.ConsentFields...)
		return false, false
	}

	return result.Kept != nil, true
}

// withdraw sends a withdrawal, unless another object of this run looks after the person.
func (at target) withdraw(ctx context.Context, u client.ConsentUpdate, prior *client.Choice) {
	var other tfkit.Object
	u.Superseded = func() (superseded bool) {
		other, superseded = at.written.Keeper(at.object, at.scope, at.identity)
		return superseded
	}

	result, err := at.update(ctx, u, prior)
	if transport.IsClass(err, transport.ClassNotFound) { // there is nothing to withdraw
		return
	}
	if errors.Is(err, client.ErrUntimed) {
		warnStands(at.diags, u.KeepLaterThan, time.Time{}, true)
		return
	}
	if err != nil {
		tfkit.AddError(at.diags, err, tfkit.PriorKept, answer.ConsentFields...)
		return
	}

	if result.Outcome == client.ConsentSuperseded {
		tfkit.Problem{
			Summary: "Not withdrawn, another resource writes it",
			Detail: "on_destroy is \"withdraw\", and in the same run another resource (" + other.String() + ") writes the consent of the same person in the scope " + tfkit.DescribeScope(at.scope) + ". " +
				"Nothing was withdrawn; Terraform forgets the destroyed resource only.",
			Do: "nothing, if the resource was renamed; a moved block tells Terraform so and avoids the replacement. To withdraw the consent, set the five clauses of the other resource to false.",
		}.AddWarning(at.diags)
	}
}
