// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// ValidateConfig checks the provider block. The environment, and what the block lacks, are not
// checked before Configure.
func (p *analyticsProvider) ValidateConfig(_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	r := newReading(req.Config.Raw, func(string) string { return "" }, &resp.Diagnostics)
	c := r.configuration()
	if resp.Diagnostics.HasError() {
		return
	}

	if r.sources["base_url"] == "provider block" {
		checkBaseURL(c.BaseURL, &resp.Diagnostics)
	}
	if r.sets(credentialGroup) {
		r.checkCredentials(c)
	}
	r.checkScope(c)
	r.checkWire(c)
}

// Configure creates the client without a request to the service. Attributes that are not known
// yet are recorded, and reported when a resource or data source needs the service.
func (p *analyticsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	r := newReading(req.Config.Raw, p.getenv, &resp.Diagnostics)
	c := r.complete()
	if !resp.Diagnostics.HasError() {
		r.checkCredentials(c)
		r.checkScope(c)
	}
	tflog.Debug(ctx, "Sources of the provider configuration", r.sources)
	if resp.Diagnostics.HasError() {
		return
	}

	service := &tfkit.Service{UnknownScope: r.unknownOf(scopeGroup)}
	if len(service.UnknownScope) == 0 {
		service.DefaultScope = c.scope
	}
	for _, name := range r.unknown {
		if !slices.Contains(service.UnknownScope, name) {
			service.Unknown = append(service.Unknown, name)
		}
	}

	c.UserAgent = p.userAgent(req.TerraformVersion)
	c.LogIsOff = p.getenv("TF_LOG_PROVIDER_ANALYTICS") == "off"
	if len(service.Unknown) == 0 {
		p.connect(service, c.Config, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}

	resp.ResourceData, resp.DataSourceData = service, service
	resp.EphemeralResourceData, resp.ActionData = service, service
	resp.ListResourceData = service
	p.service.Store(service)
}

// connect sets the client of the service.
func (p *analyticsProvider) connect(service *tfkit.Service, cfg client.Config, diags *diag.Diagnostics) {
	for _, change := range p.options {
		change(&cfg)
	}

	c, err := client.New(cfg)
	if err != nil {
		tfkit.Problem{Summary: "Unusable provider configuration", Detail: "The setting " + err.Error() + "."}.AddError(diags)
		return
	}

	service.Client, service.Deferred = c, deferred.NewEngine(c)
}

// Environment is the configuration that the provider's environment variables hold, without a
// provider block. Unlike one, it may hold several ways to authenticate and both path families.
type Environment struct {
	Client client.Config
	Scope  client.Scope
}

// ReadEnvironment reads the environment variables for a program beside Terraform. Problems
// are sentences that never hold a value.
func ReadEnvironment(version string, getenv func(string) string) (e Environment, problems []string) {
	var diags diag.Diagnostics
	c := newReading(tftypes.Value{}, getenv, &diags).complete()
	c.UserAgent = (&analyticsProvider{version: version, getenv: getenv}).userAgent("")

	for _, d := range diags.Errors() {
		problems = append(problems, d.Summary()+": "+d.Detail())
	}

	return Environment{c.Config, c.scope}, problems
}

// complete takes over every setting that is known, and checks everything but credentials and
// scope.
func (r *reading) complete() *configuration {
	c := r.configuration()
	if c.caCertFile != "" {
		pem, err := os.ReadFile(c.caCertFile)
		if err != nil {
			tfkit.Problem{
				Summary: "Invalid value",
				Detail:  "ca_cert_file (or ANALYTICS_CA_CERT_FILE) cannot be read: " + reasonOf(err) + ".",
				At:      path.Root("ca_cert_file"),
			}.AddError(r.diags)
		}
		c.CACertPEM = pem
	}

	if !slices.Contains(r.unknown, "base_url") {
		checkBaseURL(c.BaseURL, r.diags)
	}
	r.checkWire(c)

	return c
}

// reasonOf returns the text of an error of the file system without the path.
func reasonOf(err error) string {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		return at.Err.Error()
	}
	return "it is not a readable file"
}

func checkBaseURL(value string, diags *diag.Diagnostics) {
	u, err := client.ParseBaseURL(value)
	if err != nil {
		tfkit.Problem{
			Summary: "Unusable base_url",
			Detail:  "The setting " + err.Error() + ".",
			Do:      "set base_url in the provider block, or ANALYTICS_BASE_URL in the environment. There is no default host.",
			At:      path.Root("base_url"),
		}.AddError(diags)

		return
	}

	if strings.HasSuffix(u.Path, "/v1") {
		tfkit.Problem{
			Summary: "base_url ends in /v1",
			Detail:  "The provider adds /v1 to every path itself. If requests fail with \"Endpoint not found\", remove it from base_url.",
			At:      path.Root("base_url"),
		}.AddWarning(diags)
	}
}

// checkCredentials refuses everything but exactly one way to authenticate, once all of them are
// known.
func (r *reading) checkCredentials(c *configuration) {
	e, ok := errors.AsType[*transport.CredentialError](c.Credentials.Validate())
	if !ok || len(r.unknownOf(credentialGroup)) > 0 {
		return
	}

	tfkit.Problem{
		Summary: "Unusable credentials",
		Detail:  "The setting " + e.Error() + ".",
		Do: "give exactly one of email and password, token, or api_secret_key, in the provider block, or as " +
			"ANALYTICS_EMAIL and ANALYTICS_PASSWORD, ANALYTICS_TOKEN, or ANALYTICS_API_SECRET_KEY in the environment. The block wins as a whole.",
		At: path.Root(e.Setting),
	}.AddError(r.diags)
}

// checkScope refuses a scope that cannot be used, once all of it is known. A missing scope can
// be used: resources and data sources may have their own.
func (r *reading) checkScope(c *configuration) {
	err := c.scope.Validate()
	if err == nil || c.scope.IsZero() || len(r.unknownOf(scopeGroup)) > 0 {
		return
	}

	at := path.Root("org_id")
	if c.scope.Account() {
		at = path.Root("account_id")
	}
	tfkit.Problem{Summary: "Unusable scope", Detail: "The scope cannot be used: " + err.Error() + ".", At: at}.AddError(r.diags)
}

// checkWire refuses what the settings of wire cannot be together.
func (r *reading) checkWire(c *configuration) {
	if err := c.Wire.Validate(); err != nil && !r.diags.HasError() {
		tfkit.Problem{Summary: "Invalid value", Detail: "The setting " + err.Error() + ".", At: path.Root("wire")}.AddError(r.diags)
	}
}

// userAgent returns the User-Agent header: Terraform, the provider, and what
// TF_APPEND_USER_AGENT adds.
func (p *analyticsProvider) userAgent(terraformVersion string) string {
	agent := "terraform-provider-analytics/" + p.version
	if terraformVersion != "" {
		agent = "Terraform/" + terraformVersion + " (+https://www.terraform.io) " + agent
	}

	extra := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r > unicode.MaxASCII {
			return -1
		}
		return r
	}, p.getenv("TF_APPEND_USER_AGENT")))

	return strings.TrimSpace(agent + " " + extra)
}
