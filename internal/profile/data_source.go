package profile

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSourceWithConfigure = (*profileDataSource)(nil)

// NewDataSource is the data source analytics_profile.
func NewDataSource() datasource.DataSource { return &profileDataSource{} }

type profileDataSource struct{ tfkit.DataSource }

type dataSourceModel struct {
	tfkit.Scope
	IdentityID types.String `tfsdk:"identity_id"`
	Profile    types.String `tfsdk:"profile"`
	JSON       types.String `tfsdk:"json"`
}

func (d *profileDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_profile"
}

func (d *profileDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the profile record of one person. A person of whom the service knows no profile is an error.",
		Attributes: tfkit.AddDataSourceScope(map[string]schema.Attribute{
			"identity_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: tfkit.IdentityDescription,
				Validators:          []validator.String{tfkit.Segment()},
			},
			"profile": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "The profile as the text of a JSON object with its members in the order of their names, for `jsondecode`. The service does not document its members. Sensitive.",
			},
			"json": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "The complete answer of the service as JSON text, with whatever it wraps the profile in. Sensitive.",
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
	held, err := c.GetProfile(ctx, scope, m.IdentityID.ValueString())
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NotInState)
		return
	}
	m.Profile = types.StringValue(customtypes.NewJSONObject(held.Members).ValueString())
	m.JSON = types.StringValue(string(held.JSON))
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
