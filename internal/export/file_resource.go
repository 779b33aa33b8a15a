package export

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure      = (*fileResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*fileResource)(nil)
	_ resource.ResourceWithValidateConfig = (*fileResource)(nil)
)

// NewFileResource returns the resource analytics_export_file.
func NewFileResource() resource.Resource { return &fileResource{} }

type fileResource struct{ tfkit.Resource }

func (r *fileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export_file"
}

// ValidateConfig refuses lines that could not be told apart.
func (r *fileResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config fileModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}

	config.checkLines(ctx, &resp.Diagnostics)
}

// ModifyPlan plans an export where there is anything to export, and says at plan what
// apply would refuse.
func (r *fileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		return
	}

	r.PlanKeptScope(ctx, req, resp)
	var plan fileModel
	var withKind types.Bool
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("with_kind"), &withKind)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if scope, known := r.KnownScope(plan.Scope); known && scope.Account() {
		addNoExport(&resp.Diagnostics)
		return
	}
	plan.planWithKind(withKind)
	plan.checkLines(ctx, &resp.Diagnostics) // also where validation could not know

	if req.State.Raw.IsNull() {
		plan.check(r.Today(), &resp.Diagnostics)
		plan.expect()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		return
	}

	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || len(resp.RequiresReplace) > 0 {
		return // planned again, as an object to create
	}

	if plan.exportsAgain(ctx, state) {
		plan.check(r.Today(), &resp.Diagnostics)
		plan.expect()
	} else {
		plan.keep(state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// Create exports the day.
func (r *fileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	export := fileExport{Service: r.Service, inState: tfkit.NothingSaved + "; what was at path before is as it was"}
	written, ok := export.run(ctx, &plan, &resp.Diagnostics)
	if !ok {
		return
	}

	written.write(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read compares the files with what was written. The service is not asked: a day that
// is over does not change.
func (r *fileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&state.Scope)
	state.markOver(r.Today())
	known := readStamps(ctx, req.Private)
	if !state.look(ctx, known, &resp.Diagnostics) {
		resp.State.RemoveResource(ctx)
		return
	}

	known.write(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update exports the day again where the plan says so, and then removes files that do
// not belong to the object any more.
func (r *fileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if plan.SHA256.IsUnknown() {
		export := fileExport{Service: r.Service, previous: state.written(ctx), inState: tfkit.PriorKept + ", and the old file is as it was"}
		written, ok := export.run(ctx, &plan, &resp.Diagnostics)
		if !ok {
			return
		}
		export.removeOld(ctx, &plan, &resp.Diagnostics)
		written.write(ctx, resp.Private, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete removes the files, unless they are to be retained.
func (r *fileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	state.remove(ctx, &r.Files, &resp.Diagnostics)
}
