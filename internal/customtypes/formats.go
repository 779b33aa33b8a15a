// SPDX-License-Identifier: MPL-2.0

package customtypes

import (
	"errors"
	"maps"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

type (
	// Instant is an RFC 3339 time, compared to the millisecond.
	Instant = Text[instantFormat, time.Time]
	// InstantType is the type of Instant.
	InstantType = TextType[instantFormat, time.Time]
)

// NewInstant returns t as text in UTC, to the millisecond.
func NewInstant(t time.Time) Instant {
	return Instant{basetypes.NewStringValue(client.FormatInstant(t))}
}

// ParseInstant parses a time by the rules of Instant, for values that are not attributes.
// The error completes a sentence about the value and never holds it.
func ParseInstant(text string) (time.Time, error) { return instantFormat{}.Parse(text) }

type instantFormat struct{}

func (instantFormat) Parse(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, errors.New("must be an RFC 3339 time with a zone, such as 2026-01-31T12:00:00Z")
	}

	if t.UTC().Year() < 2000 {
		return t, errors.New("must be a time in or after the year 2000")
	}

	return t, nil
}

func (instantFormat) Equal(a, b time.Time) bool { return a.UnixMilli() == b.UnixMilli() }

type (
	// IPAddress is an IPv6 or IPv4 address. An IPv4 address equals the IPv6 address that it
	// is mapped to.
	IPAddress = Text[ipFormat, netip.Addr]
	// IPAddressType is the type of IPAddress.
	IPAddressType = TextType[ipFormat, netip.Addr]
)

// NewIPAddress returns an address from its text.
func NewIPAddress(text string) IPAddress {
	return IPAddress{basetypes.NewStringValue(text)}
}

// ParseIPAddress parses an address by the rules of IPAddress, for values that are not
// attributes. The error completes a sentence about the value and never holds it.
func ParseIPAddress(text string) (netip.Addr, error) { return ipFormat{}.Parse(text) }

type ipFormat struct{}

func (ipFormat) Parse(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, errors.New("must be an IPv6 or IPv4 address, such as 2001:db8::1 or 192.0.2.1")
	}

	if a.Zone() != "" {
		return a, errors.New("must be an IP address without a zone")
	}

	return a, nil
}

func (ipFormat) Equal(a, b netip.Addr) bool { return a.Unmap() == b.Unmap() }

type (
	// JSONObject is the text of a JSON object. Numbers are compared exactly, by value.
	JSONObject = Text[objectFormat, map[string]jsontext.Value]
	// JSONObjectType is the type of JSONObject.
	JSONObjectType = TextType[objectFormat, map[string]jsontext.Value]
)

// NewJSONObject returns the text of an object, with its members in the order of their
// names.
func NewJSONObject(members map[string]jsontext.Value) JSONObject {
	return JSONObject{basetypes.NewStringValue(jsonvalue.FormatObject(members))}
}

type objectFormat struct{}

func (objectFormat) Parse(text string) (map[string]jsontext.Value, error) {
	return jsonvalue.ParseObject(text)
}

func (objectFormat) Equal(a, b map[string]jsontext.Value) bool {
	return maps.EqualFunc(a, b, jsonvalue.Equal)
}
