// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSource = (*consentDataSource)(nil)

// NewDataSource returns the data source analytics_consent.
func NewDataSource(s *tfkit.Service) datasource.DataSource { return &consentDataSource{s} }

// NewEphemeralResource returns the ephemeral resource analytics_consent.
func NewEphemeralResource(s *tfkit.Service) ephemeral.EphemeralResource {
	return tfkit.NewEphemeral(&consentDataSource{s}, "Reads the consent of one person and stores it neither in plan nor in state.")
}

type consentDataSource struct{ *tfkit.Service }

type dataSourceModel struct {
	tfkit.Identity
	recordModel
	JSON types.String `tfsdk:"json"`
}

func (d *consentDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent"
}

func (d *consentDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"json": schema.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			MarkdownDescription: "Complete answer of the service as JSON. Sensitive.",
		},
	}
	for name, text := range fieldTexts {
		text += " May be null."
		switch new(choice.Record).Field(name).(type) {
		case *bool:
			attributes[name] = schema.BoolAttribute{Computed: true, MarkdownDescription: text}
		default:
			attributes[name] = schema.StringAttribute{Computed: true, Sensitive: name == "user_ipv6", MarkdownDescription: text}
		}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the consent of one person as the service holds it now. A person without a consent record is an error.",
		Attributes:          tfkit.AddPerson(tfkit.TextAttribute.DataSource, attributes),
	}
}

func (d *consentDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	c, scope, ok := d.ClientAndScope(m.Scope, &resp.Diagnostics)
	if !ok {
		return
	}

	held, err := c.GetConsent(ctx, client.Person{Scope: scope, Identity: m.IdentityID.ValueString()})
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NotInState).AddError(&resp.Diagnostics)
		return
	}

	m.fromAPI(held)
	m.JSON = types.StringValue(string(held.JSON))

	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
