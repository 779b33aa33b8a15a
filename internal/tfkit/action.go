// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

// ActionIdentity is the attribute of an action that names a person. The provider's server
// declares it write-only, so that it may hold an ephemeral value.
const ActionIdentity = "identity_id"

// PersonActionModel is the part of their models that actions about a person share.
type PersonActionModel struct {
	Identity
	Wait     types.Bool     `tfsdk:"wait_for_fulfilment"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// AddPersonAction adds the attributes and the block of a PersonActionModel to the schema of an
// action. wait describes wait_for_fulfilment, and timeout says what happens when the time is over.
func AddPersonAction(to *schema.Schema, wait, timeout string) {
	addPerson(TextAttribute.Action, to.Attributes, "Identifier of the person at the service. The plan does not show it; a saved plan may contain it.")
	to.Attributes["wait_for_fulfilment"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: wait + " Defaults to `true`.",
	}

	to.Blocks = map[string]schema.Block{"timeouts": schema.SingleNestedBlock{
		MarkdownDescription: timeoutText + " " + timeout,
		CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"invoke": types.StringType}}},
		Attributes: map[string]schema.Attribute{
			"invoke": schema.StringAttribute{Optional: true, Validators: []validator.String{formats.Timeout}, MarkdownDescription: "How long to wait when the action is invoked." + timeoutDefault},
		},
	}}
}

// ModifiesTheService is what the plan of an action says of Terraform's question.
const ModifiesTheService = "With -invoke, Terraform asks whether to invoke it \"without modifying real infrastructure\". It does modify what the service holds."

// PlanPerson reads the configuration of an action about a person into m, which embeds a PersonActionModel.
// It reports a read-only provider and an unusable scope, and returns false if the configuration cannot be read.
func (s *Service) PlanPerson(ctx context.Context, req action.ModifyPlanRequest, m any, diags *diag.Diagnostics) (read bool) {
	var scope Scope
	diags.Append(req.Config.Get(ctx, m)...)
	access(ctx, req.Config.GetAttribute, scope.attributes(), diags)
	if diags.HasError() {
		return false
	}

	s.RefuseReadOnly(diags)
	s.PlanScope(scope, diags)

	return true
}

// InvokePerson reads the configuration of an action about a person into m, and returns the client and
// the person for it. It returns false after reporting what is missing.
func (s *Service) InvokePerson(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse, m any) (*client.Client, client.Person, bool) {
	var about Identity
	resp.Diagnostics.Append(req.Config.Get(ctx, m)...)
	access(ctx, req.Config.GetAttribute, about.attributes(), &resp.Diagnostics)
	c, scope, _ := s.ClientAndScope(about.Scope, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() && about.IdentityID.IsNull() {
		Problem{
			Summary: "The identity did not arrive",
			Detail:  "Terraform passed no identity_id to the action. Terraform 1.16 and later drop the ephemeral values of an action that is run with -invoke. Nothing was sent.",
			Do:      "give identity_id by a variable that is sensitive and not ephemeral, or let a lifecycle trigger invoke the action.",
			At:      path.Root(ActionIdentity),
		}.AddError(&resp.Diagnostics)
	}

	return c, client.Person{Scope: scope, Identity: about.IdentityID.ValueString()}, !resp.Diagnostics.HasError()
}

// Say tells the user what an action does; without an action, it does nothing. A message must hold no
// identity, no path and no value of a person. Terraform shows no more messages after an interrupt. The
// provider's server takes all messages, so that no send blocks.
func Say(resp *action.InvokeResponse, message string) {
	if resp != nil {
		resp.SendProgress(action.InvokeProgressEvent{Message: message})
	}
}

// During calls work. Every 30 seconds until work returns or the context ends, another goroutine calls tick
// with the time since the beginning.
func During(ctx context.Context, work func(), tick func(since time.Duration)) {
	ctx, end := context.WithCancel(ctx)
	var ticking sync.WaitGroup
	ticking.Go(func() {
		defer func() { _ = recover() }() // a panic would end the process with everything in flight

		const every = 30 * time.Second
		for since := every; transport.Pause(ctx, every) == nil; since += every {
			tick(since)
		}
	})
	defer ticking.Wait()
	defer end()

	work()
}
