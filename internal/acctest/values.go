package acctest

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Attributes are the values of an object by attribute name: string, bool, int,
// float64, nil, Unknown, a list, or further Attributes. Names left out are null.
type Attributes map[string]any

// Unknown is a value that is known only after apply.
const Unknown = unknown("(known after apply)")

type unknown string

// With is a copy of the attributes with others on top.
func (a Attributes) With(others Attributes) Attributes {
	merged := maps.Clone(a)
	maps.Copy(merged, others)
	return merged
}

// Without is a copy that leaves attributes out.
func (a Attributes) Without(names ...string) Attributes {
	rest := maps.Clone(a)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

func toValue(tb testing.TB, typ tftypes.Type, v any) tftypes.Value {
	tb.Helper()
	switch v {
	case Unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case nil:
		return tftypes.NewValue(typ, nil)
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		return toObject(tb, typ, v)
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		for name, element := range asAttributes(tb, v) {
			elements[name] = toValue(tb, typ.ElementType, element)
		}
		return tftypes.NewValue(typ, elements)
	case tftypes.List:
		return tftypes.NewValue(typ, toValues(tb, typ.ElementType, v))
	case tftypes.Set:
		return tftypes.NewValue(typ, toValues(tb, typ.ElementType, v))
	}
	return tftypes.NewValue(typ, v)
}

func toObject(tb testing.TB, typ tftypes.Object, v any) tftypes.Value {
	tb.Helper()
	given := asAttributes(tb, v)
	members := map[string]tftypes.Value{}
	for name, attribute := range typ.AttributeTypes {
		members[name] = toValue(tb, attribute, given[name])
	}
	for name := range given {
		if _, ok := members[name]; !ok {
			tb.Fatalf("the schema has no attribute %q, only %v", name, slices.Sorted(maps.Keys(members)))
		}
	}
	return tftypes.NewValue(typ, members)
}

func toValues(tb testing.TB, typ tftypes.Type, v any) []tftypes.Value {
	tb.Helper()
	list, ok := v.([]any)
	if !ok {
		tb.Fatalf("expected []any, got %T", v)
	}
	var values []tftypes.Value
	for _, element := range list {
		values = append(values, toValue(tb, typ, element))
	}
	return values
}

func asAttributes(tb testing.TB, v any) Attributes {
	tb.Helper()
	switch v := v.(type) {
	case Attributes:
		return v
	case map[string]any:
		return v
	}
	tb.Fatalf("expected attributes, got %T", v)
	return nil
}

// fromValue turns a value of the protocol into what Attributes hold; numbers are
// float64.
func fromValue(tb testing.TB, v tftypes.Value) any {
	tb.Helper()
	if !v.IsKnown() {
		return Unknown
	}
	if v.IsNull() {
		return nil
	}
	typ := v.Type()
	switch {
	case typ.Is(tftypes.String):
		return as[string](tb, v)
	case typ.Is(tftypes.Bool):
		return as[bool](tb, v)
	case typ.Is(tftypes.Number):
		number := as[*big.Float](tb, v)
		f, _ := number.Float64()
		return f
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		members := Attributes{}
		for name, member := range as[map[string]tftypes.Value](tb, v) {
			members[name] = fromValue(tb, member)
		}
		return members
	}
	list := []any{}
	for _, element := range as[[]tftypes.Value](tb, v) {
		list = append(list, fromValue(tb, element))
	}
	return list
}

func as[T any](tb testing.TB, v tftypes.Value) T {
	tb.Helper()
	var out T
	if p, ok := any(&out).(**big.Float); ok {
		*p = new(big.Float)
		if err := v.As(*p); err != nil {
			tb.Fatal(err)
		}
		return out
	}
	if err := v.As(&out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func pack(tb testing.TB, v tftypes.Value) *tfprotov6.DynamicValue {
	tb.Helper()
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		tb.Fatal(err)
	}
	return &packed
}

func unpack(tb testing.TB, typ tftypes.Type, packed *tfprotov6.DynamicValue) tftypes.Value {
	tb.Helper()
	if packed == nil {
		return tftypes.NewValue(typ, nil)
	}
	v, err := packed.Unmarshal(typ)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// Diagnostics are what a request of the protocol reported.
type Diagnostics []*tfprotov6.Diagnostic

// Errors and Warnings are the texts of one severity, "summary: detail (attribute)".
func (d Diagnostics) Errors() []string { return d.texts(tfprotov6.DiagnosticSeverityError) }

// Warnings are the texts of the warnings.
func (d Diagnostics) Warnings() []string { return d.texts(tfprotov6.DiagnosticSeverityWarning) }

func (d Diagnostics) texts(severity tfprotov6.DiagnosticSeverity) []string {
	var texts []string
	for _, one := range d {
		if one.Severity != severity {
			continue
		}
		text := one.Summary + ": " + one.Detail
		if one.Attribute != nil && len(one.Attribute.Steps()) > 0 {
			text += fmt.Sprintf(" (%s)", one.Attribute)
		}
		texts = append(texts, text)
	}
	return texts
}
