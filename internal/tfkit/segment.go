package tfkit

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// IdentityDescription documents identity_id, in resources and data sources alike.
const IdentityDescription = "Identifier of the end user: often the database id of the user record, or the user's e-mail address. " +
	"It is sent exactly as given, as one path segment. `.`, `..`, blanks around it, characters that cannot be seen anywhere in it (also spaces other than the plain one), and more than 8192 bytes are refused."

// Segment returns a validator for identifiers by the rule of client.ValidateSegment. Its
// error never holds the value.
func Segment() validator.String { return segmentValidator{} }

type segmentValidator struct{}

func (segmentValidator) Description(context.Context) string {
	return "must be usable as one path segment, without blanks around it and characters that cannot be seen"
}

func (v segmentValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (segmentValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := client.ValidateSegment(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Unusable identifier", "The value "+err.Error()+".")
	}
}
