// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
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
	r.checkAccess(c, len(r.group(credentialGroup, r.isInBlock)) > 0)
}

// Configure creates the client without a request to the service. Attributes that are not known
// yet are recorded, and reported when a resource or data source needs the service.
func (p *analyticsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	r := newReading(req.Config.Raw, p.getenv, &resp.Diagnostics)
	c := r.complete()
	r.checkAccess(c, true)
	tflog.Debug(ctx, "Sources of the provider configuration", r.sources)
	if resp.Diagnostics.HasError() {
		return
	}

	service := &tfkit.Service{DefaultScope: c.scope, UnknownScope: r.group(scopeGroup, r.isUnknown)}
	if len(service.UnknownScope) > 0 {
		service.DefaultScope = client.Scope{}
	}
	service.Unknown = slices.DeleteFunc(r.unknown, func(name string) bool { return slices.Contains(service.UnknownScope, name) })

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

// ReadEnvironment reads the environment variables for a program beside Terraform. Unlike a
// provider block, they may hold several ways to authenticate and both path families. Problems
// are sentences that never hold a value.
func ReadEnvironment(version string, getenv func(string) string) (cfg client.Config, scope client.Scope, problems []string) {
	var diags diag.Diagnostics
	c := newReading(tftypes.Value{}, getenv, &diags).complete()
	c.UserAgent = (&analyticsProvider{version: version, getenv: getenv}).userAgent("")

	for _, d := range diags.Errors() {
		problems = append(problems, d.Summary()+": "+d.Detail())
	}

	return c.Config, c.scope, problems
}

// complete is configuration with the content of ca_cert_file. It reports an address that is
// missing.
func (r *reading) complete() *configuration {
	c := r.configuration()
	if c.caCertFile != "" {
		pem, err := os.ReadFile(c.caCertFile)
		if err != nil {
			tfkit.Problem{
				Summary: "Invalid value",
				Detail:  "ca_cert_file (or ANALYTICS_CA_CERT_FILE) cannot be read: " + fmt.Sprint(errors.Unwrap(err)) + ".",
				At:      path.Root("ca_cert_file"),
			}.AddError(r.diags)
		}
		c.CACertPEM = pem
	}

	if r.sources["base_url"] == nil {
		tfkit.Problem{
			Summary: "No base_url",
			Detail:  "The address of the service is not configured. There is no default host.",
			Do:      "set base_url in the provider block, or ANALYTICS_BASE_URL in the environment.",
			At:      path.Root("base_url"),
		}.AddError(r.diags)
	}

	return c
}

// checkAccess refuses everything but exactly one way to authenticate, if one is needed, and a
// scope that cannot be used, each once all of it is known. A missing scope can be used:
// resources and data sources may have their own.
func (r *reading) checkAccess(c *configuration, needsCredentials bool) {
	if r.diags.HasError() {
		return
	}

	e, isUnusable := errors.AsType[*transport.CredentialError](c.Credentials.Validate())
	if isUnusable && needsCredentials && len(r.group(credentialGroup, r.isUnknown)) == 0 {
		tfkit.Problem{
			Summary: "Unusable credentials",
			Detail:  "The setting " + e.Error() + ".",
			Do: "give exactly one of email and password, token, or api_secret_key, in the provider block, or as " +
				"ANALYTICS_EMAIL and ANALYTICS_PASSWORD, ANALYTICS_TOKEN, or ANALYTICS_API_SECRET_KEY in the environment. The block wins as a whole.",
			At: path.Root(e.Setting),
		}.AddError(r.diags)
	}

	if err := c.scope.Validate(); err != nil && !c.scope.IsZero() && len(r.group(scopeGroup, r.isUnknown)) == 0 {
		at := path.Root("org_id")
		if c.scope.Account() {
			at = path.Root("account_id")
		}
		tfkit.Problem{Summary: "Unusable scope", Detail: "The scope cannot be used: " + err.Error() + ".", At: at}.AddError(r.diags)
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

// reading reads the settings from a provider block and, where that does not set them, from the
// environment.
type reading struct {
	block  map[string]tftypes.Value // the values that the block sets, known or not, by setting
	getenv func(string) string
	diags  *diag.Diagnostics

	unknown []string       // settings that are not known yet
	sources map[string]any // where the value of each setting comes from, for the log
}

// newReading returns the reading of a provider block; the zero Value is an empty one.
func newReading(block tftypes.Value, getenv func(string) string, diags *diag.Diagnostics) *reading {
	r := &reading{block: members("", block), getenv: getenv, diags: diags, sources: map[string]any{}}
	maps.Copy(r.block, members("wire_", r.block["wire"]))

	return r
}

// members returns the attributes of an object that are set, by their names behind a prefix.
func members(prefix string, object tftypes.Value) map[string]tftypes.Value {
	set := map[string]tftypes.Value{}
	if object.IsNull() || !object.IsKnown() {
		return set
	}

	var all map[string]tftypes.Value
	_ = object.As(&all) // the framework has checked the types
	for name, value := range all {
		if !value.IsNull() {
			set[prefix+name] = value
		}
	}

	return set
}

// configuration takes over every setting that is known, and reports what cannot be used.
func (r *reading) configuration() *configuration {
	to := &configuration{Config: client.Config{Config: transport.Config{MaxRetries: client.DefaultMaxRetries}}}
	if wire, ok := r.block["wire"]; ok && !wire.IsKnown() {
		r.unknown = append(r.unknown, "wire")
	}

	for _, s := range settings {
		value, found := r.value(s)
		if !found {
			continue
		}
		if err := s.apply(to, value); err != nil {
			p := tfkit.Problem{Summary: "Invalid value", Detail: s.name + " " + err.Error() + ".", At: s.path()}
			if r.sources[s.name] == "environment" {
				p.Summary, p.Detail = "Invalid environment variable", "The environment variable "+s.variable()+" "+err.Error()+"."
			}
			p.AddError(r.diags)
		}
	}

	if err := to.Wire.Validate(); err != nil && !r.diags.HasError() {
		tfkit.Problem{Summary: "Invalid value", Detail: "The setting " + err.Error() + ".", At: path.Root("wire")}.AddError(r.diags)
	}
	if strings.HasSuffix(strings.TrimRight(to.BaseURL, "/"), "/v1") {
		tfkit.Problem{
			Summary: "base_url ends in /v1",
			Detail:  "The provider adds /v1 to every path itself. If requests fail with \"Endpoint not found\", remove it from base_url.",
			At:      path.Root("base_url"),
		}.AddWarning(r.diags)
	}

	return to
}

// value returns the value of a setting in the form of its variable, if it is set and known.
func (r *reading) value(s setting) (value string, found bool) {
	if v, isInBlock := r.block[s.name]; isInBlock {
		if !v.IsFullyKnown() {
			r.unknown = append(r.unknown, s.name)
			r.sources[s.name] = "not known yet"
			return "", false
		}
		r.sources[s.name] = "provider block"
		return textOf(v), true
	}

	isOfBlock := s.group != "" && len(r.group(s.group, r.isInBlock)) > 0
	if isOfBlock || strings.HasPrefix(s.name, "wire_") && r.isUnknown("wire") {
		return "", false
	}
	if value = r.getenv(s.variable()); value != "" {
		r.sources[s.name] = "environment"
	}

	return value, value != ""
}

func (r *reading) isInBlock(name string) bool { _, ok := r.block[name]; return ok }

func (r *reading) isUnknown(name string) bool { return slices.Contains(r.unknown, name) }

// group returns the settings of a group that meet a condition.
func (r *reading) group(group string, condition func(name string) bool) (names []string) {
	for _, s := range settings {
		if s.group == group && condition(s.name) {
			names = append(names, s.name)
		}
	}

	return names
}

// textOf returns a known value in the form of its variable.
func textOf(v tftypes.Value) string {
	var text string
	var truth bool
	var number big.Float
	var list []tftypes.Value
	var object map[string]tftypes.Value

	switch {
	case v.As(&text) == nil:
		return text
	case v.As(&truth) == nil:
		return fmt.Sprint(truth)
	case v.As(&number) == nil:
		return number.Text('f', -1)
	case v.As(&list) == nil:
		var texts []string
		for _, element := range list {
			texts = append(texts, textOf(element))
		}
		return strings.Join(texts, ",")
	}

	_ = v.As(&object)
	texts := map[string]string{}
	for name, element := range object {
		texts[name] = textOf(element)
	}
	encoded, _ := json.Marshal(texts)

	return string(encoded)
}
