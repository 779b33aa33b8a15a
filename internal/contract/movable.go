// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"maps"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// movable returns the schema of the parameters that may travel in a body or in the
// query, or nil if the operation has none. Section 4 (gaps) leaves the place of the
// consent parameters open, section 5 (rule 4) that of the login parameters. In the
// document, these are the operations that declare a form.
func (x *exchange) movable() *openapi3.Schema {
	body := x.route.Operation.RequestBody
	if body == nil {
		return nil
	}

	form := body.Value.Content[mediaForm]
	if form == nil {
		return nil
	}

	return form.Schema.Value
}

// checkMovable requires all parameters of the schema in one place. It validates those
// in a form or in the query, where they are text; checkByDocument validates JSON.
func (x *exchange) checkMovable(schema *openapi3.Schema, sent request) {
	placed := declaredIn(schema, sent.query)

	switch {
	case len(sent.body) > 0 && len(placed) > 0:
		x.violated("parameters: some are in the body and some in the query (section 4, gaps; section 5, rule 4)")
	case len(placed) > 0:
		x.checkText("query parameter", schema, placed)
	case len(sent.body) == 0:
		x.violated("parameters: there are none, in the body or in the query (section 2)")
	case mediaType(sent.contentType) == mediaForm:
		x.checkForm(schema, string(sent.body))
	}
}

// declaredIn returns the query parameters that the schema declares.
func declaredIn(schema *openapi3.Schema, query url.Values) url.Values {
	declared := url.Values{}
	for name := range schema.Properties {
		if values, ok := query[name]; ok {
			declared[name] = values
		}
	}
	return declared
}

func (x *exchange) checkForm(schema *openapi3.Schema, body string) {
	form, err := url.ParseQuery(body)
	if err != nil {
		x.violated("body: is not a well-formed form (section 4)")
		return
	}

	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if len(form[name]) > 1 {
			x.violated("form field " + name + ": is there more than once (section 4)")
		}
	}

	x.checkText("form field", schema, form)
}

// checkText validates parameters that are text, as JSON values of the types that the
// schema declares.
func (x *exchange) checkText(place string, schema *openapi3.Schema, values url.Values) {
	object := make(map[string]any, len(values))
	for name, given := range values {
		object[name] = typed(schema.Properties[name], given[0])
	}

	err := schema.VisitJSON(object, openapi3.MultiErrors(), openapi3.VisitAsRequest(), formats)
	for _, text := range describe(err) {
		x.violated(place + " " + text + " (section 2)")
	}
}

// typed returns a boolean for "true" and "false" if the property is one, and otherwise
// the text, which the schema of a boolean refuses.
func typed(property *openapi3.SchemaRef, text string) any {
	isBoolean := property != nil && property.Value.Type.Is(openapi3.TypeBoolean)
	if isBoolean && (text == "true" || text == "false") {
		return text == "true"
	}
	return text
}
