package contract

import (
	"errors"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// describe returns a sentence for each objection of kin-openapi. Its own messages quote
// values and names of undeclared properties, which may be private; these sentences
// contain only text from the document.
func describe(err error) []string {
	switch e := err.(type) { //nolint:errorlint // the nesting is the information: errors.As would look through it
	case nil:
		return nil
	case openapi3.MultiError:
		return describeAll(e)
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

func describeAll(errs openapi3.MultiError) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, describe(err)...)
	}
	return texts
}

// requestPlace returns the part of a request that an error is about.
func requestPlace(e *openapi3filter.RequestError) string {
	if e.Parameter != nil {
		return e.Parameter.In + " parameter " + e.Parameter.Name
	}
	return "body"
}

// prefixed describes err, with its place before each sentence.
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

// describeSchema returns the path of the property and the keyword that it does not
// satisfy. The path has declared properties only, since others have no schema.
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
