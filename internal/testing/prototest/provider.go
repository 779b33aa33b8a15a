// SPDX-License-Identifier: MPL-2.0

// Package prototest drives the provider over the plugin protocol as Terraform's core would, without a CLI and in
// milliseconds. It fails the test where the provider breaks a rule that core enforces.
package prototest

import (
	"cmp"
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Provider is a configured provider. It holds each plan and each new state to the rules of Terraform's core.
type Provider struct {
	Schemas    *tfprotov6.GetProviderSchemaResponse
	Identities map[string]*tfprotov6.ResourceIdentitySchema // of resources

	t      testing.TB
	server provider.Server
	config *tfprotov6.DynamicValue
}

// Start serves a provider with an environment, and configures it.
func Start(tb testing.TB, config Attributes, environment map[string]string, options ...provider.Option) (*Provider, Diagnostics) {
	tb.Helper()
	withoutLag := func(cfg *client.Config) { cfg.Wire.Lag = cmp.Or(cfg.Wire.Lag, "0s") } // as a mock server lags only where a setting says so
	p, diags := Validate(tb, config, environment, append(options, withoutLag)...)
	if len(diags.Errors()) > 0 {
		return p, diags
	}

	return p, append(diags, p.configure()...)
}

// Validate is Start without the configuration, as `terraform validate` does it.
func Validate(tb testing.TB, config Attributes, environment map[string]string, options ...provider.Option) (*Provider, Diagnostics) {
	tb.Helper()
	getenv := func(name string) string { return environment[name] }
	p := &Provider{t: tb, server: provider.NewServer("test", getenv, options...)}
	p.Schemas = call(p.t.Context(), p, p.server.GetProviderSchema, &tfprotov6.GetProviderSchemaRequest{})
	p.Identities = call(p.t.Context(), p, p.server.GetResourceIdentitySchemas, &tfprotov6.GetResourceIdentitySchemasRequest{}).IdentitySchemas
	p.config = p.packed(p.Schemas.Provider, config)

	return p, call(p.t.Context(), p, p.server.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: p.config}).Diagnostics
}

// MustStart is Start with a configuration that has no errors.
func MustStart(tb testing.TB, config Attributes, options ...provider.Option) *Provider {
	tb.Helper()
	p, diags := Start(tb, config, nil, options...)
	p.NoErrors(diags)
	return p
}

// Config returns a provider configuration for a mock server, with e-mail and password.
func Config(service *mocktest.Instance) Attributes {
	return Attributes{
		"base_url": service.URL, "email": service.Email, "password": service.Password,
		"org_id": mocktest.Org, "project_id": mocktest.Project,
	}
}

// Bubble runs a test in virtual time, with a provider that is connected in memory to a mock server of its own, which the
// functions configure: waiting for a request takes no time.
func Bubble(t *testing.T, test func(t *testing.T, p *Provider, service *mocktest.Instance), configure ...func(*mockserver.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// The time of a bubble begins in the year 2000, before anything that tests name.
		<-time.After(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))

		service := mocktest.StartPipe(t, configure...)
		p := MustStart(t, Config(service), func(cfg *client.Config) { cfg.DialContext = service.DialContext })

		defer func() {
			service.Stop()
			<-time.After(10 * time.Minute) // a login outlives the caller that began it
		}()
		test(t, p, service)
	})
}

func (p *Provider) configure() Diagnostics {
	p.t.Helper()
	req := &tfprotov6.ConfigureProviderRequest{Config: p.config, TerraformVersion: "1.11.4"}
	return call(p.t.Context(), p, p.server.ConfigureProvider, req).Diagnostics
}

// NewRun configures the provider once more, as Terraform does for each plan and each
// apply: what the provider remembers of one run is gone. Settings are those of Start.
func (p *Provider) NewRun() {
	p.t.Helper()
	p.NoErrors(p.configure())
}

// Reconfigure is NewRun with other settings in the provider block.
func (p *Provider) Reconfigure(config Attributes) {
	p.t.Helper()
	p.config = p.packed(p.Schemas.Provider, config)
	p.NewRun()
}

// Stop tells the provider that Terraform wants to end.
func (p *Provider) Stop() {
	call(p.t.Context(), p, p.server.StopProvider, &tfprotov6.StopProviderRequest{})
}

// NoErrors fails the test where there are errors.
func (p *Provider) NoErrors(diags Diagnostics) {
	p.t.Helper()
	if errors := diags.Errors(); len(errors) > 0 {
		p.t.Fatalf("unexpected errors:\n%s", strings.Join(errors, "\n"))
	}
}

// refuse fails the test for each reason why Terraform would refuse a response.
func (p *Provider) refuse(reasons []string) {
	p.t.Helper()
	for _, reason := range reasons {
		p.t.Errorf("Terraform would refuse this: %s", reason)
	}
}

// packed returns an object of a schema as the protocol has it.
func (p *Provider) packed(schema *tfprotov6.Schema, object Attributes) *tfprotov6.DynamicValue {
	p.t.Helper()
	return pack(p.t, schema.ValueType(), object)
}

// call makes a call of the protocol. The test fails where the call itself fails; errors of the provider are
// diagnostics in the response.
func call[Req, Resp any](ctx context.Context, p *Provider, f func(context.Context, *Req) (*Resp, error), req *Req) *Resp {
	p.t.Helper()
	resp, err := f(ctx, req)
	if err != nil {
		p.t.Fatal(err)
	}
	if diags := reflect.ValueOf(resp).Elem().FieldByName("Diagnostics"); diags.IsValid() { // else they come in a stream
		said, _ := reflect.TypeAssert[[]*tfprotov6.Diagnostic](diags)
		p.wantShort(said)
	}

	return resp
}
