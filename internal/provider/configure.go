// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework-validators/providervalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// ConfigValidators returns the rules about several attributes of the block. client.New has those of the
// credentials, which the environment may give.
func (p *analyticsProvider) ConfigValidators(context.Context) []provider.ConfigValidator {
	org, project, account := path.MatchRoot("org_id"), path.MatchRoot("project_id"), path.MatchRoot("account_id")

	return []provider.ConfigValidator{
		providervalidator.RequiredTogether(org, project),
		providervalidator.Conflicting(account, org),
	}
}

// ValidateConfig checks the provider block alone: the environment may give the address and the credentials that it lacks.
func (p *analyticsProvider) ValidateConfig(_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	environment := map[string]string{"ANALYTICS_BASE_URL": "https://localhost", "ANALYTICS_TOKEN": "token"}
	r := read(req.Config.Raw, func(name string) string { return environment[name] }, &resp.Diagnostics)
	r.newClient(r.Config)
}

// Configure creates the client without a request to the service. Attributes that are not known
// yet are recorded, and reported when a resource or data source needs the service.
func (p *analyticsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	r := read(req.Config.Raw, p.getenv, &resp.Diagnostics)
	tflog.Debug(ctx, "Sources of the provider configuration", r.sources)

	cfg := r.Config
	cfg.UserAgent = "Terraform/" + req.TerraformVersion + " (+https://www.terraform.io) " + agentPrefix + p.version
	cfg.LogIsOff = p.getenv("TF_LOG_PROVIDER_ANALYTICS") == "off"
	for _, change := range p.options {
		change(&cfg)
	}

	service := tfkit.NewService(r.newClient(cfg), r.scope, r.unknownOfClient())
	if !resp.Diagnostics.HasError() {
		p.service.Store(service)
	}
}

// agentPrefix is how the User-Agent header names the provider, before its version.
const agentPrefix = "terraform-provider-analytics/"

// ReadEnvironment reads the environment variables for a program beside Terraform. Unlike a
// provider block, they may hold several ways to authenticate and both path families. Problems
// are sentences that never hold a value.
func ReadEnvironment(version string, getenv func(string) string) (cfg client.Config, scope client.Scope, problems []string) {
	var diags diag.Diagnostics
	r := read(tftypes.Value{}, getenv, &diags)
	for _, problem := range r.Wire.Problems() {
		r.refuse("The setting " + problem.Error() + ".")
	}
	for _, d := range diags.Errors() {
		problems = append(problems, d.Summary()+": "+d.Detail())
	}

	r.UserAgent = agentPrefix + version
	scope, _ = new(tfkit.Service).KnownScope(r.scope)

	return r.Config, scope, problems
}

// reading is the result of reading all settings.
type reading struct {
	configuration

	diags   *diag.Diagnostics
	inBlock map[string]bool     // groups of which the block sets anything, known or not
	unknown map[string][]string // settings that are not known yet, by group
	sources map[string]any      // where the value of each setting comes from, for the log
}

// read reads the settings from a provider block and, where that does not set them, from the
// environment. The zero Value is an empty block. Values that cannot be used are reported.
func read(block tftypes.Value, getenv func(string) string, diags *diag.Diagnostics) *reading {
	r := &reading{diags: diags, inBlock: map[string]bool{}, unknown: map[string][]string{}, sources: map[string]any{}}
	r.MaxRetries = client.DefaultMaxRetries

	values := map[string]tftypes.Value{}
	_ = block.As(&values) // the framework has checked the types, and an unknown one has none

	all := settings(&r.configuration)
	for _, s := range all {
		if s.group != "" && !values[s.name].IsNull() {
			r.inBlock[s.group] = true
		}
	}
	for _, s := range all {
		r.choose(s, values[s.name], getenv(s.variable()))
	}
	if len(r.unknown[scopeGroup]) > 0 {
		r.scope = tfkit.Scope{OrgID: types.StringUnknown(), ProjectID: types.StringUnknown(), AccountID: types.StringUnknown()}
	}

	r.refuseFormer(getenv)
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

// refuseFormer reports variables of former versions.
func (r *reading) refuseFormer(getenv func(string) string) {
	for variable, setting := range formerVariables {
		if getenv(variable) != "" {
			r.refuse("The environment variable "+variable+" is not read any more: it is "+setting+" now, in the provider block or in the JSON of ANALYTICS_WIRE.", wireName)
		}
	}
}

// choose reads a setting from the block if that sets it or another one of its group, and otherwise from
// the environment.
func (r *reading) choose(s setting, value tftypes.Value, variable string) {
	var err error
	where := "The setting " + s.name
	switch {
	case !value.IsFullyKnown():
		r.sources[s.name] = "not known yet"
		r.unknown[s.group] = append(r.unknown[s.group], s.name)
	case !value.IsNull():
		r.sources[s.name] = "provider block"
		err = s.apply(textOf(value))
	case r.inBlock[s.group]: // which wins as a whole
	case variable != "":
		r.sources[s.name] = "environment"
		where = "The environment variable " + s.variable()
		err = s.apply(variable)
	}

	if err != nil {
		r.refuse(where+" "+err.Error()+".", s.name)
	}
}

// refuse reports a setting that cannot be used, at an attribute of the block.
func (r *reading) refuse(detail string, attribute ...string) {
	problem := tfkit.Problem{Summary: "Unusable provider configuration", Detail: detail}
	for _, name := range attribute {
		problem.At = problem.At.AtName(name)
	}
	problem.AddError(r.diags)
}

// unknownOfClient returns the settings of the client that are not known yet.
func (r *reading) unknownOfClient() []string {
	return slices.Concat(r.unknown[""], r.unknown[credentialGroup])
}

// newClient returns the client; nil after an error, and while its settings are not known. The lines of the
// error of client.New begin with the setting.
func (r *reading) newClient(cfg client.Config) *client.Client {
	if r.diags.HasError() || len(r.unknownOfClient()) > 0 {
		return nil
	}

	c, err := client.New(cfg)
	if err != nil {
		for problem := range strings.SplitSeq(err.Error(), "\n") {
			name, _, _ := strings.Cut(problem, " ")
			r.refuse("The setting "+problem+".", strings.Split(name, ".")...)
		}
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
	switch {
	case v.As(&text) == nil:
		return text
	case v.As(&truth) == nil:
		return truth
	case v.As(&number) == nil:
		return jsontext.Value(number.Text('f', -1))
	case v.As(&list) == nil:
		all := make([]any, len(list))
		for i, element := range list {
			all[i] = plain(element)
		}
		return all
	}

	var object map[string]tftypes.Value
	_ = v.As(&object)
	all := map[string]any{}
	for name, member := range object {
		if !member.IsNull() {
			all[name] = plain(member)
		}
	}

	return all
}
