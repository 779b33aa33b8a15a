// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// IdentityDescription documents identity_id, in resources and data sources alike.
const IdentityDescription = "Identifier of the person at the service, often a database ID or an e-mail address."

// Segment returns a validator of identifiers that applies client.ValidateSegment. Its errors
// never hold the value.
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
		Problem{Summary: "Unusable identifier", Detail: "The value " + err.Error() + ".", At: req.Path}.AddError(&resp.Diagnostics)
	}
}

// clockSkew is how far a time of agreement may be ahead of this machine's clock. It allows
// for inaccurate clocks but not for zones: a local time written with Z would outlast the
// choices of the next hours.
const clockSkew = 5 * time.Minute

var errFutureAgreement = errors.New("lies in the future, so that a later choice of the person could not be recognised; check the zone (Z is UTC) and the clock of this machine")

// CheckAgreed returns an error if a time of agreement lies in the future. The error completes
// a sentence about the value and never holds it.
func CheckAgreed(agreed time.Time) error {
	if agreed.After(time.Now().Add(clockSkew)) {
		return errFutureAgreement
	}
	return nil
}
