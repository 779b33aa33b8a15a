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
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
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

// wireBlock returns the schema of the block wire. Its groups are blocks too, since Terraform drops
// members of an object that the schema does not have, and refuses them in a block. The names are
// those of client.Wire, which also checks the values.
func wireBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Map of the service, for what the interface description leaves open. `doctor` prints the block that your service needs. Environment variable: `ANALYTICS_WIRE`, the block as JSON.",
		Attributes: map[string]schema.Attribute{
			"envelope": text("JSON Pointer to the content of every answer, such as `/data`. By default, the answer itself is the content."),
			"ignored":  table(types.StringType, "What stands beside the content of an answer and says nothing: JSON Pointers to single values, each with the value expected, or `*` for any, such as `{ \"/success\" = \"true\" }`."),
			"lag":      text("How long any reading may lag behind the service, up to `10m`. Defaults to `" + client.DefaultLag + "`."),
			"absent":   words("Answers that say that there is nothing about a person: " + listOf(client.AbsentForms) + " (a 200 without content). `any_404` is not a page of HTML. Defaults to `json_404`."),
		},
		Blocks: map[string]schema.Block{
			"result": group("What answers with a status of success say of the request, where a service says it by a word or a number.", map[string]schema.Attribute{
				"at":      text("JSON Pointer to the word, such as `/code`."),
				"success": words("Words that say that all is well, such as `[\"0\"]`. A reading with another word is refused."),
				"absent":  words("Words that say that there is nothing about a person, such as `[\"40400\"]`."),
			}),
			"login": group("The login.", map[string]schema.Attribute{
				"parameters_in": choice("Where a login carries e-mail and password.", client.Placements),
			}),
			"consent": group("Consent records.", map[string]schema.Attribute{
				"parameters_in": choice("Where an update carries its fields.", client.Placements),
				"at":            text("JSON Pointer to the record. By default, it is the outermost object with all five clauses."),
				"omits_false":   flag("Whether the record has no clauses that are false. A missing clause is then false. Defaults to `false`."),
				"time_format":   choice("Format in which `agreement_time` is sent. `utc` has no zone.", client.TimeFormats),
				"time_answered": text("Format in which the service answers with `agreement_time`, one of those of `time_format`, which it defaults to. `rfc3339` and `unix_ms` are always read."),
				"time_kept":     choice("How exactly the service keeps `agreement_time`. `service` sets the time itself.", client.TimesKept),
				"altered":       words("Fields that the service does not show as they were sent: " + listOf(client.Alterable) + "."),
			}),
			"profile": group("Profiles.", map[string]schema.Attribute{
				"at": text("JSON Pointer to the profile. An empty one says that the answer itself is the profile, also where it looks like an envelope."),
			}),
			"pending": group("The list of pending requests. `identity`, `id`, `type`, `status` and `created` are JSON Pointers that lead from a record.", map[string]schema.Attribute{
				"at":       text("JSON Pointer to the list. By default, it is the answer itself, or the only array in it."),
				"next":     text("JSON Pointer, from the top of the answer, to the address of the next page. `Link` headers are followed without it."),
				"total":    text("JSON Pointer, from the top of the answer, to the number of all records."),
				"empty":    flag("Whether an answer with nothing in it, such as `{}`, is an empty list. Defaults to `false`."),
				"use":      choice("How the list is used before a request is sent: it must be understood as a whole, what is understood counts as the whole, or it is not read.", client.ListUses),
				"identity": text("JSON Pointer to the person. The usual names are recognised."),
				"id":       text("JSON Pointer to the identifier of the request. The usual names are recognised."),
				"type":     text("JSON Pointer to the operation. The usual names are recognised."),
				"status":   text("JSON Pointer to the status. The usual names are recognised."),
				"created":  text("JSON Pointer to the time of the request. The usual names are recognised."),
				"types":    table(textSet, "Words for the operation, by `data_access`, `data_deletion` and `profile_update`, such as `{ data_deletion = [\"purge\"] }`."),
				"statuses": table(textSet, "Words for the status, by "+listOf(decode.StatusMeanings)+", such as `{ ended = [\"closed\"] }`. An unknown status counts as waiting."),
			}),
			"all_data": group("All data of a person.", map[string]schema.Attribute{
				"at":         text("JSON Pointer to the data. If set, an answer is the data exactly if something is there."),
				"media_type": text("Media type of data that is not JSON, such as `application/zip`. It is written as it comes."),
			}),
			"export": group("Exports. The keys of its maps are `persons`, `sessions` and `events`.", map[string]schema.Attribute{
				"kind_parameter": text("Name of the query parameter that selects the kind of records. By default none is sent."),
				"kind_values":    table(types.StringType, "Values of `kind_parameter`. Defaults to `person`, `session` and `event`."),
				"at":             table(types.StringType, "JSON Pointers to the records of each kind."),
				"kind":           text("JSON Pointer from a record to the word for its kind."),
				"kinds":          table(textSet, "Words for the kinds, which `kind` leads to."),
				"record":         table(types.StringType, "JSON Pointers from a record of each kind to a value that every record has, such as its identifier."),
				"next":           text("JSON Pointer, from the top of the answer, to the address of the next page. `Link` headers are followed without it."),
				"total":          text("JSON Pointer, from the top of the answer, to the number of all records."),
				"lines":          flag("Whether an answer of one object is one record, and not an envelope. Defaults to `false`."),
				"empty":          flag("Whether an answer without content, or with nothing in it, such as `{}`, is a day without records. Defaults to `false`."),
				"invalid_utf8":   choice("What happens to bytes that are not UTF-8: they are an error, or are replaced by U+FFFD.", client.InvalidUses),
			}),
		},
	}
}

// textSet is a set of words.
var textSet = types.SetType{ElemType: types.StringType}

func group(description string, attributes map[string]schema.Attribute) schema.Block {
	return schema.SingleNestedBlock{MarkdownDescription: description, Attributes: attributes}
}

func words(description string) schema.Attribute {
	return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
}

func table(of attr.Type, description string) schema.Attribute {
	return schema.MapAttribute{Optional: true, ElementType: of, MarkdownDescription: description}
}

// choice returns the attribute of a setting with few values, the first of which is the default.
func choice(description string, accepted []string) schema.Attribute {
	return text(description + " One of " + listOf(accepted) + ". Defaults to `" + accepted[0] + "`.")
}

func listOf(accepted []string) string { return "`" + strings.Join(accepted, "`, `") + "`" }
