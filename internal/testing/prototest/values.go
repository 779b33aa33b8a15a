// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
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
	if v == Unknown {
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	if v == nil {
		return tftypes.NewValue(typ, nil)
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

	case tftypes.List:
		return tftypes.NewValue(typ, toValues(tb, typ.ElementType, v))
	case tftypes.Set:
		return tftypes.NewValue(typ, toValues(tb, typ.ElementType, v))
	}

	return tftypes.NewValue(typ, v)
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
	if members, ok := v.(map[string]any); ok {
		return members
	}
	members, ok := v.(Attributes)
	if !ok {
		tb.Fatalf("expected attributes, got %T", v)
	}

	return members
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

	switch v.Type().(type) {
	case tftypes.Object, tftypes.Map:
		members := Attributes{}
		for name, member := range parts(v) {
			members[name] = fromValue(tb, member)
		}
		return members

	case tftypes.List, tftypes.Set, tftypes.Tuple:
		elements := []any{}
		for _, element := range as[[]tftypes.Value](tb, v) {
			elements = append(elements, fromValue(tb, element))
		}
		return elements
	}

	if v.Type().Is(tftypes.String) {
		return as[string](tb, v)
	}
	if v.Type().Is(tftypes.Bool) {
		return as[bool](tb, v)
	}
	number, _ := as[*big.Float](tb, v).Float64()

	return number
}

// as returns a known value of the protocol as a value of Go.
func as[T any](tb testing.TB, v tftypes.Value) T {
	tb.Helper()
	var out T
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

// parts returns what a value consists of, by name, key or index; nil where it is null,
// unknown or a primitive.
func parts(v tftypes.Value) map[string]tftypes.Value {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}

	named := map[string]tftypes.Value{}
	if v.As(&named) == nil {
		return maps.Clone(named)
	}
	var listed []tftypes.Value
	if v.As(&listed) != nil {
		return nil
	}
	for i, element := range listed {
		named[strconv.Itoa(i)] = element
	}

	return named
}
