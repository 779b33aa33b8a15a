package provider

import (
	"context"
	"errors"
	"os"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	credentialNames = []string{"email", "password", "token", "api_secret_key"}
	scopeNames      = []string{"org_id", "project_id", "account_id"}
)

func (m model) credentials() []types.String {
	return []types.String{m.Email, m.Password, m.Token, m.APISecretKey}
}

func (m model) scope() []types.String { return []types.String{m.OrgID, m.ProjectID, m.AccountID} }

// ValidateConfig checks what can be checked of the block alone: the environment
// is read when the provider is configured.
func (p *analyticsProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !m.BaseURL.IsNull() && !m.BaseURL.IsUnknown() {
		checkBaseURL(m.BaseURL.ValueString(), &resp.Diagnostics)
	}
	if values := m.credentials(); anyGiven(values) && !anyUnknown(values) {
		addCredentialError(&resp.Diagnostics, credentialsOf(presence(credentialNames, values)).Validate())
	}
	if values := m.scope(); anyGiven(values) && !anyUnknown(values) {
		addScopeError(&resp.Diagnostics, scopeOf(presence(scopeNames, values)))
	}
	if headers, ok := knownHeaders(ctx, m.Headers); ok {
		addHeaderError(&resp.Diagnostics, client.ValidateHeaders(headers))
	}
}

// presence stands for values of which only the presence counts here; what they
// contain is for their own validators.
func presence(names []string, values []types.String) map[string]string {
	read := map[string]string{}
	for i, name := range names {
		if !values[i].IsNull() {
			read[name] = "present"
		}
	}
	return read
}

// Configure builds the client and contacts nothing. What is not known yet is
// remembered, and asked for when an object needs the service.
func (p *analyticsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	s := newSettings(p.getenv, &resp.Diagnostics)
	cfg := s.clientConfig(ctx, m)
	cfg.UserAgent = p.userAgent(req.TerraformVersion)
	service := &tfkit.Service{}
	service.DefaultScope, service.UnknownScope = s.defaultScope(m)
	service.Unknown = s.unknown
	s.logSources(ctx)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, change := range p.options {
		change(&cfg)
	}
	if len(s.unknown) == 0 {
		c, err := client.New(cfg)
		if err != nil {
			resp.Diagnostics.AddError("Unusable provider configuration", "The setting "+err.Error()+".")
			return
		}
		service.Client, service.Deferred = c, deferred.NewEngine(c)
	}
	resp.ResourceData, resp.DataSourceData = service, service
}

func (s *settings) clientConfig(ctx context.Context, m model) client.Config {
	cfg := client.Config{
		BaseURL:     s.text("base_url", m.BaseURL),
		Credentials: s.credentials(m),
		ReadOnly:    s.boolean("read_only", m.ReadOnly),
		MaxConcurrency: s.whole("max_concurrency", m.MaxConcurrency,
			client.DefaultMaxConcurrency, 1, client.LimitMaxConcurrency),
		RequestsPerSecond: s.number("requests_per_second", m.RequestsPerSecond, minRequestsPerSecond, client.LimitRequestsPerSec),
		RequestTimeout: s.duration("request_timeout", m.RequestTimeout,
			client.DefaultRequestTimeout, client.MinRequestTimeout, client.LimitRequestTimeout),
		MaxRetries: s.whole("max_retries", m.MaxRetries, client.DefaultMaxRetries, 0, client.LimitMaxRetries),
		CACertPEM:  s.certificates(m),
		Headers:    s.headers(ctx, m),
		Wire:       s.wire(ctx, m),
	}
	if !m.BaseURL.IsUnknown() {
		checkBaseURL(cfg.BaseURL, s.diags)
	}
	return cfg
}

func checkBaseURL(value string, diags *diag.Diagnostics) {
	u, err := client.ParseBaseURL(value)
	if err != nil {
		diags.AddAttributeError(path.Root("base_url"), "Unusable base_url",
			"The setting "+err.Error()+".\n\nWhat to do: set base_url in the provider block, or ANALYTICS_BASE_URL in the environment. There is no default host.")
		return
	}
	if strings.HasSuffix(u.Path, "/v1") {
		diags.AddAttributeWarning(path.Root("base_url"), "base_url ends in /v1",
			"The provider adds /v1 to every path itself. If requests fail with \"Endpoint not found\", remove it from base_url.")
	}
}

func (s *settings) credentials(m model) client.Credentials {
	read, unknown := s.group(credentialNames, m.credentials())
	if len(unknown) > 0 {
		s.unknown = append(s.unknown, unknown...)
		return client.Credentials{}
	}
	c := credentialsOf(read)
	addCredentialError(s.diags, c.Validate())
	return c
}

func credentialsOf(read map[string]string) client.Credentials {
	return client.Credentials{Email: read["email"], Password: read["password"], Token: read["token"], APISecretKey: read["api_secret_key"]}
}

func addCredentialError(diags *diag.Diagnostics, err error) {
	var e *client.CredentialError
	if !errors.As(err, &e) {
		return
	}
	diags.AddAttributeError(path.Root(e.Setting), "Unusable credentials", "The setting "+e.Error()+".\n\n"+
		"What to do: give exactly one of email and password, token, or api_secret_key, in the provider block, or as "+
		envName("email")+" and "+envName("password")+", "+envName("token")+", or "+envName("api_secret_key")+" in the environment. The block wins as a whole.")
}

func (s *settings) defaultScope(m model) (client.Scope, []string) {
	read, unknown := s.group(scopeNames, m.scope())
	if len(unknown) > 0 {
		return client.Scope{}, unknown
	}
	addScopeError(s.diags, scopeOf(read))
	return scopeOf(read), nil
}

func scopeOf(read map[string]string) client.Scope {
	return client.Scope{OrgID: read["org_id"], ProjectID: read["project_id"], AccountID: read["account_id"]}
}

// addScopeError accepts a missing scope: objects can name their own.
func addScopeError(diags *diag.Diagnostics, scope client.Scope) {
	if scope.IsZero() {
		return
	}
	if err := scope.Validate(); err != nil {
		at := path.Root("org_id")
		if scope.Account() {
			at = path.Root("account_id")
		}
		diags.AddAttributeError(at, "Unusable scope", "The scope cannot be used: "+err.Error()+".")
	}
}

func (s *settings) certificates(m model) []byte {
	file := s.text("ca_cert_file", m.CACertFile)
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		s.refuse("ca_cert_file", "cannot be read: "+reasonOf(err))
	}
	return pem
}

// reasonOf is an error of the file system without the path in it.
func reasonOf(err error) string {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		return at.Err.Error()
	}
	return "it is not a readable file"
}

func (s *settings) headers(ctx context.Context, m model) map[string]string {
	value, fromEnv := s.env("headers", m.Headers)
	if fromEnv {
		var headers map[string]string
		if err := json.Unmarshal([]byte(value), &headers); err != nil {
			s.refuseEnv("headers", "must be a JSON object of strings")
			return nil
		}
		addHeaderError(s.diags, client.ValidateHeaders(headers))
		return headers
	}
	headers, known := knownHeaders(ctx, m.Headers)
	if !known && !m.Headers.IsNull() && !m.Headers.IsUnknown() {
		s.unknown = append(s.unknown, "headers")
	}
	return headers
}

// knownHeaders gives the headers where all of them are known.
func knownHeaders(ctx context.Context, m types.Map) (map[string]string, bool) {
	if m.IsNull() || m.IsUnknown() {
		return nil, false
	}
	headers := map[string]string{}
	for name, v := range m.Elements() {
		text, ok := v.(basetypes.StringValuable)
		if !ok || v.IsUnknown() {
			return nil, false
		}
		value, _ := text.ToStringValue(ctx)
		headers[name] = value.ValueString()
	}
	return headers, true
}

func addHeaderError(diags *diag.Diagnostics, err error) {
	if err != nil {
		diags.AddAttributeError(path.Root("headers"), "Unusable headers", "The map "+err.Error()+".")
	}
}

func (s *settings) wire(ctx context.Context, m model) client.Wire {
	var w wireModel
	if m.Wire.IsUnknown() {
		s.unknown = append(s.unknown, "wire")
		return client.Wire{}
	}
	if !m.Wire.IsNull() {
		s.diags.Append(m.Wire.As(ctx, &w, basetypes.ObjectAsOptions{})...)
	}
	wire := client.Wire{
		LoginParametersIn:   s.text("wire_login_parameters_in", w.LoginParametersIn),
		ConsentParametersIn: s.text("wire_consent_parameters_in", w.ConsentParametersIn),
		AgreementTimeFormat: s.text("wire_agreement_time_format", w.AgreementTimeFormat),

		PendingIdentityField: s.text("wire_pending_identity_field", w.PendingIdentityField),
		PendingListLag:       s.text("wire_pending_list_lag", w.PendingListLag),
	}
	s.exportWire(w.exportWireModel, &wire)
	if err := wire.Validate(); err != nil {
		s.diags.AddAttributeError(path.Root("wire"), "Invalid value", "The setting "+err.Error()+".")
	}
	return wire
}

// userAgent names the provider, the program that runs it, and what the
// environment adds.
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
