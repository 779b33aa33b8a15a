// SPDX-License-Identifier: MPL-2.0

// Package customtypes holds types of string attributes whose values are compared by what
// they mean, not by how they are written.
package customtypes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Format parses the texts of a type and compares what they mean.
type Format[V any] interface {
	// Parse returns the meaning of a text. The error completes a sentence about the text
	// and never holds it.
	Parse(text string) (V, error)
	// Equal reports whether two meanings are equal.
	Equal(a, b V) bool
}

// TextType is the type of string attributes that are compared by what they mean.
type TextType[S Format[V], V any] struct{ basetypes.StringType }

// Text is the value of an attribute of type TextType. The zero value is null.
type Text[S Format[V], V any] struct{ basetypes.StringValue }

// Value returns what the text means, or false for null, unknown, and a text that cannot be
// parsed.
func (v Text[S, V]) Value() (meaning V, ok bool) {
	if v.IsNull() || v.IsUnknown() {
		return meaning, false
	}

	var s S
	meaning, err := s.Parse(v.ValueString())
	return meaning, err == nil
}

// SemanticEquals reports whether both texts mean the same, or are both null.
func (v Text[S, V]) SemanticEquals(other Text[S, V]) bool {
	if v.IsUnknown() || other.IsUnknown() {
		return false
	}
	if v.StringValue.Equal(other.StringValue) {
		return true
	}

	mine, mineValid := v.Value()
	theirs, theirsValid := other.Value()

	var format S

	return mineValid && theirsValid && format.Equal(mine, theirs)
}

// SpelledLike returns prior if both texts mean the same, and v otherwise.
func (v Text[S, V]) SpelledLike(prior Text[S, V]) Text[S, V] {
	if v.SemanticEquals(prior) {
		return prior
	}
	return v
}

// StringSemanticEquals reports whether both texts mean the same. The framework then keeps the
// one in state.
func (v Text[S, V]) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	o, ok := other.(Text[S, V])
	return ok && v.SemanticEquals(o), nil
}

// Check reports a configured text that cannot be parsed, without repeating it. In state there
// may be any text, since the service may store another one than was sent.
func (v Text[S, V]) Check(at path.Path, diags *diag.Diagnostics) {
	TextType[S, V]{}.Validator().check(v.StringValue, at, diags)
}

// Equal reports whether both texts are the same, character by character.
func (v Text[S, V]) Equal(other attr.Value) bool {
	o, ok := other.(Text[S, V])
	return ok && v.StringValue.Equal(o.StringValue)
}

// String returns the name of the type. It does not show the value, which may be personal
// data: the framework logs it whenever it compares two values.
func (v Text[S, V]) String() string { return v.Type(context.Background()).String() }

// Type returns the type of the value.
func (v Text[S, V]) Type(context.Context) attr.Type { return TextType[S, V]{} }

// Validator returns the validator of configured texts, which is Check. A text that is not
// known before the apply has to be checked there.
func (t TextType[S, V]) Validator() TextValidator {
	return TextValidator{Summary: "Invalid value", Rule: "must have the form of the type", Check: func(text string) error {
		var s S
		_, err := s.Parse(text)
		return err
	}}
}

// TextValidator is a validator of configured texts. Null and unknown are valid.
type TextValidator struct {
	Summary string // of an error
	Rule    string // is the description
	// Check returns what is wrong with a text. The error completes a sentence about the text
	// and never holds it.
	Check func(text string) error
}

// Description returns the rule.
func (v TextValidator) Description(context.Context) string { return v.Rule }

// MarkdownDescription returns the rule.
func (v TextValidator) MarkdownDescription(context.Context) string { return v.Rule }

// ValidateString reports a text that breaks the rule, without repeating it.
func (v TextValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	v.check(req.ConfigValue, req.Path, &resp.Diagnostics)
}

func (v TextValidator) check(value basetypes.StringValue, at path.Path, diags *diag.Diagnostics) {
	if value.IsNull() || value.IsUnknown() {
		return
	}

	if err := v.Check(value.ValueString()); err != nil {
		diags.AddAttributeError(at, v.Summary, "The value "+err.Error()+".")
	}
}

// Equal reports whether both types are the same.
func (t TextType[S, V]) Equal(other attr.Type) bool {
	_, ok := other.(TextType[S, V])
	return ok
}

// String returns the name of the type, for messages of the framework.
func (t TextType[S, V]) String() string { return "customtypes.TextType" }

// ValueType returns the zero value of the type.
func (t TextType[S, V]) ValueType(context.Context) attr.Value { return Text[S, V]{} }

// ValueFromString converts a string value of the framework.
func (t TextType[S, V]) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Text[S, V]{in}, nil
}

// ValueFromTerraform converts a value of the protocol.
func (t TextType[S, V]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	text, _ := value.(basetypes.StringValue) // null beside an error

	return Text[S, V]{text}, err
}
