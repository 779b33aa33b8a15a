// SPDX-License-Identifier: MPL-2.0

// Package contract holds the interface of the service as an OpenAPI document, and Violations, which compares the
// requests of the provider and the answers of the mock server with it in tests: an error in one is not hidden by
// leniency in the other.
//
// The document is written from the description of the interface alone, and leaves open what that does not show;
// "section" in the comments is a section of it. The mock server itself checks times and addresses, and refuses
// parameters in two places or repeated.
package contract

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// Violations returns how a response and its request differ from the document, one text for each difference. A text may
// quote what was sent. It reads both bodies, which have to be in memory. A response whose Body is nil is not compared.
// With a kindParameter, an export may have a query parameter of this name: section 4 does not show how it chooses
// between the kinds of records.
func Violations(resp *http.Response, kindParameter string) (violations []string) {
	route, vars, err := router().FindRoute(resp.Request)
	if err != nil {
		return []string{"no operation: section 4 has no operation with this path and method"}
	}

	request := &openapi3filter.RequestValidationInput{Request: resp.Request, PathParams: vars, Route: route, Options: options}
	differences := append(presented(request), undeclared(request, kindParameter)...)
	differences = append(differences, openapi3filter.ValidateRequest(resp.Request.Context(), request))
	if resp.Body != nil {
		differences = append(differences, ofResponse(request, resp))
	}
	for _, err := range differences {
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), "\n") // the schema and the value follow
			violations = append(violations, route.Operation.OperationID+": "+route.Method+" "+route.Path+": "+text)
		}
	}

	return violations
}

// options leave credentials, and what is in a date or an address, to the mock server.
var options = &openapi3filter.Options{
	IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: true, SkipSettingDefaults: true,
	AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
}

// presented returns errors of what OpenAPI cannot express: a path that can be read in two ways (section 2, Identifiers),
// and more or fewer credentials than one, or than none for the login (section 5).
func presented(request *openapi3filter.RequestValidationInput) (differences []error) {
	r, want := request.Request, 1
	if request.Route.Operation.OperationID == "login" {
		want = 0
	}
	if n := len(r.Header.Values("Authorization")) + len(r.URL.Query()["apiSecretToken"]); n != want {
		differences = append(differences, fmt.Errorf("there are %d credentials, not %d (section 5)", n, want))
	}

	sent, _, _ := strings.Cut(r.RequestURI, "?") // EscapedPath encodes some characters that are sent as they are
	for segment := range strings.SplitSeq(sent, "/") {
		value, _ := url.PathUnescape(segment)
		if slices.Contains([]string{".", ".."}, value) || strings.ReplaceAll(url.QueryEscape(value), "+", "%20") != segment {
			differences = append(differences, fmt.Errorf("the segment %s of the path is not percent-encoded exactly: every byte but the unreserved "+
				"characters of RFC 3986 in upper-case hexadecimal", segment))
		}
	}

	return differences
}

// undeclared returns an error for each parameter of the query that the operation does not declare, which OpenAPI
// cannot express.
func undeclared(request *openapi3filter.RequestValidationInput, kindParameter string) (differences []error) {
	operation := request.Route.Operation
	for name := range request.Request.URL.Query() {
		isKind := operation.OperationID == "exportRecords" && name == kindParameter
		if !isKind && name != "apiSecretToken" && operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			differences = append(differences, fmt.Errorf("the operation does not declare the parameter %s (section 4)", name))
		}
	}

	return differences
}

// ofResponse compares a response with the operation. In the document, x-empty-allowed marks
// one that may have no body.
func ofResponse(request *openapi3filter.RequestValidationInput, resp *http.Response) error {
	responses := request.Route.Operation.Responses
	shown := cmp.Or(responses.Status(resp.StatusCode), responses.Default())
	body, _ := io.ReadAll(resp.Body)
	if mayBeEmpty, _ := shown.Value.Extensions["x-empty-allowed"].(bool); mayBeEmpty && len(body) == 0 {
		return nil
	}

	return openapi3filter.ValidateResponse(resp.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: options,
	})
}
