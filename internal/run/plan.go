// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Change is what a plan does with an object.
type Change int

// The values of Change.
const (
	Refused  Change = iota // nothing, since there are errors
	Creates                // also the second plan of a replacement, which has no state
	Replaces               // Terraform shows the warnings of this plan, and none of the second one
	Updates
	Destroys
)

// Plan is the plan of an object that stands for a request.
type Plan struct {
	Service *tfkit.Service
	Name    string // of the request
	Req     resource.ModifyPlanRequest
	Resp    *resource.ModifyPlanResponse
}

// Read reads the state and the plan of the object, as far as there are any, and returns what the plan
// does. It refuses to replace an object in another scope while its request is under way.
func (p Plan) Read(ctx context.Context, state, plan any) Change {
	req, resp := p.Req, p.Resp
	isMoved := p.Service.PlanKeptScope(ctx, req, resp)
	isNew, isEnd := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()

	var before, after types.String
	var fulfilled types.Bool
	if !isNew {
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("identity_id"), &before)...)
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("fulfilled"), &fulfilled)...)
	}
	if !isEnd {
		resp.Diagnostics.Append(resp.Plan.Get(ctx, plan)...)
		resp.Diagnostics.Append(resp.Plan.GetAttribute(ctx, path.Root("identity_id"), &after)...)
	}
	isReplaced := len(resp.RequiresReplace) > 0 || !after.Equal(before)

	switch {
	case resp.Diagnostics.HasError():
		return Refused
	case isEnd:
		return Destroys
	case isNew:
		return Creates
	case isMoved && !fulfilled.ValueBool():
		tfkit.RefuseMoved(&resp.Diagnostics, p.Name)
		return Refused
	case isReplaced:
		return Replaces
	}

	return Updates
}
