// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// operation is what reads or writes the consent of an object, and where problems are reported.
type operation struct {
	*consentResource

	about  tfkit.Identity
	object *tfkit.Object // that withdraws
	diags  *diag.Diagnostics
}

// do reads, writes or withdraws, a second time after a pause if the first reading contradicts what is
// known. It reports an error, and warns of a record that stands or is missing.
func (op operation) do(ctx context.Context, e choice.Evidence, action choice.Action) (j tfkit.Judged, ok bool) {
	_, scope, ok := op.ClientAndScope(op.about.Scope, op.diags)
	if !ok {
		return j, false
	}

	c := tfkit.ConsentCase{Service: op.Service, Person: client.Person{Scope: scope, Identity: op.about.IdentityID.ValueString()}, Object: op.object}
	j, err := c.Do(ctx, e, action)
	if err == nil && j.Act == choice.Ask {
		_ = op.Consents.WaitToReread(ctx, op.Client.Lag) // the request fails where this does
		e.Twice = true
		j, err = c.Do(ctx, e, action)
	}

	if err != nil {
		op.addError(err, e, action)
		return j, false
	}

	switch {
	case j.Act == choice.Stand:
		warnStands(op.diags, j.Evidence)
	case j.Act == choice.Withhold:
		notWithdrawn(j.Keeper, scope).AddWarning(op.diags)
	case j.Verdict == choice.Gone:
		missing(j.Act).AddWarning(op.diags)
	}

	return j, true
}

// addError reports what a read, a write or a withdrawal has failed with.
func (op operation) addError(err error, e choice.Evidence, action choice.Action) {
	p := tfkit.ProblemOf(err, tfkit.PriorKept, answer.ConsentFields...)
	switch {
	case errors.Is(err, client.ErrGone):
		p = missingRecord
	case action == choice.Write && !e.Known:
		p.InState = tfkit.NothingSaved
	case action == choice.Withdraw && transport.IsClass(err, transport.ClassRejected): // it sends no time, and no address that is written only
		p.Do = "if the service wants an agreement_time or an address, set the five clauses to false with them, apply that, and destroy then: nothing is left to withdraw. Otherwise " + p.Do
	}

	p.AddError(op.diags)
}

// notWithdrawn returns the warning about a person whom another object of the run keeps.
func notWithdrawn(keeper *tfkit.Object, scope client.Scope) tfkit.Problem {
	return tfkit.Problem{
		Summary: "Not withdrawn, another resource writes it",
		Detail: "on_destroy is \"withdraw\", and in the same run another resource (" + keeper.String() + ") writes the consent of the same person in the scope " + scope.String() + ". " +
			"Nothing was withdrawn; Terraform forgets the destroyed resource only.",
		Do: "nothing, if the resource was renamed; a moved block tells Terraform so and avoids the replacement. To withdraw the consent, set the five clauses of the other resource to false.",
	}
}

var missingRecord = tfkit.Problem{
	Summary: "The consent record is missing",
	Detail:  "Terraform knows of a consent record of this person, and the service cannot remove one. Yet the service, or a gateway in front of it, says that there is none. There may be a later choice that it does not show, so nothing was sent.",
	InState: tfkit.PriorKept,
	Do:      tfkit.AdviceApplyAgain,
}

// missing returns the warning about a record that two readings did not show, when the object leaves
// the state. It is the same for each person, so that Terraform counts equal ones.
func missing(act choice.Act) tfkit.Problem {
	p := tfkit.Problem{
		Summary: "A consent record is missing",
		Detail:  "The service says twice that this person has no consent record, although Terraform knows of one and the service cannot remove it. Terraform removes the resource from state.",
		Do:      "make sure that the service has lost the record, for example because a test tenant was reset, before you apply: that would write a first record. If readings lag by more than wire.lag, raise it, and import the person again.",
	}
	if act == choice.Report {
		p.Detail = "The service says twice that this person has no consent record, so nothing was withdrawn. Yet Terraform knows of a record, and the service cannot remove it. Terraform removes the resource from state."
		p.Do = "look at the service for a consent that is still there. If readings lag by more than wire.lag, raise it, import the person and destroy again."
	}

	return p
}

var retained = tfkit.Problem{
	Summary: "The consent stays at the service",
	Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". To withdraw the consent as well, apply on_destroy = \"withdraw\" first and destroy then.",
}

// laterStands is the summary about a record with a later time.
const laterStands = "A later choice of the person stands"

// warnStands warns that a record is left alone, because it is or may be a later choice.
func warnStands(diags *diag.Diagnostics, e choice.Evidence) {
	chosen, configured := time.UnixMilli(e.Print.Time), e.Since
	p := tfkit.Problem{
		Summary: "A choice that cannot be compared stands",
		Detail:  "The service holds other clauses than this resource has written, and no agreement_time is configured to compare theirs with.",
		Do:      "nothing, or bring the configuration up to the record. To overwrite it, set agreement_time to a later time than that of the record, or set keep_later_choice = false.",
	}

	switch {
	case e.Print.Time == 0:
		p.Detail = "The service holds other clauses than this resource has written, in a record without an agreement_time."
		p.Do = "nothing, or bring the configuration up to the record. To overwrite it, on legal grounds or because it is not the person's choice, set keep_later_choice = false; an agreement_time is not enough, since the record has none to compare with."
	case configured.IsZero():
	case e.Print.Time > configured.UnixMilli():
		p.Summary = laterStands
		p.Detail = "The service holds a consent of " + client.FormatInstant(chosen) + ", which is later than the configured one of " + client.FormatInstant(configured) + "."
		p.Do = "nothing, or bring the configuration up to the person's choice. To overwrite it on legal grounds, or because the later time was a mistake in an earlier configuration, set keep_later_choice = false, or a later agreement_time."
	default:
		p.Detail = "The record of " + client.FormatInstant(chosen) + " has changed while an update was on its way, or the service does not keep times exactly enough to tell which of the two came first: it and the configured consent of " + client.FormatInstant(configured) + "."
	}

	p.Detail += " Nothing is written, and the record stays as it is."
	if e.Print.Clauses == choice.PrintOf(choice.Record{}.Shown()).Clauses {
		p.Detail += " It refuses all clauses: it is a refusal of the person, or an earlier withdrawal by a destroy. In a test tenant, where it is the latter, keep_later_choice = false writes the consent again."
		if p.Summary != laterStands {
			p.Summary = "A refusal or an earlier withdrawal stands"
		}
	}

	p.AddWarning(diags)
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
