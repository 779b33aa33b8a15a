// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

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
func warnShared(diags *diag.Diagnostics, a, b tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Two resources manage the consent of one person",
		Detail: "In the scope " + tfkit.DescribeScope(scope) + ", the consent of one person is managed by two resources: " + a.String() + " and " + b.String() + ". " +
			"Where they differ, each apply undoes the other one, and the plan never stays empty.",
		Do: "keep one of them and take the other one out of the configuration, with on_destroy = \"retain\" applied first.",
	}.AddWarning(diags)
}

// addKeptByAnother reports that a plan withdraws a person whom another object keeps.
func addKeptByAnother(diags *diag.Diagnostics, withdrawer, keeper tfkit.Object, scope client.Scope) {
	tfkit.Problem{
		Summary: "Another resource keeps the consent to be withdrawn",
		Detail: "In the scope " + tfkit.DescribeScope(scope) + ", the plan destroys a resource (" + withdrawer.String() + ") with on_destroy = \"withdraw\", and leaves another resource (" + keeper.String() + ") of the same person as it is. " +
			"The consent would be withdrawn, and the next plan would give it again.",
		Do: "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then. If Terraform calls it deposed, because a replacement was interrupted, both have one address: take it out of state (terraform state rm), and bring the person back (terraform import). To withdraw the consent, set the five clauses of the other resource to false, or remove both.",
	}.AddError(diags)
}
