// SPDX-License-Identifier: MPL-2.0

package formats

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestFormat_same compares addresses in every spelling, and instants to the millisecond.
func TestFormat_same(t *testing.T) {
	t.Parallel()
	null, unknown := types.StringNull(), types.StringUnknown()
	ip := func(a, b string) bool { return Address.Same(types.StringValue(a), types.StringValue(b)) }
	at := func(a, b string) bool { return Instant.Same(types.StringValue(a), types.StringValue(b)) }

	for pair, tc := range map[string]struct{ got, want bool }{
		"mapped":          {ip("192.0.2.1", "::FFFF:C000:0201"), true},
		"in full":         {ip("2001:db8::1", "2001:0DB8:0:0:0:0:0:1"), true},
		"another":         {ip("2001:db8::1", "2001:db8::2"), false},
		"not mapped":      {ip("192.0.2.1", "::192.0.2.1"), false},
		"not an address":  {ip("192.0.2.1", "nonsense"), false},
		"no addresses":    {ip("nonsense", "nonsense"), true},
		"nulls":           {Address.Same(null, null), true},
		"a null":          {Address.Same(null, types.StringValue("192.0.2.1")), false},
		"unknown":         {Address.Same(unknown, unknown), false},
		"a zone":          {at("2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00"), true},
		"microseconds":    {at("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.0009Z"), true},
		"a millisecond":   {at("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.001Z"), false},
		"another instant": {at("2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00"), false},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %v", pair, tc.got)
		}
	}
}

func TestInstant_beginsInTheYear2000OfUTC(t *testing.T) {
	t.Parallel()
	for text, accepted := range map[string]bool{
		"2000-01-01T00:00:00Z": true, "1999-12-31T23:30:00-01:00": true,
		"1999-12-31T23:59:59Z": false, "2000-01-01T00:30:00+01:00": false,
	} {
		if _, err := Instant.Parse(text); (err == nil) != accepted {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTimeouts_bounds(t *testing.T) {
	t.Parallel()
	for text, usable := range map[string]bool{
		"1ms": true, "90s": true, "1h30m": true, "24h": true,
		"": false, "abc": false, "10": false, "0s": false, "-5m": false, "24h1s": false, "9999h": false, "9999999999h": false,
	} {
		var resp validator.StringResponse
		Timeout.ValidateString(t.Context(), validator.StringRequest{ConfigValue: types.StringValue(text)}, &resp)
		if got := !resp.Diagnostics.HasError(); got != usable {
			t.Errorf("%q is usable: %v", text, got)
		}
	}
}
