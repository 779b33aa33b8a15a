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

// New returns the provider. getenv reads the environment; tests pass their own, so as not to
// change that of the process.
func New(version string, getenv func(string) string, options ...Option) provider.Provider {
	return &analyticsProvider{version: version, getenv: getenv, options: options}
}

// NewServer returns the provider as a server of protocol 6.
func NewServer(version string, getenv func(string) string, options ...Option) *Guard {
	// The framework returns a smaller interface than its server has.
	p := &analyticsProvider{version: version, getenv: getenv, options: options}
	framework, _ := providerserver.NewProtocol6(p)().(Server)

	return &Guard{framework, &p.service, semaphore.NewWeighted(allCalls)}
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
	return []func() resource.Resource{
		consent.NewResource,
		consentbatch.NewResource,
		export.NewFileResource,
		profile.NewResource,
		requests.NewDataAccessRequestResource,
		requests.NewDataDeletionResource,
	}
}

func (p *analyticsProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		consent.NewDataSource,
		export.NewDataSource,
		profile.NewDataSource,
		requests.NewPendingRequestsDataSource,
		session.NewCurrentUserDataSource,
	}
}

func (p *analyticsProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		consent.NewEphemeralResource,
		profile.NewEphemeralResource,
		session.NewSessionTokenEphemeral,
	}
}

func (p *analyticsProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		consent.NewListResource,
	}
}

func (p *analyticsProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		export.NewExportDayAction,
		profile.NewClearProfileAction,
		requests.NewDeleteDataAction,
		requests.NewRequestDataAccessAction,
	}
}

func (p *analyticsProvider) Functions(context.Context) []func() function.Function {
	return functions.All()
}
