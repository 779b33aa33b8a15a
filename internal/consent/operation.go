// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// decide reads, writes or withdraws the consent of a person, a second time after a pause if the first reading
// contradicts what is known. It reports an error, and warns of a record that stands or is missing.
func (r *consentResource) decide(ctx context.Context, c *tfkit.ConsentCase, about tfkit.Identity, diags *diag.Diagnostics) (ok bool) {
	_, scope, ok := r.ClientAndScope(about.Scope, diags)
	if !ok {
		return false
	}

	c.Person = client.Person{Scope: scope, Identity: about.IdentityID.ValueString()}
	err := r.Decide(ctx, c)
	if err == nil && c.Act == choice.Ask {
		_ = r.Consents.WaitToReread(ctx, r.Client.Lag) // the request fails where this does
		c.Twice = true
		err = r.Decide(ctx, c)
	}

	switch {
	case err != nil:
		addError(err, c, diags)
	case c.Act == choice.Stand:
		warnStands(diags, c.Evidence)
	case c.Act == choice.Withhold:
		tfkit.SupersededWithdrawal.With(other(c.Keeper, scope)).AddWarning(diags)
	case c.Verdict == choice.Gone:
		tfkit.MissingConsent.AddWarning(diags)
	}

	return err == nil
}

// addError reports what a read, a write or a withdrawal has failed with.
func addError(err error, c *tfkit.ConsentCase, diags *diag.Diagnostics) {
	p := tfkit.ProblemOf(err, tfkit.PriorKept, answer.ConsentFields...)
	if c.Action == choice.Write && !c.Known {
		p.InState = tfkit.NothingSaved
	}
	if c.Action == choice.Withdraw && transport.IsClass(err, transport.ClassRejected) { // it sends no time, and no address that is written only
		p.Do = "if the service wants an agreement_time or an address, set the five clauses to false with them, apply that, and destroy then: nothing is left to withdraw. Otherwise " + p.Do
	}

	p.AddError(diags)
}

// warnStands warns that a record is left alone, because it is or may be a later choice.
func warnStands(diags *diag.Diagnostics, e choice.Evidence) {
	p := tfkit.Problem{
		Summary: "A choice that cannot be compared stands",
		Detail:  "The service holds another record than this resource has written, and no times tell which of the two came first.",
		Do:      "nothing, or bring the configuration up to the person's choice. To overwrite it, on legal grounds or because it is not the person's choice, set keep_later_choice = false, or a later agreement_time if the record has one.",
	}
	if !e.Since.IsZero() && e.Print.Time > e.Since.UnixMilli() {
		p.Summary = "A later choice of the person stands"
		p.Detail = "The service holds a consent of " + client.FormatInstant(time.UnixMilli(e.Print.Time)) + ", which is later than the configured one of " + client.FormatInstant(e.Since) + "."
	}

	p.Detail += " Nothing is written, and the record stays as it is."
	if e.Print.Clauses == choice.PrintOf(choice.Record{}.Shown()).Clauses {
		p.Detail += " It refuses all clauses: it is a refusal of the person, or an earlier withdrawal by a destroy. In a test tenant, where it is the latter, keep_later_choice = false writes the consent again."
	}
	p.AddWarning(diags)
}

// other names another object of the run, and the scope of the person whom it is about.
func other(object *tfkit.Object, scope client.Scope) string {
	return "\n" + object.String() + ", in the scope " + scope.String()
}
