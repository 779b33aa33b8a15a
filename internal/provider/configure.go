package provider

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
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

// ValidateConfig checks the provider block. The environment is not checked before Configure.
func (p *analyticsProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if isKnown(m.BaseURL) {
		checkBaseURL(m.BaseURL.ValueString(), &resp.Diagnostics)
	}
	if values := m.credentials(); areKnown(values) {
		addCredentialError(&resp.Diagnostics, credentialsOf(presence(credentialNames, values)).Validate())
	}
	if values := m.scope(); areKnown(values) {
		addScopeError(&resp.Diagnostics, scopeOf(presence(scopeNames, values)))
	}
	if headers, ok := knownHeaders(ctx, m.Headers); ok {
		addHeaderError(&resp.Diagnostics, client.ValidateHeaders(headers))
	}
}

// presence returns a placeholder for each value that is given. The values themselves are
// checked by their validators.
func presence(names []string, values []types.String) map[string]string {
	given := map[string]string{}
	for i, name := range names {
		if !values[i].IsNull() {
			given[name] = "present"
		}
	}

	return given
}

// Configure creates the client without a request to the service. Attributes that are not known
// yet are recorded, and reported when a resource or data source needs the service.
func (p *analyticsProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	s := newSettings(p.getenv, &resp.Diagnostics)
	cfg := s.clientConfig(ctx, m)
	cfg.Credentials = s.credentials(m)
	cfg.UserAgent = p.userAgent(req.TerraformVersion)
	cfg.LogIsOff = p.getenv("TF_LOG_PROVIDER_ANALYTICS") == "off"

	service := &tfkit.Service{}
	service.DefaultScope, service.UnknownScope = s.defaultScope(m)
	service.Unknown = s.unknown

	s.logSources(ctx)
	if resp.Diagnostics.HasError() {
		return
	}

	if len(s.unknown) == 0 {
		p.connect(service, cfg, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}

	resp.ResourceData, resp.DataSourceData = service, service
	resp.EphemeralResourceData, resp.ActionData = service, service
	resp.ListResourceData = service
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

// clientConfig returns the configuration of the client without credentials.
func (s *settings) clientConfig(ctx context.Context, m model) client.Config {
	cfg := client.Config{
		BaseURL:  s.text("base_url", m.BaseURL),
		ReadOnly: s.boolean("read_only", m.ReadOnly),
		MaxConcurrency: s.whole("max_concurrency", m.MaxConcurrency,
			limits[int64]{client.DefaultMaxConcurrency, 1, client.LimitMaxConcurrency}),
		RequestsPerSecond: s.number("requests_per_second", m.RequestsPerSecond,
			limits[float64]{0, minRequestsPerSecond, client.LimitRequestsPerSec}),
		RequestTimeout: s.duration("request_timeout", m.RequestTimeout,
			limits[time.Duration]{client.DefaultRequestTimeout, client.MinRequestTimeout, client.LimitRequestTimeout}),
		MaxRetries: s.whole("max_retries", m.MaxRetries,
			limits[int64]{client.DefaultMaxRetries, 0, client.LimitMaxRetries}),
		CACertPEM: s.certificates(m),
		Headers:   s.headers(ctx, m),
		Wire:      s.wire(ctx, m),
	}

	if !m.BaseURL.IsUnknown() {
		checkBaseURL(cfg.BaseURL, s.diags)
	}

	return cfg
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

	tfkit.Problem{
		Summary: "Unusable credentials",
		Detail:  "The setting " + e.Error() + ".",
		Do: "give exactly one of email and password, token, or api_secret_key, in the provider block, or as " +
			envName("email") + " and " + envName("password") + ", " + envName("token") + ", or " + envName("api_secret_key") + " in the environment. The block wins as a whole.",
		At: path.Root(e.Setting),
	}.AddError(diags)
}

func (s *settings) defaultScope(m model) (client.Scope, []string) {
	read, unknown := s.group(scopeNames, m.scope())
	if len(unknown) > 0 {
		return client.Scope{}, unknown
	}

	scope := scopeOf(read)
	addScopeError(s.diags, scope)

	return scope, nil
}

func scopeOf(read map[string]string) client.Scope {
	return client.Scope{OrgID: read["org_id"], ProjectID: read["project_id"], AccountID: read["account_id"]}
}

// addScopeError reports a scope that cannot be used. A missing scope can: resources and data
// sources may have their own.
func addScopeError(diags *diag.Diagnostics, scope client.Scope) {
	if scope.IsZero() {
		return
	}

	err := scope.Validate()
	if err == nil {
		return
	}

	at := path.Root("org_id")
	if scope.Account() {
		at = path.Root("account_id")
	}
	tfkit.Problem{Summary: "Unusable scope", Detail: "The scope cannot be used: " + err.Error() + ".", At: at}.AddError(diags)
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

// reasonOf returns the text of an error of the file system without the path.
func reasonOf(err error) string {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		return at.Err.Error()
	}
	return "it is not a readable file"
}

func (s *settings) headers(ctx context.Context, m model) map[string]string {
	value, fromEnv := s.env("headers", m.Headers)
	if fromEnv {
		return s.parseHeaders(value)
	}

	headers, known := knownHeaders(ctx, m.Headers)
	if !known && !m.Headers.IsNull() && !m.Headers.IsUnknown() {
		s.unknown = append(s.unknown, "headers")
	}

	return headers
}

// parseHeaders parses the headers of the environment.
func (s *settings) parseHeaders(value string) map[string]string {
	var headers map[string]string
	if err := json.Unmarshal([]byte(value), &headers); err != nil {
		s.refuseEnv("headers", "must be a JSON object of strings")
		return nil
	}

	addHeaderError(s.diags, client.ValidateHeaders(headers))
	return headers
}

// knownHeaders returns the headers, or false unless all of them are known.
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
		tfkit.Problem{Summary: "Unusable headers", Detail: "The map " + err.Error() + ".", At: path.Root("headers")}.AddError(diags)
	}
}

func (s *settings) wire(ctx context.Context, m model) client.Wire {
	if m.Wire.IsUnknown() {
		s.unknown = append(s.unknown, "wire")
		return client.Wire{}
	}

	var w wireModel
	if !m.Wire.IsNull() {
		s.diags.Append(m.Wire.As(ctx, &w, basetypes.ObjectAsOptions{})...)
	}

	wire := client.Wire{
		LoginParametersIn:   s.text("wire_login_parameters_in", w.LoginParametersIn),
		ConsentParametersIn: s.text("wire_consent_parameters_in", w.ConsentParametersIn),
		AgreementTimeFormat: s.text("wire_agreement_time_format", w.AgreementTimeFormat),
	}
	s.answerWire(w.answerWireModel, &wire)
	s.exportWire(w.exportWireModel, &wire)

	if err := wire.Validate(); err != nil {
		tfkit.Problem{Summary: "Invalid value", Detail: "The setting " + err.Error() + ".", At: path.Root("wire")}.AddError(s.diags)
	}

	return wire
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
