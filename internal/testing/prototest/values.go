// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Attributes are the values of an object by attribute name: what JSON can express, Unknown, or further Attributes.
// Names left out are null.
type Attributes map[string]any

// Unknown is a value that is known only after apply.
const Unknown = unknown("(known after apply)")

type unknown string

// MarshalJSON returns null, which pack replaces.
func (unknown) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

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

// ApplyTerraform5AttributePathStep returns an attribute for tftypes.WalkAttributePath.
func (a Attributes) ApplyTerraform5AttributePathStep(step tftypes.AttributePathStep) (any, error) {
	v, ok := a[fmt.Sprint(step)]
	if !ok {
		return nil, tftypes.ErrInvalidStep
	}
	return v, nil
}

// fromValue returns a value of the protocol as one of Attributes; numbers are float64.
func fromValue(v tftypes.Value) any {
	switch typ := v.Type(); {
	case !v.IsKnown():
		return Unknown
	case v.IsNull():
		return nil
	case typ.Is(tftypes.String):
		return as[string](v)
	case typ.Is(tftypes.Bool):
		return as[bool](v)
	case typ.Is(tftypes.Number):
		number, _ := as[*big.Float](v).Float64()
		return number
	case typ.Is(tftypes.Object{}), typ.Is(tftypes.Map{}):
		values := Attributes{}
		for name, member := range as[map[string]tftypes.Value](v) {
			values[name] = fromValue(member)
		}
		return values
	}

	elements := []any{}
	for _, element := range as[[]tftypes.Value](v) {
		elements = append(elements, fromValue(element))
	}

	return elements
}

// as returns a value of the protocol that has the type of Go.
func as[T any](v tftypes.Value) (out T) {
	_ = v.As(&out)
	return out
}

// pack returns an object as the protocol has it; nil stands for no object.
func pack(tb testing.TB, typ tftypes.Type, object Attributes) *tfprotov6.DynamicValue {
	tb.Helper()
	text, unusable := json.Marshal(object, json.FormatNilMapAsNull(true))
	v, err := tfprotov6.RawState{JSON: text}.Unmarshal(typ)
	if err := errors.Join(unusable, err); err != nil {
		tb.Fatal(err)
	}

	v, unusable = tftypes.Transform(v, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if given, _, err := tftypes.WalkAttributePath(object, at); err == nil && given == Unknown {
			return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
		}
		return v, nil
	})
	packed, err := tfprotov6.NewDynamicValue(typ, v)
	if err := errors.Join(unusable, err); err != nil {
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
	object, _ := fromValue(v).(Attributes)

	return object
}
