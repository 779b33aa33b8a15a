// SPDX-License-Identifier: MPL-2.0

package session

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ ephemeral.EphemeralResource = (*sessionTokenEphemeral)(nil)

// NewSessionTokenEphemeral returns the ephemeral resource analytics_session_token.
func NewSessionTokenEphemeral(s *tfkit.Service) ephemeral.EphemeralResource {
	return &sessionTokenEphemeral{s}
}

type sessionTokenEphemeral struct{ *tfkit.Service }

// sessionTokenModel is the model of analytics_session_token.
type sessionTokenModel struct {
	Token     types.String `tfsdk:"token"`
	ExpiresAt types.String `tfsdk:"expires_at"`
}

func (e *sessionTokenEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_session_token"
}

func (e *sessionTokenEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Logs in and returns the JSON Web Token of the login, for tools that call the service beside this provider.",

		Attributes: map[string]schema.Attribute{
			"token": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "JSON Web Token, to be sent as `Authorization: bearer <token>`. Valid for one hour.",
			},
			"expires_at": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Time at which the token expires, in RFC 3339 format and UTC.",
			},
		},
	}
}

func (e *sessionTokenEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	defer e.RecoverAndReport(ctx, &resp.Diagnostics)

	var m sessionTokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	c, ok := e.Ready(&resp.Diagnostics)
	if !ok {
		return
	}

	token, expires, err := c.NewSessionToken(ctx)
	if transport.IsClass(err, transport.ClassInvalid) {
		tfkit.Problem{
			Summary: "Nothing to log in with",
			Detail:  "A session token is issued by a login with e-mail and password, and the provider is configured with other credentials.",
			InState: tfkit.NotInState,
			Do:      "set email and password in the provider block, or ANALYTICS_EMAIL and ANALYTICS_PASSWORD in the environment, for a provider configuration that this ephemeral resource uses.",
		}.AddError(&resp.Diagnostics)
		return
	}
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NotInState).AddError(&resp.Diagnostics)
		return
	}

	m.Token = types.StringValue(token)
	m.ExpiresAt = types.StringValue(expires.UTC().Format(time.RFC3339))
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
}
