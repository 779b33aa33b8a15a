// Package customtypes holds string attributes whose values have a meaning: two texts that
// mean the same are equal to Terraform, however they are written.
package customtypes

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Format parses texts of one sort and compares what they mean.
type Format[V any] interface {
	// Parse returns the meaning of a text. Its error names what was expected, never the
	// text.
	Parse(text string) (V, error)
	// Equal reports whether two meanings are the same.
	Equal(a, b V) bool
}

// TextType is the type of string attributes that are compared by what they mean.
type TextType[S Format[V], V any] struct{ basetypes.StringType }

// Text is the value of an attribute of type TextType. The zero value is null.
type Text[S Format[V], V any] struct{ basetypes.StringValue }

// Value returns what the text means; false for null, unknown, and texts that cannot be
// parsed.
func (v Text[S, V]) Value() (meaning V, ok bool) {
	if v.IsNull() || v.IsUnknown() {
		return meaning, false
	}
	var s S
	meaning, err := s.Parse(v.ValueString())
	return meaning, err == nil
}

// Means reports whether both texts mean the same, or are both null.
func (v Text[S, V]) SemanticEquals(other Text[S, V]) bool {
	if v.IsUnknown() || other.IsUnknown() {
		return false
	}
	if v.StringValue.Equal(other.StringValue) {
		return true
	}

	mine, ok := v.Value()
	if !ok {
		return false
	}
	theirs, ok := other.Value()
	if !ok {
		return false
	}
	var format S
	return format.Equal(mine, theirs)
}

// StringSemanticEquals reports whether the framework may keep the text in state.
func (v Text[S, V]) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	o, ok := other.(Text[S, V])
	return ok && v.SemanticEquals(o), nil
}

// ValidateAttribute refuses a text that cannot be parsed, without repeating it.
func (v Text[S, V]) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if v.IsNull() || v.IsUnknown() {
		return
	}
	var s S
	if _, err := s.Parse(v.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid value", "The value "+err.Error()+".")
	}
}

// Equal reports whether both values are written alike.
func (v Text[S, V]) Equal(other attr.Value) bool {
	o, ok := other.(Text[S, V])
	return ok && v.StringValue.Equal(o.StringValue)
}

// String does not show the value: the framework logs it at trace level wherever it
// compares two values, and an address is personal data.
func (v Text[S, V]) String() string { return v.Type(context.Background()).String() }

// Type is the type of the value.
func (v Text[S, V]) Type(context.Context) attr.Type { return TextType[S, V]{} }

// Equal reports whether the other type is the same.
func (t TextType[S, V]) Equal(other attr.Type) bool {
	_, ok := other.(TextType[S, V])
	return ok
}

// String names the type for messages of the framework.
func (t TextType[S, V]) String() string { return "customtypes.TextType" }

// ValueType is a value of the type.
func (t TextType[S, V]) ValueType(context.Context) attr.Value { return Text[S, V]{} }

// ValueFromString wraps a framework value.
func (t TextType[S, V]) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Text[S, V]{in}, nil
}

// ValueFromTerraform wraps a value of the protocol.
func (t TextType[S, V]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	s, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, errors.New("unexpected value type")
	}
	return Text[S, V]{s}, nil
}
