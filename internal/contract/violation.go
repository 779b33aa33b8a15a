package contract

import (
	"errors"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// describe says what kin-openapi objects to, a sentence for each objection. Its own
// texts quote values, and so do the names of properties that no schema declares:
// what is told here comes from the document alone.
func describe(err error) []string {
	switch e := err.(type) { //nolint:errorlint // the nesting is the information: errors.As would look through it
	case nil:
		return nil
	case openapi3.MultiError:
		var texts []string
		for _, each := range e {
			texts = append(texts, describe(each)...)
		}
		return texts
	case *openapi3filter.RequestError:
		return prefixed(requestPlace(e), e.Err)
	case *openapi3filter.ResponseError:
		return prefixed("response", e.Err)
	case *openapi3.SchemaError:
		return []string{describeSchema(e)}
	}
	if errors.Is(err, openapi3filter.ErrInvalidRequired) {
		return []string{"is required and missing"}
	}
	return []string{"does not match the OpenAPI document"}
}

func requestPlace(e *openapi3filter.RequestError) string {
	if e.Parameter != nil {
		return e.Parameter.In + " parameter " + e.Parameter.Name
	}
	return "body"
}

func prefixed(place string, err error) []string {
	if err == nil {
		return []string{place + ": does not match the OpenAPI document"}
	}
	texts := describe(err)
	for i, text := range texts {
		texts[i] = place + ": " + text
	}
	return texts
}

// describeSchema names the property and the keyword of its schema. The path leads
// through declared properties only: under the others there is no schema to break.
func describeSchema(e *openapi3.SchemaError) string {
	where := ""
	if path := e.JSONPointer(); len(path) > 0 {
		where = strings.Join(path, "/") + ": "
	}
	switch e.SchemaField {
	case "required":
		return where + "is required and missing"
	case "properties":
		return where + "has a name that the schema does not declare"
	default:
		return where + "does not satisfy the schema's " + e.SchemaField
	}
}
