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

	switch v := v.(type) {
	case unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case map[string]any:
		return toValue(tb, typ, Attributes(v))

	case Attributes:
		values := map[string]tftypes.Value{}
		types := map[string]tftypes.Type{}
		if object, isObject := typ.(tftypes.Object); isObject {
			types = object.AttributeTypes
		}
		for name, of := range types {
			values[name] = toValue(tb, of, nil)
		}
		for name, value := range v {
			values[name] = toValue(tb, typeWithin(tb, typ, name), value)
		}

		return tftypes.NewValue(typ, values)

	case []any:
		var values []tftypes.Value
		for _, element := range v {
			values = append(values, toValue(tb, typeWithin(tb, typ, ""), element))
		}
		return tftypes.NewValue(typ, values)
	}

	return tftypes.NewValue(typ, v)
}

// typeWithin returns the type of an attribute of an object, or of all elements of a collection.
func typeWithin(tb testing.TB, typ tftypes.Type, name string) tftypes.Type {
	tb.Helper()

	switch typ := typ.(type) {
	case tftypes.Object:
		if of, ok := typ.AttributeTypes[name]; ok {
			return of
		}
		tb.Fatalf("the schema has no attribute %q, only %v", name, slices.Sorted(maps.Keys(typ.AttributeTypes)))
	case tftypes.Map:
		return typ.ElementType
	case tftypes.List:
		return typ.ElementType
	case tftypes.Set:
		return typ.ElementType
	}
	tb.Fatalf("%s has no elements", typ)

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

	object, _ := fromValue(tb, v).(Attributes)

	return object
}
