// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// configuration is what a provider block and the environment configure.
type configuration struct {
	client.Config

	scope tfkit.Scope
}

// Groups of settings. Those of credentials and of the scope come from one place as a whole: from
// the block if it sets any of them, and from the environment otherwise.
const (
	credentialGroup = "credentials"
	scopeGroup      = "scope"
)

// setting is one attribute of the provider block, or the block wire. Schema, validation, Configure
// and the environment are made from the list of all settings.
type setting struct {
	name      string
	attribute func(description string) schema.Attribute // nil for the block
	group     string
	// apply takes over a value, which has the form of the variable. The error completes a sentence
	// about the attribute, and never holds the value. What concerns the client is checked by client.New.
	apply       func(value string) error
	description string
}

// variable returns the name of the environment variable.
func (s setting) variable() string { return "ANALYTICS_" + strings.ToUpper(s.name) }

// minRequestsPerSecond is the lowest limit that does not look like a hang.
const minRequestsPerSecond = 0.01

// wireName is the name of the block wire.
const wireName = "wire"

// formerVariables are the variables that held one setting of the block wire each, and the setting.
var formerVariables = map[string]string{
	"ANALYTICS_WIRE_LOGIN_PARAMETERS_IN":     "wire.login.parameters_in",
	"ANALYTICS_WIRE_CONSENT_PARAMETERS_IN":   "wire.consent.parameters_in",
	"ANALYTICS_WIRE_AGREEMENT_TIME_FORMAT":   "wire.consent.time_format",
	"ANALYTICS_WIRE_EXPORT_KIND_PARAMETER":   "wire.export.kind_parameter",
	"ANALYTICS_WIRE_EXPORT_KIND_VALUES":      "wire.export.kind_values",
	"ANALYTICS_WIRE_EXPORT_INVALID_UTF8":     "wire.export.invalid_utf8",
	"ANALYTICS_WIRE_EXPORT_RECORD_MEMBER":    "wire.export.record",
	"ANALYTICS_WIRE_EXPORT_IGNORED_MEMBERS":  "wire.ignored",
	"ANALYTICS_WIRE_PENDING_IDENTITY_FIELD":  "wire.pending.identity",
	"ANALYTICS_WIRE_PENDING_IGNORED_MEMBERS": "wire.ignored",
	"ANALYTICS_WIRE_PENDING_LIST":            "wire.pending.use",
	"ANALYTICS_WIRE_PENDING_LIST_LAG":        "wire.lag",
	"ANALYTICS_WIRE_ENDED_STATUSES":          "wire.pending.statuses",
	"ANALYTICS_WIRE_PROFILE_MEMBER":          "wire.profile.at",
	"ANALYTICS_WIRE_ALL_DATA_MEMBER":         "wire.all_data.at",
}

// settings returns all settings, which are taken over into a configuration.
func settings(to *configuration) []setting {
	concurrency := within(strconv.Atoi, "a whole number", 1, client.LimitMaxConcurrency)
	rate := within(parseJSON[float64]("a number"), "a number", minRequestsPerSecond, client.LimitRequestsPerSec)
	timeout := within(time.ParseDuration, "a duration such as 45s,", client.MinRequestTimeout, client.LimitRequestTimeout)
	retries := within(strconv.Atoi, "a whole number", 0, client.LimitMaxRetries)
	credentials := &to.Credentials

	return []setting{
		{"base_url", text, "", take(&to.BaseURL, parseText), "Address of the service, such as `https://analytics.example.com`. Required, here or in the environment. Plain `http` is accepted only for the local machine."},
		{"ca_cert_file", text, "", take(&to.CACertPEM, parseFile), "PEM file with certificates to trust in addition to the system's own."},
		{"headers", secretMap, "", take(&to.Headers, parseJSON[map[string]string]("a JSON object of strings")), "Additional headers of every request, for gateways; in the environment, a JSON object of strings. `Authorization` and `Idempotency-Key` are refused. Sensitive."},
		{"read_only", flag, "", take(&to.ReadOnly, parseJSON[bool]("true or false")), "Whether to refuse every write, in the plan already. Defaults to `false`."},
		{"max_concurrency", number, "", take(&to.MaxConcurrency, concurrency), fmt.Sprintf("Maximum number of requests at once, from 1 to %d. Terraform's `-parallelism` also applies. Defaults to %d.", client.LimitMaxConcurrency, client.DefaultMaxConcurrency)},
		{"requests_per_second", number, "", take(&to.RequestsPerSecond, rate), fmt.Sprintf("Maximum number of requests per second, from %v to %d. Not limited by default.", minRequestsPerSecond, client.LimitRequestsPerSec)},
		{"request_timeout", text, "", take(&to.RequestTimeout, timeout), fmt.Sprintf("Time limit of one attempt of a request, from %s to %s. Defaults to %s.", client.MinRequestTimeout, client.LimitRequestTimeout, client.DefaultRequestTimeout)},
		{"max_retries", number, "", take(&to.MaxRetries, retries), fmt.Sprintf("Maximum number of retries of a request that failed temporarily, from 0 to %d. Defaults to %d.", client.LimitMaxRetries, client.DefaultMaxRetries)},

		{"email", text, credentialGroup, take(&credentials.Email, credential("email")), "E-mail address to log in with. Requires `password`."},
		{"password", secret, credentialGroup, take(&credentials.Password, credential("password")), "Password to log in with. Requires `email`. Sensitive."},
		{"token", secret, credentialGroup, take(&credentials.Token, credential("token")), "JSON Web Token from elsewhere, without `bearer`. The provider cannot renew it. Conflicts with the other credentials. Sensitive."},
		{"api_secret_key", secret, credentialGroup, take(&credentials.APISecretKey, credential("api_secret_key")), "Secret key of the project's API configuration. Conflicts with the other credentials. Sensitive."},

		{"org_id", text, scopeGroup, take(&to.scope.OrgID, parseSegment), "Organization of all resources without a scope of their own. Requires `project_id`."},
		{"project_id", text, scopeGroup, take(&to.scope.ProjectID, parseSegment), "Project of all resources without a scope of their own. Requires `org_id`."},
		{"account_id", text, scopeGroup, take(&to.scope.AccountID, parseSegment), "Account of all resources without a scope of their own, in the older path family."},

		{name: wireName, apply: take(&to.Wire, parseWire)},
	}
}

// take returns the apply of a setting that parse reads into a field. The error of parse never holds
// the value.
func take[T any](field *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		*field, err = parse(value)
		return err
	}
}

// within bounds what parse reads. what is what the value must be.
func within[T cmp.Ordered](parse func(string) (T, error), what string, from, to T) func(string) (T, error) {
	return func(value string) (T, error) {
		v, err := parse(value)
		if err != nil || v < from || v > to {
			err = fmt.Errorf("must be %s from %v to %v", what, from, to)
		}
		return v, err
	}
}

// parseJSON returns what reads a JSON value other than null. what is what the value must be.
func parseJSON[T any](what string) func(string) (T, error) {
	return func(value string) (v T, err error) {
		to := &v
		if json.Unmarshal([]byte(value), &to) != nil || to == nil {
			err = errors.New("must be " + what)
		}
		return v, err
	}
}

// credential returns what checks a credential.
func credential(name string) func(string) (string, error) {
	return func(value string) (string, error) { return value, client.ValidateSecret(name, value) }
}

func parseText(value string) (string, error) { return value, nil }

func parseSegment(value string) (types.String, error) {
	return types.StringValue(value), client.ValidateSegment(value)
}

func parseWire(value string) (client.Wire, error) { return client.ParseWire([]byte(value)) }

func parseFile(value string) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	content, err := os.ReadFile(value)
	if err != nil {
		return nil, fmt.Errorf("names a file that cannot be read: %w", errors.Unwrap(err))
	}
	return content, nil
}

func (p *analyticsProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	attributes := map[string]schema.Attribute{}
	for _, s := range settings(&configuration{}) {
		if s.attribute != nil {
			attributes[s.name] = s.attribute(s.description + " Environment variable: `" + s.variable() + "`.")
		}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent, the profiles and the data requests of people at a product analytics service, and exports its records.",
		Attributes:          attributes,
		Blocks:              map[string]schema.Block{wireName: wireBlock()},
	}
}

func text(description string) schema.Attribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description}
}

func secret(description string) schema.Attribute {
	return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: description}
}

func secretMap(description string) schema.Attribute {
	return schema.MapAttribute{Optional: true, Sensitive: true, ElementType: types.StringType, MarkdownDescription: description}
}

func number(description string) schema.Attribute {
	return schema.NumberAttribute{Optional: true, MarkdownDescription: description}
}

func flag(description string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}
