// SPDX-License-Identifier: MPL-2.0

package customtypes

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

func TestIPAddress_equalInEverySpelling(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "::FFFF:C000:0201", true},
		{"2001:db8::1", "2001:0DB8:0:0:0:0:0:1", true},
		{"2001:db8::1", "2001:db8::2", false},
		{"192.0.2.1", "::192.0.2.1", false},
		{"192.0.2.1", "nonsense", false},
		{"nonsense", "nonsense", true},
	} {
		if got := NewIPAddress(tc.a).SemanticEquals(NewIPAddress(tc.b)); got != tc.same {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
}

func TestInstant_equalToTheMillisecond(t *testing.T) {
	t.Parallel()
	at := func(text string) Instant { return Instant{basetypes.NewStringValue(text)} }

	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00", true},
		{"2026-01-31T12:00:00Z", "2026-01-31T12:00:00.0009Z", true},
		{"2026-01-31T12:00:00Z", "2026-01-31T12:00:00.001Z", false},
		{"2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00", false},
	} {
		if got := at(tc.a).SemanticEquals(at(tc.b)); got != tc.same {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}

	if got := NewInstant(time.Date(2026, 1, 31, 12, 0, 0, 1_500_000, time.FixedZone("", 3600))).ValueString(); got != "2026-01-31T11:00:00.001Z" {
		t.Errorf("an instant is written as %s", got)
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
}

func TestText_nullEqualsNullAndUnknownEqualsNothing(t *testing.T) {
	t.Parallel()
	unknown := IPAddress{basetypes.NewStringUnknown()}
	if !(IPAddress{}).SemanticEquals(IPAddress{}) || (IPAddress{}).SemanticEquals(NewIPAddress("192.0.2.1")) || unknown.SemanticEquals(unknown) {
		t.Error("null or unknown compares wrongly")
	}
}

func TestText_stringDoesNotShowTheValue(t *testing.T) {
	t.Parallel()
	if s := NewIPAddress("192.0.2.1").String(); strings.Contains(s, "192") {
		t.Errorf("the framework would log %s", s)
	}
}
