// SPDX-License-Identifier: MPL-2.0

// Package provider implements the provider analytics: the schema of its block, its configuration from
// block and environment, the list of everything it offers, and the guard against panics.
package provider

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"golang.org/x/sync/semaphore"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consent"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/export"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/functions"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/profile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/requests"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/session"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// TypeName is the prefix of the provider's resources and data sources.
const TypeName = "analytics"

var (
	_ provider.ProviderWithActions            = (*analyticsProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*analyticsProvider)(nil)
	_ provider.ProviderWithFunctions          = (*analyticsProvider)(nil)
	_ provider.ProviderWithListResources      = (*analyticsProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*analyticsProvider)(nil)
)

// Option changes the configuration of the client.
type Option func(*client.Config)

// NewServer returns the provider as a server of protocol 6. getenv reads the environment; tests pass their own,
// so as not to change that of the process.
func NewServer(version string, getenv func(string) string, options ...Option) *Guard {
	p := &analyticsProvider{version: version, getenv: getenv, options: options}
	p.service.Store(tfkit.NewService(nil, tfkit.Scope{}, []string{"the configuration"}))
	framework, _ := providerserver.NewProtocol6(p)().(Server) // whose type names a smaller interface

	return &Guard{framework, &p.service, semaphore.NewWeighted(allCalls)}
}

// each returns the constructors of objects for the framework, which calls them for each request. An object gets
// what the latest Configure made available.
func each[T any](p *analyticsProvider, constructors ...func(*tfkit.Service) T) (all []func() T) {
	for _, create := range constructors {
		all = append(all, func() T { return create(p.service.Load()) })
	}
	return all
}

type analyticsProvider struct {
	version string
	getenv  func(string) string
	options []Option
	service atomic.Pointer[tfkit.Service]
}

func (p *analyticsProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = TypeName
	resp.Version = p.version
}

func (p *analyticsProvider) Resources(context.Context) []func() resource.Resource {
	return each(p,
		consent.NewResource,
		consentbatch.NewResource,
		export.NewFileResource,
		profile.NewResource,
		requests.NewDataAccessRequestResource,
		requests.NewDataDeletionResource,
	)
}

func (p *analyticsProvider) DataSources(context.Context) []func() datasource.DataSource {
	return each(p,
		consent.NewDataSource,
		export.NewDataSource,
		profile.NewDataSource,
		requests.NewPendingRequestsDataSource,
		session.NewCurrentUserDataSource,
	)
}

func (p *analyticsProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return each(p,
		consent.NewEphemeralResource,
		profile.NewEphemeralResource,
		session.NewSessionTokenEphemeral,
	)
}

func (p *analyticsProvider) ListResources(context.Context) []func() list.ListResource {
	return each(p, consent.NewListResource)
}

func (p *analyticsProvider) Actions(context.Context) []func() action.Action {
	return each(p,
		export.NewExportDayAction,
		profile.NewClearProfileAction,
		requests.NewDeleteDataAction,
		requests.NewRequestDataAccessAction,
	)
}

func (p *analyticsProvider) Functions(context.Context) []func() function.Function {
	return functions.All()
}
