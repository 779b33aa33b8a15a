// SPDX-License-Identifier: MPL-2.0

// Package session implements what concerns the login of the provider: the data source
// analytics_current_user and the ephemeral resource analytics_session_token.
package session

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSource = (*currentUserDataSource)(nil)

// NewCurrentUserDataSource returns the data source analytics_current_user.
func NewCurrentUserDataSource(s *tfkit.Service) datasource.DataSource {
	return &currentUserDataSource{s}
}

type currentUserDataSource struct{ *tfkit.Service }

// currentUserModel is the model of analytics_current_user.
type currentUserModel struct {
	JSON types.String `tfsdk:"json"`
}

func (d *currentUserDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_current_user"
}

func (d *currentUserDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the user of the credentials, and so shows that the provider can reach the service and log in.",
		Attributes: map[string]schema.Attribute{
			"json": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "User record as JSON text, for `jsondecode`. The service does not document its fields. Sensitive.",
			},
		},
	}
}

func (d *currentUserDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)

	c, ok := d.Ready(&resp.Diagnostics)
	if !ok {
		return
	}

	user, err := c.CurrentUser(ctx)
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NotInState).AddError(&resp.Diagnostics)
		return
	}

	m := currentUserModel{JSON: types.StringValue(string(user))}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
