package customtypes

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

type (
	// JSONObject is the text of a JSON object. Numbers are compared exactly, by value.
	JSONObject = Text[objectFormat, map[string]jsontext.Value]
	// JSONObjectType is the type of JSONObject.
	JSONObjectType = TextType[objectFormat, map[string]jsontext.Value]
)

// NewJSONObject returns the text of an object, with its members in the order of their
// names.
func NewJSONObject(members map[string]jsontext.Value) JSONObject {
	return JSONObject{basetypes.NewStringValue(jsonvalue.FormatObject(members))}
}

type objectFormat struct{}

func (objectFormat) Parse(text string) (map[string]jsontext.Value, error) {
	return jsonvalue.ParseObject(text)
}

func (objectFormat) Equal(a, b map[string]jsontext.Value) bool {
	return maps.EqualFunc(a, b, jsonvalue.Equal)
}
