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

func toValue(t testing.TB, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	switch {
	case v == Unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case v == nil:
		return tftypes.NewValue(typ, nil)
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		return toObject(t, typ, v)
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		for name, element := range asAttributes(t, v) {
			elements[name] = toValue(t, typ.ElementType, element)
		}
		return tftypes.NewValue(typ, elements)
	case tftypes.List:
		return tftypes.NewValue(typ, toValues(t, typ.ElementType, v))
	case tftypes.Set:
		return tftypes.NewValue(typ, toValues(t, typ.ElementType, v))
	}
	return tftypes.NewValue(typ, v)
}

func toObject(t testing.TB, typ tftypes.Object, v any) tftypes.Value {
	t.Helper()
	given := asAttributes(t, v)
	members := map[string]tftypes.Value{}
	for name, attribute := range typ.AttributeTypes {
		members[name] = toValue(t, attribute, given[name])
	}
	for name := range given {
		if _, ok := members[name]; !ok {
			t.Fatalf("the schema has no attribute %q, only %v", name, slices.Sorted(maps.Keys(members)))
		}
	}
	return tftypes.NewValue(typ, members)
}

func toValues(t testing.TB, typ tftypes.Type, v any) []tftypes.Value {
	t.Helper()
	list, ok := v.([]any)
	if !ok {
		t.Fatalf("expected []any, got %T", v)
	}
	var values []tftypes.Value
	for _, element := range list {
		values = append(values, toValue(t, typ, element))
	}
	return values
}

func asAttributes(t testing.TB, v any) Attributes {
	t.Helper()
	switch v := v.(type) {
	case Attributes:
		return v
	case map[string]any:
		return v
	}
	t.Fatalf("expected attributes, got %T", v)
	return nil
}

// fromValue turns a value of the protocol into what Attributes hold; numbers are
// float64.
func fromValue(t testing.TB, v tftypes.Value) any {
	t.Helper()
	if !v.IsKnown() {
		return Unknown
	}
	if v.IsNull() {
		return nil
	}
	typ := v.Type()
	switch {
	case typ.Is(tftypes.String):
		return as[string](t, v)
	case typ.Is(tftypes.Bool):
		return as[bool](t, v)
	case typ.Is(tftypes.Number):
		number := as[*big.Float](t, v)
		f, _ := number.Float64()
		return f
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		members := Attributes{}
		for name, member := range as[map[string]tftypes.Value](t, v) {
			members[name] = fromValue(t, member)
		}
		return members
	}
	list := []any{}
	for _, element := range as[[]tftypes.Value](t, v) {
		list = append(list, fromValue(t, element))
	}
	return list
}

func as[T any](t testing.TB, v tftypes.Value) T {
	t.Helper()
	var out T
	if p, ok := any(&out).(**big.Float); ok {
		*p = new(big.Float)
		if err := v.As(*p); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if err := v.As(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func pack(t testing.TB, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		t.Fatal(err)
	}
	return &packed
}

func unpack(t testing.TB, typ tftypes.Type, packed *tfprotov6.DynamicValue) tftypes.Value {
	t.Helper()
	if packed == nil {
		return tftypes.NewValue(typ, nil)
	}
	v, err := packed.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
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
