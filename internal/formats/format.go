// SPDX-License-Identifier: MPL-2.0

// Package formats says how text attributes are written: what is valid, and which spellings mean
// the same. They are plain strings for the framework, which would log the values of a type of ours.
package formats

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Format is the format of an attribute, and the validator of configured texts. V is what a text
// means. Null and unknown are valid.
type Format[V any] struct {
	Summary string // of an error
	Rule    string // is the description
	// Parse returns what a text means. The error completes a sentence about the text and never
	// holds it.
	Parse func(text string) (V, error)
	// Equal reports whether two texts mean the same. It is nil for a validator only.
	Equal func(a, b V) bool
}

// Instant is an RFC 3339 time, compared to the millisecond.
var Instant = Format[time.Time]{"Invalid value", instantRule, parseInstant, isSameInstant}

const instantRule = "must be an RFC 3339 time with a zone, such as 2026-01-31T12:00:00Z, in or after the year 2000"

func parseInstant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.UTC().Year() < 2000 {
		return t, errors.New(instantRule)
	}
	return t, nil
}

func isSameInstant(a, b time.Time) bool { return a.UnixMilli() == b.UnixMilli() }

// Address is an IPv6 or IPv4 address. An IPv4 address equals the IPv6 address that it is mapped to.
var Address = Format[netip.Addr]{"Invalid value", addressRule, parseAddress, isSameAddress}

const addressRule = "must be an IPv6 or IPv4 address without a zone, such as 2001:db8::1 or 192.0.2.1"

func parseAddress(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return a, errors.New(addressRule)
	}
	return a, nil
}

func isSameAddress(a, b netip.Addr) bool { return a.Unmap() == b.Unmap() }

// JSONObject is the text of a JSON object. Numbers are compared exactly, by value.
var JSONObject = Format[map[string]jsontext.Value]{"Invalid value", "must be a JSON object", jsonvalue.ParseObject, isSameObject}

func isSameObject(a, b map[string]jsontext.Value) bool { return maps.EqualFunc(a, b, jsonvalue.Equal) }

// Segment is an identifier, by the rules of client.ValidateSegment.
var Segment = Format[string]{
	Summary: "Unusable identifier",
	Rule:    "must be usable as one path segment, without blanks around it and characters that cannot be seen",
	Parse:   func(text string) (string, error) { return text, client.ValidateSegment(text) },
}

// Day is a UTC date that exists (interface, section 4).
var Day = Format[time.Time]{Summary: "Not a date", Rule: "must be a date written YYYY-MM-DD", Parse: client.ParseDay}

// Timeout is a duration for which an object waits.
var Timeout = Format[time.Duration]{Summary: "Unusable duration", Rule: timeoutRule, Parse: parseTimeout}

const timeoutRule = "must be a duration such as 90s, 5m or 1h30m, more than zero and at most 24h"

func parseTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 24*time.Hour {
		return d, errors.New(timeoutRule)
	}
	return d, nil
}

// Value returns what a text means. It returns false for null and unknown, which read as an empty text, and for a text
// that cannot be parsed, as an empty one.
func (f Format[V]) Value(text types.String) (meaning V, ok bool) {
	meaning, err := f.Parse(text.ValueString())
	return meaning, err == nil
}

// Same reports whether both texts are known and mean the same, or are both null.
func (f Format[V]) Same(a, b types.String) bool {
	first, isFirstValid := f.Value(a)
	second, isSecondValid := f.Value(b)
	if isFirstValid && isSecondValid {
		return f.Equal(first, second)
	}

	return a.Equal(b) && !a.IsUnknown()
}

// KeepSpelling returns prior if both texts mean the same, and text otherwise.
func (f Format[V]) KeepSpelling(prior, text types.String) types.String {
	if f.Same(prior, text) {
		return prior
	}
	return text
}

// Description returns the rule.
func (f Format[V]) Description(context.Context) string { return f.Rule }

// MarkdownDescription returns the rule.
func (f Format[V]) MarkdownDescription(context.Context) string { return f.Rule }

// ValidateString reports a text that is not valid, without repeating it.
func (f Format[V]) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	f.Check(req.ConfigValue, req.Path, &resp.Diagnostics)
}

// Check is ValidateString for a text that the plan did not know. A text in state is not checked,
// since the service may store another one than was sent.
func (f Format[V]) Check(text types.String, at path.Path, diags *diag.Diagnostics) {
	if text.IsNull() || text.IsUnknown() {
		return
	}

	if _, err := f.Parse(text.ValueString()); err != nil {
		diags.AddAttributeError(at, f.Summary, "The value "+err.Error()+".")
	}
}
