package provider

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// model holds the attributes of the provider block.
type model struct {
	BaseURL           types.String  `tfsdk:"base_url"`
	Email             types.String  `tfsdk:"email"`
	Password          types.String  `tfsdk:"password"`
	Token             types.String  `tfsdk:"token"`
	APISecretKey      types.String  `tfsdk:"api_secret_key"`
	OrgID             types.String  `tfsdk:"org_id"`
	ProjectID         types.String  `tfsdk:"project_id"`
	AccountID         types.String  `tfsdk:"account_id"`
	ReadOnly          types.Bool    `tfsdk:"read_only"`
	MaxConcurrency    types.Int64   `tfsdk:"max_concurrency"`
	RequestsPerSecond types.Float64 `tfsdk:"requests_per_second"`
	RequestTimeout    types.String  `tfsdk:"request_timeout"`
	MaxRetries        types.Int64   `tfsdk:"max_retries"`
	CACertFile        types.String  `tfsdk:"ca_cert_file"`
	Headers           types.Map     `tfsdk:"headers"`
	Wire              types.Object  `tfsdk:"wire"`
}

// wireModel holds the attributes of the nested object wire.
type wireModel struct {
	LoginParametersIn   types.String `tfsdk:"login_parameters_in"`
	ConsentParametersIn types.String `tfsdk:"consent_parameters_in"`
	AgreementTimeFormat types.String `tfsdk:"agreement_time_format"`

	answerWireModel
	exportWireModel
}

// fromEnv returns the last sentence of a description, which names the environment variable.
func fromEnv(name string) string { return " Environment variable: `" + envName(name) + "`." }

// envName returns the environment variable of an attribute.
func envName(attribute string) string { return "ANALYTICS_" + strings.ToUpper(attribute) }

func (p *analyticsProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent, the profiles and the data requests of people at a product analytics service, and exports its records.",
		Attributes:          merge(connectionAttributes(), credentialAttributes(), scopeAttributes(), limitAttributes()),
	}
}

func merge(groups ...map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{}
	for _, group := range groups {
		maps.Copy(all, group)
	}

	return all
}

func connectionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"base_url": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Address of the service, such as `https://analytics.example.com`. Required, here or in the environment. Plain `http` is accepted only for the local machine." + fromEnv("base_url"),
		},
		"ca_cert_file": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "PEM file with certificates to trust in addition to the system's own." + fromEnv("ca_cert_file"),
		},
		"headers": schema.MapAttribute{
			Optional:    true,
			Sensitive:   true,
			ElementType: types.StringType,
			MarkdownDescription: "Additional headers of every request, for gateways. `Authorization` and `Idempotency-Key` are refused. Sensitive." +
				fromEnv("headers") + " Its value is a JSON object of strings.",
		},
		"wire": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Settings for what the interface description leaves open. `doctor` prints those that your service needs. Each has an environment variable `ANALYTICS_WIRE_…`.",
			Attributes:          wireAttributes(),
		},
	}
}

func wireAttributes() map[string]schema.Attribute {
	choice := func(name, text string, accepted []string) schema.Attribute {
		return schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{stringvalidator.OneOf(accepted...)},
			MarkdownDescription: text + " One of `" + strings.Join(accepted, "`, `") + "`. Defaults to `" + accepted[0] + "`." + fromEnv("wire_"+name),
		}
	}

	attributes := map[string]schema.Attribute{
		"login_parameters_in":   choice("login_parameters_in", "Where a login carries e-mail and password.", client.Placements),
		"consent_parameters_in": choice("consent_parameters_in", "Where a consent update carries its fields.", client.Placements),
		"agreement_time_format": choice("agreement_time_format", "Format in which `agreement_time` is sent.", client.TimeFormats),
	}
	maps.Copy(attributes, answerWireAttributes())
	maps.Copy(attributes, exportWireAttributes())

	return attributes
}

func credentialAttributes() map[string]schema.Attribute {
	secret := func(name, text string) schema.Attribute {
		return schema.StringAttribute{
			Optional:            true,
			Sensitive:           name != "email",
			MarkdownDescription: text + fromEnv(name),
			Validators:          []validator.String{secretValidator{name}},
		}
	}

	return map[string]schema.Attribute{
		"email":          secret("email", "E-mail address to log in with. Requires `password`."),
		"password":       secret("password", "Password to log in with. Requires `email`. Sensitive."),
		"token":          secret("token", "JSON Web Token from elsewhere, without `bearer`. The provider cannot renew it. Conflicts with the other credentials. Sensitive."),
		"api_secret_key": secret("api_secret_key", "Secret key of the project's API configuration. Conflicts with the other credentials. Sensitive."),
	}
}

func scopeAttributes() map[string]schema.Attribute {
	part := func(name, text string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: text + fromEnv(name), Validators: []validator.String{tfkit.Segment()}}
	}

	return map[string]schema.Attribute{
		"org_id":     part("org_id", "Organization of all resources without a scope of their own. Requires `project_id`."),
		"project_id": part("project_id", "Project of all resources without a scope of their own. Requires `org_id`."),
		"account_id": part("account_id", "Account of all resources without a scope of their own, in the older path family."),
	}
}
