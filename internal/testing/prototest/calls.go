// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ReadData validates and reads a data source, and returns its values.
func (p *Provider) ReadData(name string, config Attributes) (Attributes, Diagnostics) {
	p.t.Helper()
	schema := p.Schemas.DataSourceSchemas[name]
	packed := p.packed(schema, config)
	diags := Diagnostics(call(p.t.Context(), p, p.server.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: packed}).Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	resp := call(p.t.Context(), p, p.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: packed})

	return p.result(schema, packed, resp.State, append(diags, resp.Diagnostics...))
}

// Open validates and opens an ephemeral resource, and returns its values.
func (p *Provider) Open(name string, config Attributes) (Attributes, Diagnostics) {
	p.t.Helper()
	schema := p.Schemas.EphemeralResourceSchemas[name]
	packed := p.packed(schema, config)
	diags := Diagnostics(call(p.t.Context(), p, p.server.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: packed}).Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	resp := call(p.t.Context(), p, p.server.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: packed})

	return p.result(schema, packed, resp.Result, append(diags, resp.Diagnostics...))
}

// result returns the values that were read for a configuration.
func (p *Provider) result(schema *tfprotov6.Schema, config, read *tfprotov6.DynamicValue, diags Diagnostics) (Attributes, Diagnostics) {
	p.t.Helper()
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	values := unpack(p.t, schema.ValueType(), read)
	p.refuse(checkPlan(schema, nil, unpack(p.t, schema.ValueType(), config), values))
	p.refuse(checkStored(schema, values))

	return values, diags
}

// Invocation is what an action has shown: its messages in order, and its diagnostics.
type Invocation struct {
	Diagnostics

	Progress []string
}

// PlanAction validates and plans an action. known are values that become known in between.
func (p *Provider) PlanAction(name string, config Attributes, known ...Attributes) Diagnostics {
	p.t.Helper()
	schema := p.Schemas.ActionSchemas[name].Schema
	diags := Diagnostics(call(p.t.Context(), p, p.server.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: p.packed(schema, config)}).Diagnostics)
	if len(diags.Errors()) > 0 {
		return diags
	}

	for _, values := range known {
		config = config.With(values)
	}

	return append(diags, call(p.t.Context(), p, p.server.PlanAction, &tfprotov6.PlanActionRequest{ActionType: name, Config: p.packed(schema, config)}).Diagnostics...)
}

// Invoke plans an action and invokes it, unless the plan has errors. The diagnostics of the plan come first.
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
	stream := call(p.t.Context(), p, p.server.InvokeAction, &tfprotov6.InvokeActionRequest{ActionType: name, Config: packed})
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			invoked.Progress = append(invoked.Progress, event.Message)
			if heard != nil {
				heard()
			}
		case tfprotov6.CompletedInvokeActionEventType:
			invoked.Diagnostics = event.Diagnostics
			p.wantShort(event.Diagnostics)
			return invoked
		}
	}
	p.t.Errorf("%s has not completed", name)

	return invoked
}

// ListRequest is a list block of a query. A Limit of 0 stands for no limit.
type ListRequest struct {
	Config          Attributes
	Limit           int64
	IncludeResource bool
}

// ListResult is one result of a list. The identity and the resource may be nil.
type ListResult struct {
	DisplayName        string
	Identity, Resource Attributes
}

// ValidateList checks the configuration of a list block.
func (p *Provider) ValidateList(name string, config Attributes) Diagnostics {
	p.t.Helper()
	packed := p.packed(p.Schemas.ListResourceSchemas[name], config)
	return call(p.t.Context(), p, p.server.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: packed}).Diagnostics
}

// List validates a list block, and returns the results until ctx ends, and all diagnostics.
func (p *Provider) List(ctx context.Context, name string, req ListRequest) (results []ListResult, diags Diagnostics) {
	p.t.Helper()
	packed := p.packed(p.Schemas.ListResourceSchemas[name], req.Config)
	diags = call(ctx, p, p.server.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: packed}).Diagnostics
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	stream := call(ctx, p, p.server.ListResource, &tfprotov6.ListResourceRequest{
		TypeName: name, Config: packed, Limit: req.Limit, IncludeResource: req.IncludeResource,
	})
	for result := range stream.Results {
		if result.Identity == nil && len(result.Diagnostics) == 0 {
			p.t.Error("Terraform would refuse this result of a list: it has no identity")
		}
		resource := unpack(p.t, p.Schemas.ResourceSchemas[name].ValueType(), result.Resource)
		results = append(results, ListResult{result.DisplayName, p.identityOf(name, result.Identity), resource})
		diags = append(diags, result.Diagnostics...)
		p.wantShort(result.Diagnostics)
	}

	return results, diags
}
