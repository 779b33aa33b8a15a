// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"maps"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ action.ActionWithConfigure  = (*clearProfileAction)(nil)
	_ action.ActionWithModifyPlan = (*clearProfileAction)(nil)
)

// NewClearProfileAction returns the action analytics_clear_profile.
func NewClearProfileAction() action.Action { return &clearProfileAction{} }

type clearProfileAction struct{ tfkit.Action }

// clearProfileModel is the model of analytics_clear_profile.
type clearProfileModel struct {
	tfkit.PersonActionModel
	Members types.Set `tfsdk:"members"`
}

func (a *clearProfileAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_clear_profile"
}

func (a *clearProfileAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sets members of one person's profile to `null`, for example to make a person anonymous whose data is to be kept.",
		Attributes: map[string]schema.Attribute{
			"members": schema.SetAttribute{
				Required:    true,
				ElementType: types.StringType,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1),
					setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
				MarkdownDescription: "Names of the members to clear. Members that are null or absent already are not sent.",
			},
		},
	}
	tfkit.AddPersonAction(&resp.Schema, "Whether to wait until the update is carried out.",
		"After that, the update stays accepted, and the action ends with a warning.", defaultTimeout)
}

// ModifyPlan warns that clearing members is irreversible. Terraform shows the warning above
// its question. Nothing is sent.
func (a *clearProfileAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m clearProfileModel
	if a.PlanPerson(ctx, req, &m, &resp.Diagnostics) {
		tfkit.Problem{
			Summary: "Clearing members of a profile is irreversible",
			Detail:  "This action sets members of a person's profile to null. Neither Terraform nor the provider keeps their values, and the service offers no way to undo it.\n\n" + tfkit.ModifiesTheService,
		}.AddWarning(&resp.Diagnostics)
	}
}

func (a *clearProfileAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m clearProfileModel
	c, person, ok := a.InvokePerson(ctx, req, resp, &m)
	if !ok {
		return
	}

	var names []string
	resp.Diagnostics.Append(m.Members.ElementsAs(ctx, &names, false)...)
	update := nulls(names)
	held, err := deferred.ReadProfile(ctx, c, person, update)
	if held.NoProfile { // one reading proves nothing
		_ = a.Consents.WaitToReread(ctx, c.Lag)
		held, err = deferred.ReadProfile(ctx, c, person, update)
	}
	if err != nil {
		tfkit.ProblemOf(err, "").AddError(&resp.Diagnostics)
		return
	}
	maps.DeleteFunc(update, func(name string, _ jsontext.Value) bool {
		return !held.Cached && digest(held.Members[name]) == digest(nil)
	})
	if len(update) == 0 {
		tfkit.Say(resp, "Nothing to clear.")
		return
	}

	o := run.OfAction(a.Service, resp, m.PersonActionModel)
	o.Limit, _ = m.Timeouts.Invoke(ctx, defaultTimeout) // the validator has checked it
	o.Messages = run.Messages{Name: updateName, Advice: run.AdviceInvoked}
	o.Advice.Unknown = adviceClearAgain
	o.Request = clearRequest(c, person, update)

	// The profile is not read again before the update is sent: it would not be sent, and would count as
	// accepted, where somebody else has cleared the members meanwhile.
	readAfter, isRead := o.Request.Effect, false
	o.Request.Effect = func(ctx context.Context) (deferred.Reading, error) {
		if !isRead {
			isRead = true
			return deferred.Reading{Shows: proof.Missing, Cached: held.Cached}, nil
		}
		return readAfter(ctx)
	}
	o.Invoke(ctx, "Carried out: the profile has no value for any of the members.")
}

const adviceClearAgain = "look at analytics_pending_requests before you invoke the action again. It sends only what the profile still has then."
