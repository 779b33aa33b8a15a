// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// ValidateConfig checks the provider block alone: the environment may give the address and the credentials that it lacks.
func (p *analyticsProvider) ValidateConfig(_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	environment := map[string]string{"ANALYTICS_BASE_URL": "https://localhost", "ANALYTICS_TOKEN": "token"}
	r := read(req.Config.Raw, func(name string) string { return environment[name] }, &resp.Diagnostics)
	r.checkAccess()
	r.newClient(r.config.Config)
}

// Configure creates the client without a request to the service. Attributes that are not known
// yet are recorded, and reported when a resource or data source needs the service.
func (p *analyticsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	r := read(req.Config.Raw, p.getenv, &resp.Diagnostics)
	r.checkAccess()
	tflog.Debug(ctx, "Sources of the provider configuration", r.sources)
	if resp.Diagnostics.HasError() {
		return
	}

	service := &tfkit.Service{
		DefaultScope: r.config.scope,
		UnknownScope: r.unknown[scopeGroup],
		Unknown:      r.unknownOfClient(),
	}
	if len(service.UnknownScope) > 0 {
		service.DefaultScope = client.Scope{}
	}

	cfg := r.config.Config
	cfg.UserAgent = "Terraform/" + req.TerraformVersion + " (+https://www.terraform.io) " + agentPrefix + p.version
	cfg.LogIsOff = p.getenv("TF_LOG_PROVIDER_ANALYTICS") == "off"
	for _, change := range p.options {
		change(&cfg)
	}

	service.Client = r.newClient(cfg)
	if resp.Diagnostics.HasError() {
		return
	}
	if service.Client != nil {
		service.Deferred = deferred.NewEngine(service.Client)
	}

	resp.ResourceData, resp.DataSourceData = service, service
	resp.EphemeralResourceData, resp.ActionData = service, service
	resp.ListResourceData = service
	p.service.Store(service)
}

// agentPrefix is how the User-Agent header names the provider, before its version.
const agentPrefix = "terraform-provider-analytics/"

// ReadEnvironment reads the environment variables for a program beside Terraform. Unlike a
// provider block, they may hold several ways to authenticate and both path families. Problems
// are sentences that never hold a value.
func ReadEnvironment(version string, getenv func(string) string) (cfg client.Config, scope client.Scope, problems []string) {
	var diags diag.Diagnostics
	r := read(tftypes.Value{}, getenv, &diags)
	for _, d := range diags.Errors() {
		problems = append(problems, d.Summary()+": "+d.Detail())
	}

	r.config.UserAgent = agentPrefix + version

	return r.config.Config, r.config.scope, problems
}

// reading is the result of reading all settings.
type reading struct {
	config *configuration
	diags  *diag.Diagnostics

	inBlock map[string]bool     // groups of which the block sets anything, known or not
	unknown map[string][]string // settings that are not known yet, by group
	sources map[string]any      // where the value of each setting comes from, for the log
}

// The sources of a setting.
const (
	fromBlock       = "provider block"
	fromEnvironment = "environment"
)

// read reads the settings from a provider block and, where that does not set them, from the
// environment. The zero Value is an empty block. Values that cannot be used are reported.
func read(block tftypes.Value, getenv func(string) string, diags *diag.Diagnostics) *reading {
	config := &configuration{Config: client.Config{Config: transport.Config{MaxRetries: client.DefaultMaxRetries}}}
	r := &reading{config: config, diags: diags, inBlock: map[string]bool{}, unknown: map[string][]string{}, sources: map[string]any{}}

	values := map[string]tftypes.Value{}
	if block.IsKnown() && !block.IsNull() {
		_ = block.As(&values) // the framework has checked the types
	}

	all := settings(config)
	for _, s := range all {
		r.inBlock[s.group] = r.inBlock[s.group] || !values[s.name].IsNull()
	}

	for _, s := range all {
		r.choose(s, values[s.name], getenv(s.variable()))
	}

	for _, variable := range slices.Sorted(maps.Keys(formerVariables)) {
		if getenv(variable) != "" {
			tfkit.Problem{
				Summary: "Invalid environment variable",
				Detail:  "The environment variable " + variable + " is not read any more: it is " + formerVariables[variable] + " now, in the provider block or in the JSON of ANALYTICS_WIRE.",
				At:      path.Root(wireName),
			}.AddError(diags)
		}
	}
	if r.sources["base_url"] == nil {
		tfkit.Problem{
			Summary: "No base_url",
			Detail:  "The address of the service is not configured. There is no default host.",
			Do:      "set base_url in the provider block, or ANALYTICS_BASE_URL in the environment.",
			At:      path.Root("base_url"),
		}.AddError(diags)
	}

	return r
}

// choose reads a setting from the block if that sets it or another one of its group, and otherwise from
// the environment.
func (r *reading) choose(s setting, value tftypes.Value, variable string) {
	isOfAGroup := s.group != ""

	switch {
	case !value.IsFullyKnown():
		r.unknown[s.group] = append(r.unknown[s.group], s.name)
		r.sources[s.name] = "not known yet"
	case !value.IsNull():
		r.take(s, textOf(value), fromBlock)
	case isOfAGroup && r.inBlock[s.group]: // which wins as a whole
	case variable != "":
		r.take(s, variable, fromEnvironment)
	}
}

// take takes over the value of a setting, or reports why it cannot be used.
func (r *reading) take(s setting, value, source string) {
	r.sources[s.name] = source
	summary, subject := "Invalid value", s.name
	if source == fromEnvironment {
		summary, subject = "Invalid environment variable", "The environment variable "+s.variable()
	}

	for _, err := range s.apply(value) {
		problem := tfkit.Problem{Summary: summary, Detail: subject + " " + err.Error() + ".", At: path.Root(s.name)}
		if member, ok := errors.AsType[client.WireError](err); ok {
			problem.Detail = subject + " cannot be used: " + err.Error() + "."
			for name := range member.Setting.Tokens() {
				problem.At = problem.At.AtName(name)
			}
		}
		problem.AddError(r.diags)
	}
}

// checkAccess refuses everything but exactly one way to authenticate, and a scope that cannot be
// used, each once all of it is known. A missing scope can be used: resources and data sources may
// have their own.
func (r *reading) checkAccess() {
	if r.diags.HasError() {
		return
	}

	c := r.config
	e, isUnusable := errors.AsType[*transport.CredentialError](c.Credentials.Validate())
	if isUnusable && len(r.unknown[credentialGroup]) == 0 {
		tfkit.Problem{
			Summary: "Unusable credentials",
			Detail:  "The setting " + e.Error() + ".",
			Do: "give exactly one of email and password, token, or api_secret_key, in the provider block, or as " +
				"ANALYTICS_EMAIL and ANALYTICS_PASSWORD, ANALYTICS_TOKEN, or ANALYTICS_API_SECRET_KEY in the environment. The block wins as a whole.",
			At: path.Root(e.Setting),
		}.AddError(r.diags)
	}

	if err := c.scope.Validate(); err != nil && c.scope != (client.Scope{}) && len(r.unknown[scopeGroup]) == 0 {
		at := path.Root("org_id")
		if c.scope.AccountID != "" {
			at = path.Root("account_id")
		}
		tfkit.Problem{Summary: "Unusable scope", Detail: "The scope cannot be used: " + err.Error() + ".", At: at}.AddError(r.diags)
	}
}

// unknownOfClient returns the settings of the client that are not known yet.
func (r *reading) unknownOfClient() []string {
	return slices.Concat(r.unknown[""], r.unknown[credentialGroup])
}

// newClient returns the client; nil after an error, and while its settings are not known.
func (r *reading) newClient(cfg client.Config) *client.Client {
	if r.diags.HasError() || len(r.unknownOfClient()) > 0 {
		return nil
	}

	c, err := client.New(cfg)
	if err != nil {
		name, _, _ := strings.Cut(err.Error(), " ")
		tfkit.Problem{Summary: "Unusable provider configuration", Detail: "The setting " + err.Error() + ".", At: path.Root(name)}.AddError(r.diags)
	}

	return c
}

// textOf returns a known value in the form of its variable: a text as it is, and everything else as
// JSON.
func textOf(v tftypes.Value) string {
	value := plain(v)
	if text, ok := value.(string); ok {
		return text
	}
	encoded, _ := json.Marshal(value)

	return string(encoded)
}

// plain returns a known value as Go encodes it in JSON, without what is null.
func plain(v tftypes.Value) any {
	var text string
	var truth bool
	var number big.Float
	var list []tftypes.Value
	var object map[string]tftypes.Value

	switch {
	case v.As(&text) == nil:
		return text
	case v.As(&truth) == nil:
		return truth
	case v.As(&number) == nil:
		return jsontext.Value(number.Text('f', -1))
	case v.As(&list) == nil:
		all := []any{}
		for _, element := range list {
			all = append(all, plain(element))
		}
		return all
	}

	_ = v.As(&object)
	all := map[string]any{}
	for name, member := range object {
		if !member.IsNull() {
			all[name] = plain(member)
		}
	}

	return all
}
