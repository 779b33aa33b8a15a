// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ListRequest is a list block of a query. Limit is what Terraform expects at most, 0 for
// everything.
type ListRequest struct {
	Config          Attributes
	Limit           int64
	IncludeResource bool
}

// ListResult is one result of a list. The identity and the resource are nil where the
// result has none, as one with nothing but diagnostics.
type ListResult struct {
	DisplayName        string
	Identity, Resource Attributes
}

// ValidateList checks the configuration of a list block.
func (p *Provider) ValidateList(name string, config Attributes) Diagnostics {
	p.t.Helper()
	packed := p.packed(p.Schemas.ListResourceSchemas[name], config)
	return call(p, p.server.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: packed}).Diagnostics
}

// List validates a list block, and returns the results until ctx ends, and all diagnostics.
func (p *Provider) List(ctx context.Context, name string, req ListRequest) (results []ListResult, diags Diagnostics) {
	p.t.Helper()
	packed := p.packed(p.Schemas.ListResourceSchemas[name], req.Config)
	diags = callUntil(ctx, p, p.server.ValidateListResourceConfig, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: packed}).Diagnostics
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	stream := callUntil(ctx, p, p.server.ListResource, &tfprotov6.ListResourceRequest{
		TypeName: name, Config: packed, Limit: req.Limit, IncludeResource: req.IncludeResource,
	})
	for result := range stream.Results {
		if result.Identity == nil && len(result.Diagnostics) == 0 {
			p.t.Error("Terraform would refuse this result of a list: it has no identity")
		}
		resource := unpack(p.t, p.Schemas.ResourceSchemas[name].ValueType(), result.Resource)
		results = append(results, ListResult{result.DisplayName, p.identityOf(name, result.Identity), resource})
		diags = append(diags, result.Diagnostics...)
	}

	return results, diags
}
