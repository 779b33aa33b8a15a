// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Invocation is what an action has shown: its messages in order, and its diagnostics.
type Invocation struct {
	Diagnostics

	Progress []string
}

// PlanAction validates and plans an action. known are values that become known in between.
func (p *Provider) PlanAction(name string, config Attributes, known ...Attributes) Diagnostics {
	p.t.Helper()
	schema := p.Schemas.ActionSchemas[name].Schema
	validated := call(p, p.server.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: p.packed(schema, config)})
	diags := Diagnostics(validated.Diagnostics)
	if len(diags.Errors()) > 0 {
		return diags
	}

	for _, values := range known {
		config = config.With(values)
	}

	return append(diags, call(p, p.server.PlanAction, &tfprotov6.PlanActionRequest{ActionType: name, Config: p.packed(schema, config)}).Diagnostics...)
}

// Invoke plans and invokes an action. The diagnostics of the plan come first; it is not
// invoked if they hold errors.
func (p *Provider) Invoke(name string, config Attributes) Invocation {
	p.t.Helper()
	planned := p.PlanAction(name, config)
	if len(planned.Errors()) > 0 {
		return Invocation{Diagnostics: planned}
	}

	invoked := p.InvokePlanned(name, config, nil)
	invoked.Diagnostics = append(planned, invoked.Diagnostics...)

	return invoked
}

// InvokePlanned invokes an action. It calls heard, unless that is nil, with each message.
func (p *Provider) InvokePlanned(name string, config Attributes, heard func()) (invoked Invocation) {
	p.t.Helper()
	packed := p.packed(p.Schemas.ActionSchemas[name].Schema, config)
	stream := call(p, p.server.InvokeAction, &tfprotov6.InvokeActionRequest{ActionType: name, Config: packed})
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			invoked.Progress = append(invoked.Progress, event.Message)
			if heard != nil {
				heard()
			}
		case tfprotov6.CompletedInvokeActionEventType:
			invoked.Diagnostics = event.Diagnostics
			return invoked
		}
	}
	p.t.Errorf("%s has not completed", name)

	return invoked
}
