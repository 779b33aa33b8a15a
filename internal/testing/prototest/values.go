// SPDX-License-Identifier: MPL-2.0

package prototest

import (
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

// With returns a copy of the attributes with others on top.
func (a Attributes) With(others Attributes) Attributes {
	merged := maps.Clone(a)
	maps.Copy(merged, others)
	return merged
}

// Without returns a copy that leaves attributes out.
func (a Attributes) Without(names ...string) Attributes {
	rest := maps.Clone(a)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

// toValue returns a value of Attributes as one of the protocol.
func toValue(tb testing.TB, typ tftypes.Type, v any) tftypes.Value {
	tb.Helper()

	switch v {
	case nil:
		return tftypes.NewValue(typ, nil)
	case Unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}

	switch typ := typ.(type) {
	case tftypes.Map:
		elements := map[string]tftypes.Value{}
		for name, element := range asAttributes(tb, v) {
			elements[name] = toValue(tb, typ.ElementType, element)
		}
		return tftypes.NewValue(typ, elements)

	case tftypes.Object:
		given := asAttributes(tb, v)
		values := map[string]tftypes.Value{}
		for name, of := range typ.AttributeTypes {
			values[name] = toValue(tb, of, given[name])
		}
		for name := range given {
			if _, ok := values[name]; !ok {
				tb.Fatalf("the schema has no attribute %q, only %v", name, slices.Sorted(maps.Keys(values)))
			}
		}

		return tftypes.NewValue(typ, values)

	case tftypes.List:
		return tftypes.NewValue(typ, toValues(tb, typ.ElementType, v))
	case tftypes.Set:
		return tftypes.NewValue(typ, toValues(tb, typ.ElementType, v))
	}

	return tftypes.NewValue(typ, v)
}

func toValues(tb testing.TB, typ tftypes.Type, v any) (values []tftypes.Value) {
	tb.Helper()
	list, ok := v.([]any)
	if !ok {
		tb.Fatalf("expected []any, got %T", v)
	}
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

// fromValue returns a value of the protocol as one of Attributes; numbers are float64.
func fromValue(tb testing.TB, v tftypes.Value) any {
	tb.Helper()
	if !v.IsKnown() {
		return Unknown
	}
	if v.IsNull() {
		return nil
	}

	switch typ := v.Type(); {
	case typ.Is(tftypes.String):
		return as[string](tb, v)
	case typ.Is(tftypes.Bool):
		return as[bool](tb, v)
	case typ.Is(tftypes.Number):
		number, _ := as[*big.Float](tb, v).Float64()
		return number
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		values := Attributes{}
		for name, member := range as[map[string]tftypes.Value](tb, v) {
			values[name] = fromValue(tb, member)
		}
		return values
	}

	elements := []any{}
	for _, element := range as[[]tftypes.Value](tb, v) {
		elements = append(elements, fromValue(tb, element))
	}

	return elements
}

// as returns a known value of the protocol as a value of Go.
func as[T any](tb testing.TB, v tftypes.Value) (out T) {
	tb.Helper()
	if err := v.As(&out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// pack returns an object as the protocol has it; nil is none.
func pack(tb testing.TB, typ tftypes.Type, object Attributes) *tfprotov6.DynamicValue {
	tb.Helper()
	v := tftypes.NewValue(typ, nil)
	if object != nil {
		v = toValue(tb, typ, object)
	}
	packed, err := tfprotov6.NewDynamicValue(typ, v)
	if err != nil {
		tb.Fatal(err)
	}

	return &packed
}

// unpack returns an object that the protocol has; nil where there is none.
func unpack(tb testing.TB, typ tftypes.Type, packed *tfprotov6.DynamicValue) Attributes {
	tb.Helper()
	if packed == nil {
		return nil
	}
	v, err := packed.Unmarshal(typ)
	if err != nil {
		tb.Fatal(err)
	}
	if v.IsNull() {
		return nil
	}

	return asAttributes(tb, fromValue(tb, v))
}
