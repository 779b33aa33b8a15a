package tfkit

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Spelling says how texts of one sort are read, and when two of them mean the
// same although they are written differently.
type Spelling[V any] interface {
	// Read understands a text; its error names what was expected, never the text.
	Read(text string) (V, error)
	Same(a, b V) bool
}

// SpelledType is the type of string attributes whose spelling may differ without
// a difference in meaning; what another spelling says is no drift.
type SpelledType[S Spelling[V], V any] struct{ basetypes.StringType }

// Spelled is a value of a SpelledType. The zero value is null.
type Spelled[S Spelling[V], V any] struct{ basetypes.StringValue }

type (
	// IPAddress is an IPv6 or IPv4 address; an IPv4 address equals its form mapped
	// into IPv6 space.
	IPAddress = Spelled[ipSpelling, netip.Addr]
	// IPAddressType is the type of IPAddress.
	IPAddressType = SpelledType[ipSpelling, netip.Addr]
	// Instant is an RFC 3339 time, compared to the millisecond.
	Instant = Spelled[instantSpelling, time.Time]
	// InstantType is the type of Instant.
	InstantType = SpelledType[instantSpelling, time.Time]
	// JSONObject is the text of a JSON object; numbers are compared exactly by value.
	JSONObject = Spelled[objectSpelling, map[string]jsontext.Value]
	// JSONObjectType is the type of JSONObject.
	JSONObjectType = SpelledType[objectSpelling, map[string]jsontext.Value]
)

// NewIPAddress makes a known value.
func NewIPAddress(text string) IPAddress {
	return IPAddress{basetypes.NewStringValue(text)}
}

// NewInstant writes t in UTC, to the millisecond.
func NewInstant(t time.Time) Instant {
	return Instant{basetypes.NewStringValue(client.FormatInstant(t))}
}

// NewJSONObject writes members in the order of their names.
func NewJSONObject(members map[string]jsontext.Value) JSONObject {
	return JSONObject{basetypes.NewStringValue(client.FormatObject(members))}
}

// Value is what the text means; false for null, unknown and texts that mean nothing.
func (v Spelled[S, V]) Value() (meaning V, ok bool) {
	if v.IsNull() || v.IsUnknown() {
		return meaning, false
	}
	var s S
	meaning, err := s.Read(v.ValueString())
	return meaning, err == nil
}

// Means reports whether both texts mean the same, or are both null.
func (v Spelled[S, V]) Means(other Spelled[S, V]) bool {
	if v.IsUnknown() || other.IsUnknown() {
		return false
	}
	if v.StringValue.Equal(other.StringValue) {
		return true
	}
	a, ok := v.Value()
	b, also := other.Value()
	var s S
	return ok && also && s.Same(a, b)
}

// StringSemanticEquals keeps the spelling that is in state already.
func (v Spelled[S, V]) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	o, ok := other.(Spelled[S, V])
	return ok && v.Means(o), nil
}

// ValidateAttribute refuses a text that means nothing, without repeating it.
func (v Spelled[S, V]) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if v.IsNull() || v.IsUnknown() {
		return
	}
	var s S
	if _, err := s.Read(v.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid value", "The value "+err.Error()+".")
	}
}

// Equal reports whether both values are written alike.
func (v Spelled[S, V]) Equal(other attr.Value) bool {
	o, ok := other.(Spelled[S, V])
	return ok && v.StringValue.Equal(o.StringValue)
}

// String does not show the value: the framework logs it at trace level wherever it
// compares two values, and an address is personal data.
func (v Spelled[S, V]) String() string { return v.Type(context.Background()).String() }

// Type is the type of the value.
func (v Spelled[S, V]) Type(context.Context) attr.Type { return SpelledType[S, V]{} }

// Equal reports whether the other type is the same.
func (t SpelledType[S, V]) Equal(other attr.Type) bool {
	_, ok := other.(SpelledType[S, V])
	return ok
}

// String names the type for messages of the framework.
func (t SpelledType[S, V]) String() string { return "tfkit.SpelledType" }

// ValueType is a value of the type.
func (t SpelledType[S, V]) ValueType(context.Context) attr.Value { return Spelled[S, V]{} }

// ValueFromString wraps a framework value.
func (t SpelledType[S, V]) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Spelled[S, V]{in}, nil
}

// ValueFromTerraform wraps a value of the protocol.
func (t SpelledType[S, V]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	s, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, errors.New("unexpected value type")
	}
	return Spelled[S, V]{s}, nil
}

type ipSpelling struct{}

func (ipSpelling) Read(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return a, errors.New("must be an IPv6 or IPv4 address, such as 2001:db8::1 or 192.0.2.1")
	}
	if a.Zone() != "" {
		return a, errors.New("must be an IP address without a zone")
	}
	return a, nil
}

func (ipSpelling) Same(a, b netip.Addr) bool { return a.Unmap() == b.Unmap() }

type instantSpelling struct{}

func (instantSpelling) Read(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, errors.New("must be an RFC 3339 time with a zone, such as 2026-01-31T12:00:00Z")
	}
	if t.Year() < 2000 {
		return t, errors.New("must be a time in or after the year 2000")
	}
	return t, nil
}

func (instantSpelling) Same(a, b time.Time) bool { return a.UnixMilli() == b.UnixMilli() }

type objectSpelling struct{}

func (objectSpelling) Read(text string) (map[string]jsontext.Value, error) {
	return client.ParseObject(text)
}

func (objectSpelling) Same(a, b map[string]jsontext.Value) bool {
	return maps.EqualFunc(a, b, client.SameJSON)
}
