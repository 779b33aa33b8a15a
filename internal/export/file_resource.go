// SPDX-License-Identifier: MPL-2.0

// Package export implements the export of one UTC day: the data source analytics_export
// for small days, and for days of any size the resource analytics_export_file, in
// file_*.go, and the action analytics_export_day. The data source keeps the records as
// dayTexts. A dayExport, in day_*.go, writes them to the files of the others.
package export

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ resource.ResourceWithModifyPlan = (*fileResource)(nil)

// NewFileResource returns the resource analytics_export_file.
func NewFileResource(s *tfkit.Service) resource.Resource { return &fileResource{s} }

type fileResource struct{ *tfkit.Service }

func (r *fileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export_file"
}

// ModifyPlan plans an export if there is anything to export, and reports in the plan what
// the apply would refuse.
func (r *fileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	if req.Plan.Raw.IsNull() {
		return
	}
	r.PlanKeptScope(ctx, req, resp)
	var plan fileModel
	var state fileModel // without values for a new object
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() || !plan.checkScope(r.Service, &resp.Diagnostics) {
		return
	}

	plan.checkLines(ctx, &resp.Diagnostics)
	if plan.exportsAgain(ctx, &state) {
		plan.checkDay(r.Today(), &resp.Diagnostics)
		plan.planExport()
	} else {
		plan.fileResults = state.fileResults
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// Create exports the day.
func (r *fileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	export := dayExport{
		Service: r.Service,
		day:     &plan.dayModel,
		inState: tfkit.NothingSaved + "; what was at path before is as it was",
		diags:   &resp.Diagnostics,
	}
	if !export.run(ctx) {
		return
	}

	plan.fromExport(ctx, &export)
	writeStamps(ctx, export.outputs, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read compares the files with what was written. It asks nothing of the service, because a
// day that is over does not change.
func (r *fileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadScope(&state.Scope)
	// A plan decides by state and not by the clock, because Terraform plans again when it applies.
	day, err := client.ParseDay(state.UTCDate.ValueString())
	if err == nil && !state.Complete.ValueBool() && day.Before(r.Today()) {
		state.Complete = types.BoolNull()
	}

	written := state.written(ctx)
	readStamps(ctx, written, req.Private)
	if !state.verify(ctx, written, &resp.Diagnostics) {
		resp.State.RemoveResource(ctx)
		return
	}

	writeStamps(ctx, written, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update exports the day again if the plan says so, and then removes files that no longer
// belong to the object.
func (r *fileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if !plan.SHA256.IsUnknown() { // nothing to export
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}

	export := dayExport{
		Service:  r.Service,
		day:      &plan.dayModel,
		previous: state.written(ctx),
		inState:  tfkit.PriorKept + ", and the old file is as it was",
		diags:    &resp.Diagnostics,
	}
	if !export.run(ctx) {
		return
	}

	plan.fromExport(ctx, &export)
	plan.removePrevious(ctx, &export)
	writeStamps(ctx, export.outputs, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete removes the files, unless on_destroy retains them.
func (r *fileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	state.remove(ctx, &r.Files, &resp.Diagnostics)
}
