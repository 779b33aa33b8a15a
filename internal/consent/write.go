// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// subject is the person that an object is about, and what a request about that person needs.
type subject struct {
	*tfkit.Service

	person client.Person
	object *tfkit.Object
	diags  *diag.Diagnostics
}

// subjectOf returns the subject of an object, or reports what is missing.
func (r *consentResource) subjectOf(ctx context.Context, m resourceModel, private tfkit.Private, diags *diag.Diagnostics) (subject, bool) {
	_, scope, ok := r.ClientAndScope(m.Scope, diags)
	return subject{r.Service, client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, tfkit.ObjectIn(ctx, private, objectLabel), diags}, ok
}

// overwrittenBy returns the clauses of the record at the service that a new object
// overwrites, although later choices are to stand: there is no time to compare them with. An
// error is reported, and ok is false.
func (at subject) overwrittenBy(ctx context.Context, plan resourceModel) (clauses []string, ok bool) {
	isOwn := at.Written.Left(at.person, nil) != nil
	if isOwn || !plan.comparesNothing(choiceNote{}) {
		return nil, true
	}

	held, err := at.Client.GetConsent(ctx, at.person)
	if transport.IsClass(err, transport.ClassNotFound) {
		return nil, true
	}
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NothingSaved).AddError(at.diags)
		return nil, false
	}

	var record recordModel
	record.fromAPI(held)

	return plan.otherClauses(record), true
}

// update sends an update, whose outcome the run remembers. It warns if a later choice was kept
// instead. prior is what this object has written before; nil if it has not.
func (at subject) update(ctx context.Context, u client.ConsentUpdate, prior *client.Choice) (client.ConsentResult, error) {
	u.LastWritten = func() *client.Choice { return at.Written.Left(at.person, prior) }
	u.Confirmed = func() { at.Written.Leave(u.Choice(), at.person) }

	result, err := at.Client.UpdateConsent(ctx, at.person, u)
	if result.Kept != nil {
		chosen, _ := result.Kept.AgreementTime.Get()
		warnStands(at.diags, u.KeepLaterThan, chosen, false)
	}

	return result, err
}

// write sends an update and returns the note to store, which is of a later choice that was kept
// instead. An error is reported with inState, and ok is false.
func (at subject) write(ctx context.Context, u client.ConsentUpdate, prior *client.Choice, inState string) (note choiceNote, ok bool) {
	result, err := at.update(ctx, u, prior)
	if e, ok := errors.AsType[*transport.Error](err); ok && u.OnlyKnown && e.Class == transport.ClassNotFound {
		tfkit.Problem{
			Summary: "The consent record is missing",
			Detail:  "Terraform has this consent in state, and the service cannot remove a consent record. Yet the service, or a gateway in front of it, says that this person has none. There may be a later choice that it does not show, so nothing was sent.\n\n" + e.Describe(),
			InState: tfkit.PriorKept,
			Do:      tfkit.AdviceApplyAgain,
		}.AddError(at.diags)

		return note, false
	}
	if err != nil {
		tfkit.ProblemOf(err, inState, answer.ConsentFields...).AddError(at.diags)
		return note, false
	}
	if result.Kept != nil {
		note.Configured = u.KeepLaterThan
	}

	return note, true
}

// withdraw sends a withdrawal, unless another object of this run looks after the person.
func (at subject) withdraw(ctx context.Context, u client.ConsentUpdate, prior *client.Choice) {
	var other *tfkit.Object
	u.Superseded = func() (superseded bool) {
		other, superseded = at.Written.Keeper(at.object, at.person)
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
		tfkit.ProblemOf(err, tfkit.PriorKept, answer.ConsentFields...).AddError(at.diags)
		return
	}

	if result.Outcome == client.ConsentSuperseded {
		tfkit.Problem{
			Summary: "Not withdrawn, another resource writes it",
			Detail: "on_destroy is \"withdraw\", and in the same run another resource (" + other.String() + ") writes the consent of the same person in the scope " + at.person.Scope.String() + ". " +
				"Nothing was withdrawn; Terraform forgets the destroyed resource only.",
			Do: "nothing, if the resource was renamed; a moved block tells Terraform so and avoids the replacement. To withdraw the consent, set the five clauses of the other resource to false.",
		}.AddWarning(at.diags)
	}
}

// warnStands warns that a choice of the person is left alone: one that was chosen later than
// the configured time, or untimed. chosen is zero if it is not known.
func warnStands(diags *diag.Diagnostics, configured, chosen time.Time, untimed bool) {
	if untimed {
		tfkit.Problem{
			Summary: "A choice without a time stands",
			Detail:  "The service holds other clauses than this resource has written, in a record without an agreement_time. It may be a later choice of the person, such as a refusal, so nothing is written and the record stays as it is.",
			Do:      "nothing, or bring the configuration up to the person's choice. To overwrite the record on legal grounds, or because it is not the person's choice, set keep_later_choice = false.",
		}.AddWarning(diags)

		return
	}

	held := "a consent"
	if !chosen.IsZero() {
		held += " of " + client.FormatInstant(chosen)
	}

	tfkit.Problem{
		Summary: "A later choice of the person stands",
		Detail: "The service holds " + held + ", which is later than the configured one of " + client.FormatInstant(configured) + ". " +
			"Nothing is written, and the plan leaves the person's choice as it is.",
		Do: "nothing, or bring the configuration up to the person's choice. To overwrite it on legal grounds, or because the later time was a mistake in an earlier configuration, set keep_later_choice = false, or a later agreement_time.",
	}.AddWarning(diags)
}

// warnOverwritten warns that clauses of a record are overwritten which may be a later choice.
// does says whether that is planned or has happened.
func warnOverwritten(diags *diag.Diagnostics, does string, clauses []string) {
	tfkit.Problem{
		Summary: "agreement_time is not set",
		Detail: "Without agreement_time, the provider cannot tell whether the person has made a later choice than the configured one. " +
			does + " other values of " + strings.Join(clauses, ", ") + ", which this resource has not written.",
		Do: "set agreement_time to the time at which the person agreed, so that a later choice stands. If overwriting is intended, set keep_later_choice = false.",
		At: path.Root(clauses[0]),
	}.AddWarning(diags)
}

// warnShared warns that two objects manage the consent of one person. It never names the
// person.
func warnShared(diags *diag.Diagnostics, a, b *tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Two resources manage the consent of one person",
		Detail: "In the scope " + scope.String() + ", the consent of one person is managed by two resources: " + a.String() + " and " + b.String() + ". " +
			"Where they differ, each apply undoes the other one, and the plan never stays empty.",
		Do: "keep one of them and take the other one out of the configuration, with on_destroy = \"retain\" applied first.",
	}.AddWarning(diags)
}

// addKeptByAnother reports that a plan withdraws a person whom another object keeps.
func addKeptByAnother(diags *diag.Diagnostics, withdrawer, keeper *tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Another resource keeps the consent to be withdrawn",
		Detail: "In the scope " + scope.String() + ", the plan destroys a resource (" + withdrawer.String() + ") with on_destroy = \"withdraw\", and leaves another resource (" + keeper.String() + ") of the same person as it is. " +
			"The consent would be withdrawn, and the next plan would give it again.",
		Do: "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then. If the plan calls that resource deposed, which is what an interrupted replacement leaves, both resources have the same address: remove that address from state with terraform state rm, and import the person again with terraform import. To withdraw the consent, set the five clauses of the other resource to false, or remove both.",
	}.AddError(diags)
}
