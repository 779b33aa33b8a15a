// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSourceWithConfigure = (*profileDataSource)(nil)

// NewDataSource returns the data source analytics_profile.
func NewDataSource() datasource.DataSource { return &profileDataSource{} }

type profileDataSource struct{ tfkit.DataSource }

// dataSourceModel is the model of the data source analytics_profile.
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
		Attributes:          dataSourceAttributes(),
	}
}

// dataSourceAttributes returns the attributes of the data source, which the ephemeral
// resource has as well.
func dataSourceAttributes() map[string]schema.Attribute {
	return tfkit.AddPerson(map[string]schema.Attribute{
		"profile": schema.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			MarkdownDescription: "Profile as the text of a JSON object with sorted members, for `jsondecode`. Sensitive.",
		},
	})
}

func (d *profileDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if !m.read(ctx, d.Service, &resp.Diagnostics) {
		return
	}

	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// read asks the service for the person's profile, and reports whether it answered.
func (m *dataSourceModel) read(ctx context.Context, s *tfkit.Service, diags *diag.Diagnostics) bool {
	c, scope, ok := s.ClientAndScope(m.Scope, diags)
	if !ok {
		return false
	}

	profile, err := c.GetProfile(ctx, scope, m.IdentityID.ValueString(), nil)
	if err != nil {
		tfkit.AddError(diags, err, tfkit.NotInState)
		return false
	}

	m.Profile = types.StringValue(customtypes.NewJSONObject(profile.Members).ValueString())

	return true
}
