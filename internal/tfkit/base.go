// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// The bases of what the provider offers. Each stores what the provider block made available.
// Methods that do work must begin with RecoverAndReport, deferred.
type (
	// Resource is the base of every resource and list resource.
	Resource struct{ *Service }
	// DataSource is the base of every data source.
	DataSource struct{ *Service }
	// Ephemeral is the base of every ephemeral resource.
	Ephemeral struct{ *Service }
	// Action is the base of every action. The framework calls Invoke in a goroutine of its
	// own, where a panic would end the process.
	Action struct{ *Service }
)

// Configure stores what the provider block made available.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Service = serviceIn(req.ProviderData)
}

// Configure stores what the provider block made available.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Service = serviceIn(req.ProviderData)
}

// Configure stores what the provider block made available.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	e.Service = serviceIn(req.ProviderData)
}

// Configure stores what the provider block made available.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.Service = serviceIn(req.ProviderData)
}

// serviceIn returns the service that the provider block has made available; before that, one
// of which nothing is known.
func serviceIn(providerData any) *Service {
	if s, ok := providerData.(*Service); ok {
		return s
	}
	return &Service{Unknown: []string{"the configuration"}}
}
