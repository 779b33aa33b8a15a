// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestTimeouts_bounds(t *testing.T) {
	t.Parallel()
	for text, usable := range map[string]bool{
		"1ms": true, "90s": true, "1h30m": true, "24h": true,
		"": false, "abc": false, "10": false, "0s": false, "-5m": false, "24h1s": false, "9999h": false, "9999999999h": false,
	} {
		var resp validator.StringResponse
		timeoutRules[0].ValidateString(t.Context(), validator.StringRequest{ConfigValue: types.StringValue(text)}, &resp)
		if got := !resp.Diagnostics.HasError(); got != usable {
			t.Errorf("%q is usable: %v", text, got)
		}
	}
}
