// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// checkRequest compares a request with its operation. Section 4 (gaps) leaves the place of
// the consent parameters open, section 5 (rule 4) that of the login parameters: all of them
// are in a body or all in the query. In the document, these are the operations that declare
// a form.
func (x *exchange) checkRequest(r *http.Request, body []byte) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		x.violated("query: is not well-formed (section 4)")
	}
	delete(query, secretParameter) // a credential
	x.checkNames(query)

	var content openapi3.Content
	if declared := x.operation.RequestBody; declared != nil {
		content = declared.Value.Content
	}
	form := content[mediaForm]

	switch {
	case form == nil:
		x.checkParameters(query)
		x.checkBody(r, body, content)
	case len(body) > 0 && len(query) > 0:
		x.violated("parameters: some are in the body and some in the query (section 4, gaps; section 5, rule 4)")
	case len(query) > 0:
		x.checkText("query parameter ", form.Schema.Value, query)
	case len(body) == 0:
		x.violated("parameters: there are none, in the body or in the query (section 2)")
	default:
		x.checkBody(r, body, content)
	}
}

// checkNames removes the parameters that the operation does not declare, and requires each
// of the others at most once. The names of undeclared ones may be private, so only their
// number is reported.
func (x *exchange) checkNames(query url.Values) {
	undeclared := 0
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case x.operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil:
			undeclared++
			delete(query, name)
		case len(query[name]) > 1:
			x.violated("query parameter " + name + ": is there more than once (section 4)")
		}
	}

	if undeclared > 0 {
		x.violated("query: parameters that the operation does not declare: " + strconv.Itoa(undeclared) + " (section 4)")
	}
}

// checkParameters compares the query with the parameters that are declared one by one.
func (x *exchange) checkParameters(query url.Values) {
	for _, ref := range x.operation.Parameters {
		p := ref.Value
		if values, given := query[p.Name]; given {
			x.check("query parameter "+p.Name+": ", p.Schema.Value, values[0], " (section 4)")
		} else if p.Required {
			x.violated("query parameter " + p.Name + ": is required and missing (section 4)")
		}
	}
}

// checkBody compares a body with the content that the operation declares.
func (x *exchange) checkBody(r *http.Request, body []byte, content openapi3.Content) {
	if len(body) == 0 {
		if content != nil {
			x.violated("body: is required and missing (section 4)")
		}
		return
	}
	if content == nil {
		x.violated("body: the operation takes none (section 4)")
		return
	}

	declared := content.Get(mediaType(r.Header))
	if declared == nil {
		x.violated("body: its Content-Type is not one that the operation declares (section 4)")
		return
	}
	if mediaType(r.Header) != mediaForm {
		x.checkJSON("body: ", declared.Schema.Value, body)
		return
	}

	values, err := url.ParseQuery(string(body))
	if err != nil {
		x.violated("body: is not a well-formed form (section 4)")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(declared.Schema.Value.Properties)) {
		if len(values[name]) > 1 {
			x.violated("form field " + name + ": is there more than once (section 4)")
		}
	}
	x.checkText("form field ", declared.Schema.Value, values)
}

// checkText validates parameters that are text as members of an object. A boolean is the
// text true or false.
func (x *exchange) checkText(place string, schema *openapi3.Schema, values url.Values) {
	object := map[string]any{}
	for name, given := range values {
		object[name] = given[0]
		property := schema.Properties[name]
		if property != nil && property.Value.Type.Is(openapi3.TypeBoolean) && (given[0] == "true" || given[0] == "false") {
			object[name] = given[0] == "true"
		}
	}

	x.check(place, schema, object, " (section 2)")
}

// checkResponse compares what the handler has written with the operation.
func (x *exchange) checkResponse(rec *recorder) {
	status := cmp.Or(rec.status, http.StatusOK) // net/http sends it for a handler that sets none
	ref := cmp.Or(x.operation.Responses.Status(status), x.operation.Responses.Default())
	if ref == nil {
		x.violated("response: its status is not declared (section 4)")
		return
	}

	if rec.body.Len() == 0 && !rec.partial {
		if allowed, _ := ref.Value.Extensions["x-empty-allowed"].(bool); !allowed {
			x.violated("response: has no body, and one is shown (sections 2 and 4)")
		}
		return
	}

	media := mediaType(rec.Header())
	declared := ref.Value.Content.Get(media)
	if declared == nil {
		x.violated("response: its Content-Type is missing or not one that the operation declares (section 4)")
		return
	}
	if media == mediaJSON && !rec.partial && rec.Header().Get("Content-Encoding") == "" {
		x.checkJSON("response: ", declared.Schema.Value, rec.body.Bytes())
	}
}

// mediaType returns the media type without its parameters, or "" if it cannot be read.
func mediaType(h http.Header) string {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

func (x *exchange) checkJSON(place string, schema *openapi3.Schema, text []byte) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()

	var v any
	if !jsontext.Value(text).IsValid() || dec.Decode(&v) != nil {
		x.violated(place + "is not one valid JSON value without repeated names (section 4)")
		return
	}
	x.check(place, schema, v, " (section 4)")
}

// formats are the string formats of the document. Those of kin-openapi accept the 31st
// of February, or are registered for the whole process.
var formats = openapi3.WithStringFormatValidators(map[string]openapi3.StringFormatValidator{
	"date": openapi3.NewCallbackValidator(func(s string) error {
		_, err := time.Parse(time.DateOnly, s)
		return err
	}),
	"ipv6": openapi3.NewCallbackValidator(func(s string) error {
		if a, err := netip.ParseAddr(s); err != nil || !a.Is6() || a.Zone() != "" {
			return errors.New("not an IPv6 address")
		}
		return nil
	}),
})

// check reports a sentence for each objection of kin-openapi. Its own messages quote
// values and names of undeclared properties, which may be private; these sentences
// contain only text from the document.
func (x *exchange) check(place string, schema *openapi3.Schema, v any, section string) {
	err := schema.VisitJSON(v, openapi3.MultiErrors(), formats)
	objections, several := err.(openapi3.MultiError) //nolint:errorlint // kin-openapi returns it as it is
	if err != nil && !several {
		objections = openapi3.MultiError{err}
	}

	for _, objection := range objections {
		var e *openapi3.SchemaError
		if !errors.As(objection, &e) {
			x.violated(place + "does not match the OpenAPI document" + section)
			continue
		}

		where := place
		if path := e.JSONPointer(); len(path) > 0 {
			where += strings.Join(path, "/") + ": "
		}

		switch e.SchemaField {
		case "required":
			x.violated(where + "is required and missing" + section)
		case "properties":
			x.violated(where + "has a name that the schema does not declare" + section)
		default:
			x.violated(where + "does not satisfy the schema's " + e.SchemaField + section)
		}
	}
}
