// SPDX-License-Identifier: MPL-2.0

// Package contract holds the interface of the service as an OpenAPI document, and a
// validator, Violations, that tests put into the mock server. It compares the requests of the
// provider and the answers of the mock server with that document, so that an error in
// one is not hidden by leniency in the other.
//
// The document is written from the description of the interface alone; "section" in
// the comments is a section of that description. The document leaves open what the
// description does not show. kin-openapi compares; what OpenAPI cannot express is checked
// here: that no parameter is undeclared, and empty answers. The mock server itself checks
// credentials, the encoding of paths and that all parameters are there, and refuses those
// in two places or repeated.
package contract

import (
	"bytes"
	"cmp"
	_ "embed"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.yaml
var document []byte

// router finds the operation of a request in the document. It panics if the document is wrong.
var router = sync.OnceValue(func() routers.Router {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		panic(err)
	}

	found, err := gorillamux.NewRouter(doc)
	if err = cmp.Or(doc.Validate(loader.Context), err); err != nil {
		panic(err)
	}

	return found
})

// Violations returns how a response and its request differ from the document, one text for each
// difference, which may quote what was sent. It reads both bodies, which have to be in
// memory. A response whose Body is nil is not compared.
//
// With a kindParameter, an export may have a query parameter of this name: section 4 does
// not show how it chooses between the kinds of records, so the provider lets its user
// name one. Violations is safe for concurrent use.
func Violations(resp *http.Response, kindParameter string) []string {
	route, vars, err := router().FindRoute(resp.Request)
	if err != nil {
		return []string{"no operation: section 4 has no operation with this path and method"}
	}

	request := &openapi3filter.RequestValidationInput{Request: resp.Request, PathParams: vars, Route: route, Options: options}
	violations := append(undeclared(request, kindParameter), texts(openapi3filter.ValidateRequest(resp.Request.Context(), request))...)
	if resp.Body != nil {
		violations = append(violations, ofResponse(request, resp)...)
	}
	for i, text := range violations {
		violations[i] = route.Operation.OperationID + ": " + route.Method + " " + route.Path + ": " + text
	}

	return violations
}

// options leave credentials, and what is in a date or an address, to the mock server.
var options = &openapi3filter.Options{
	MultiError: true, IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: true, SkipSettingDefaults: true,
	AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
}

// undeclared returns a violation for each parameter of the query that the operation does not declare.
func undeclared(request *openapi3filter.RequestValidationInput, kindParameter string) (violations []string) {
	operation := request.Route.Operation
	query := request.Request.URL.Query()
	delete(query, "apiSecretToken") // a credential (section 5)
	if operation.OperationID == "exportRecords" {
		delete(query, kindParameter)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			violations = append(violations, "the operation does not declare the parameter "+name+" (section 4)")
		}
	}

	return violations
}

// ofResponse compares a response with the operation. In the document, x-empty-allowed marks
// one that may have no body.
func ofResponse(request *openapi3filter.RequestValidationInput, resp *http.Response) []string {
	responses := request.Route.Operation.Responses
	shown := cmp.Or(responses.Status(resp.StatusCode), responses.Default())
	body, _ := io.ReadAll(resp.Body)
	if mayBeEmpty, _ := shown.Value.Extensions["x-empty-allowed"].(bool); mayBeEmpty && len(body) == 0 {
		return nil
	}

	return texts(openapi3filter.ValidateResponse(resp.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: options,
	}))
}

// texts returns each of the errors of kin-openapi, without the schema and the value that follow
// the first line.
func texts(err error) (violations []string) {
	several, ok := err.(openapi3.MultiError) //nolint:errorlint // kin-openapi returns it as it is
	if err != nil && !ok {
		several = openapi3.MultiError{err}
	}
	for _, each := range several {
		text, _, _ := strings.Cut(each.Error(), "\n")
		violations = append(violations, text)
	}

	return violations
}
