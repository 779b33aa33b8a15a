// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// warnStands warns that a choice of the person is left alone: one that was chosen later than
// the configured time, or untimed. chosen is zero if it is not known.
func warnStands(diags *diag.Diagnostics, configured, chosen time.Time, untimed bool) {
	if untimed {
		tfkit.Problem{
			Summary: "A choice without a time stands",
			Detail:  "The service holds other clauses than this object has written, in a record without an agreement_time. It may be a later choice of the person, such as a refusal, so nothing is written and the record stays as it is.",
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

// warnRetained warns that destroying the object does not withdraw the consent, unless it
// does.
func (m *resourceModel) warnRetained(diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == withdraw {
		return
	}

	tfkit.Problem{
		Summary: "The consent stays at the service",
		Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". To withdraw the consent as well, apply on_destroy = \"withdraw\" first and destroy then.",
	}.AddWarning(diags)
}

// warnOverwritten warns that clauses of a record are overwritten which may be a later choice.
// does says whether that is planned or has happened.
func warnOverwritten(diags *diag.Diagnostics, does string, clauses []string) {
	tfkit.Problem{
		Summary: "No time to compare a later choice with",
		Detail: "agreement_time is not set, so it is not known whether what the service holds is a later choice of the person than the configured one. " +
			does + " other values of " + strings.Join(clauses, ", ") + ", which this object has not written.",
		Do: "set agreement_time to the time at which the person agreed, so that a later choice stands. If overwriting is intended, set keep_later_choice = false.",
		At: path.Root(clauses[0]),
	}.AddWarning(diags)
}

// addUnknownTime reports that it is not known whether the person's choice still stands.
func addUnknownTime(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "Not known while a later choice of the person stands",
		Detail:  "The service holds a later choice of the person than the one that was configured. Whether it still stands depends on agreement_time and keep_later_choice, which are known only after apply.",
		Do:      "apply the objects that these values come from first (-target), or write them into the configuration.",
		At:      path.Root("agreement_time"),
	}.AddError(diags)
}

// warnShared warns that two objects manage the consent of one person. It never names the
// person.
func warnShared(diags *diag.Diagnostics, a, b tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Two objects manage the consent of one person",
		Detail: "In the scope " + tfkit.DescribeScope(scope) + ", the consent of one person is managed by two objects: " + a.String() + " and " + b.String() + ". " +
			"Where they differ, each apply undoes the other one, and the plan never stays empty.",
		Do: "keep one of them and take the other one out of the configuration, with on_destroy = \"retain\" applied first.",
	}.AddWarning(diags)
}

// warnSuperseded warns that a withdrawal was not sent, because another object of the run
// writes the same person.
func warnSuperseded(diags *diag.Diagnostics, by tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Not withdrawn, another object writes it",
		Detail: "on_destroy is \"withdraw\", and in the same run another object (" + by.String() + ") writes the consent of the same person in the scope " + tfkit.DescribeScope(scope) + ". " +
			"Nothing was withdrawn; Terraform forgets the destroyed object only.",
		Do: "nothing, if the object was renamed; a moved block tells Terraform so and avoids the replacement. To withdraw the consent, set the five clauses of the other object to false.",
	}.AddWarning(diags)
}

// addKeptByAnother reports that a plan withdraws a person whom another object keeps.
func addKeptByAnother(diags *diag.Diagnostics, withdrawer, keeper tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Another object keeps the consent to be withdrawn",
		Detail: "In the scope " + tfkit.DescribeScope(scope) + ", the plan destroys an object (" + withdrawer.String() + ") with on_destroy = \"withdraw\", and leaves another object (" + keeper.String() + ") of the same person as it is. " +
			"The consent would be withdrawn, and the next plan would give it again.",
		Do: "keep the first object in the configuration, apply on_destroy = \"retain\", and remove it then. If Terraform calls it deposed, because a replacement was interrupted, both have one address: take it out of state (terraform state rm), and bring the person back (terraform import). To withdraw the consent, set the five clauses of the other object to false, or remove both.",
	}.AddError(diags)
}

// addNotHeld reports that the service holds no record to update.
func addNotHeld(diags *diag.Diagnostics, e *transport.Error) {
	tfkit.Problem{
		Summary: "No consent where there has to be one",
		Detail:  "This object is in state, and a consent record cannot be removed from the service. But the service, or a gateway before it, says that there is no consent of this person, so a later choice cannot be excluded. Nothing was sent.\n\n" + tfkit.Describe(e),
		InState: tfkit.PriorKept,
		Do:      tfkit.AdviceApplyAgain,
	}.AddError(diags)
}
