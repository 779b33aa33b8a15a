// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSource = (*profileDataSource)(nil)

// NewDataSource returns the data source analytics_profile.
func NewDataSource(s *tfkit.Service) datasource.DataSource { return &profileDataSource{s} }

// NewEphemeralResource returns the ephemeral resource analytics_profile.
func NewEphemeralResource(s *tfkit.Service) ephemeral.EphemeralResource {
	return tfkit.NewEphemeral(&profileDataSource{s}, "Reads the profile of one person and stores it neither in plan nor in state.")
}

type profileDataSource struct{ *tfkit.Service }

type dataSourceModel struct {
	tfkit.Identity
	Profile types.String `tfsdk:"profile"`
}

func (d *profileDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_profile"
}

func (d *profileDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the profile of one person as the service holds it now. A person without a profile is an error.",
		Attributes: tfkit.AddPerson(tfkit.TextAttribute.DataSource, map[string]schema.Attribute{
			"profile": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "Profile as the text of a JSON object with sorted members, for `jsondecode`. Sensitive.",
			},
		}),
	}
}

func (d *profileDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	c, scope, ok := d.ClientAndScope(m.Scope, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !ok {
		return
	}

	profile, err := c.GetProfile(ctx, client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, nil)
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NotInState).AddError(&resp.Diagnostics)
		return
	}

	m.Profile = types.StringValue(jsonvalue.FormatObject(profile.Members))
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
