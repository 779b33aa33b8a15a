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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ action.ActionWithModifyPlan = (*clearProfileAction)(nil)

// NewClearProfileAction returns the action analytics_clear_profile.
func NewClearProfileAction(s *tfkit.Service) action.Action { return &clearProfileAction{s} }

type clearProfileAction struct{ *tfkit.Service }

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
		"After that, the update stays accepted, and the action ends with a warning.")
}

// ModifyPlan adds the warning that Terraform shows above its question.
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
	u := newUpdate(run.OfAction(ctx, a.Service, resp, m.PersonActionModel), c, &resourceModel{}, nulls(names))
	u.Name = updateName
	u.Request.Person, u.Request.Send = person, u.sendLocked
	u.Invoke(ctx, "The profile has no value for any of the members.")
}

// sendLocked sends the changes of members that the profile has. It sends all of them if it has none, for another update
// of the person is pending then, or it is not known what the profile has.
func (u *update) sendLocked(ctx context.Context) (decode.Receipt, error) {
	held := maps.Clone(u.changes)
	maps.DeleteFunc(held, func(name string, _ jsontext.Value) bool { return digest(u.current[name]) == digest(nil) })
	if len(held) > 0 {
		u.changes = held
	}

	return u.send(ctx)
}
