// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*consentEphemeral)(nil)

// NewEphemeralResource returns the ephemeral resource analytics_consent.
func NewEphemeralResource() ephemeral.EphemeralResource { return &consentEphemeral{} }

type consentEphemeral struct{ tfkit.Ephemeral }

func (e *consentEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent"
}

func (e *consentEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the consent of one person and stores it neither in plan nor in state.",
		Attributes:          tfkit.EphemeralAttributes(dataSourceAttributes()),
	}
}

func (e *consentEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	defer e.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if !m.read(ctx, e.Service, &resp.Diagnostics) {
		return
	}

	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
}
