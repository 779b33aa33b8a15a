// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ action.ActionWithModifyPlan = (*deleteDataAction)(nil)

// NewDeleteDataAction returns the action analytics_delete_data.
func NewDeleteDataAction(s *tfkit.Service) action.Action { return &deleteDataAction{s} }

type deleteDataAction struct{ *tfkit.Service }

func (a *deleteDataAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_delete_data"
}

func (a *deleteDataAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Deletes all data of one person, except the consent record. Each run that invokes it is another request.",
		Attributes:          map[string]schema.Attribute{},
	}
	tfkit.AddPersonAction(&resp.Schema, "Whether to wait until the deletion is carried out.",
		"After that, the request stays accepted, and the action ends with a warning.")
}

// ModifyPlan adds the warning that Terraform shows above its question.
func (a *deleteDataAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m tfkit.PersonActionModel
	if a.PlanPerson(ctx, req, &m, &resp.Diagnostics) {
		problem := irreversible("This action")
		problem.Detail += " " + tfkit.ModifiesTheService
		problem.AddWarning(&resp.Diagnostics)
	}
}

func (a *deleteDataAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m tfkit.PersonActionModel
	if c, person, ok := a.InvokePerson(ctx, req, resp, &m); ok {
		o := run.OfAction(ctx, a.Service, resp, m)
		o.Name, o.Request = deletion.Name, deletionRequest(c, person, deferred.AnyIdempotencyKey)
		o.Invoke(ctx, "Carried out: no longer pending, and the profile is gone or empty. The consent of the person stands.")
	}
}
