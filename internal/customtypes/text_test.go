// SPDX-License-Identifier: MPL-2.0

package customtypes

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// TestText_semanticEquals compares addresses in every spelling, and instants to the millisecond.
func TestText_semanticEquals(t *testing.T) {
	t.Parallel()
	at := func(text string) Instant { return Instant{basetypes.NewStringValue(text)} }
	ip, unknown := NewIPAddress, IPAddress{basetypes.NewStringUnknown()}

	for pair, tc := range map[string]struct{ got, want bool }{
		"mapped":          {ip("192.0.2.1").SemanticEquals(ip("::FFFF:C000:0201")), true},
		"in full":         {ip("2001:db8::1").SemanticEquals(ip("2001:0DB8:0:0:0:0:0:1")), true},
		"another":         {ip("2001:db8::1").SemanticEquals(ip("2001:db8::2")), false},
		"not mapped":      {ip("192.0.2.1").SemanticEquals(ip("::192.0.2.1")), false},
		"no address":      {ip("192.0.2.1").SemanticEquals(ip("nonsense")), false},
		"no addresses":    {ip("nonsense").SemanticEquals(ip("nonsense")), true},
		"nulls":           {(IPAddress{}).SemanticEquals(IPAddress{}), true},
		"a null":          {(IPAddress{}).SemanticEquals(ip("192.0.2.1")), false},
		"unknown":         {unknown.SemanticEquals(unknown), false},
		"a zone":          {at("2026-01-31T12:00:00Z").SemanticEquals(at("2026-01-31T13:00:00+01:00")), true},
		"microseconds":    {at("2026-01-31T12:00:00Z").SemanticEquals(at("2026-01-31T12:00:00.0009Z")), true},
		"a millisecond":   {at("2026-01-31T12:00:00Z").SemanticEquals(at("2026-01-31T12:00:00.001Z")), false},
		"another instant": {at("2026-01-31T12:00:00Z").SemanticEquals(at("2026-01-31T12:00:00+01:00")), false},
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
		if _, err := ParseInstant(text); (err == nil) != accepted {
			t.Errorf("%s: %v", text, err)
		}
	}

	if got := NewInstant(time.Date(2026, 1, 31, 12, 0, 0, 1_500_000, time.FixedZone("", 3600))).ValueString(); got != "2026-01-31T11:00:00.001Z" {
		t.Errorf("an instant is written as %s", got)
	}
}

func TestText_stringDoesNotShowTheValue(t *testing.T) {
	t.Parallel()
	if s := NewIPAddress("192.0.2.1").String(); strings.Contains(s, "192") {
		t.Errorf("the framework would log %s", s)
	}
}
