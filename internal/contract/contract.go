// SPDX-License-Identifier: MPL-2.0

// Package contract holds the interface of the service as an OpenAPI document, and a
// validator that tests wrap around the mock server. It compares the requests of the
// provider and the answers of the mock server with that document, so that an error in
// one is not hidden by leniency in the other.
//
// The document is written from the description of the interface alone; "section" in
// the comments is a section of that description. The document leaves open what the
// description does not show. What OpenAPI cannot express is checked in Go: one place for
// all parameters. The mock server itself checks credentials and the encoding of paths.
package contract

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.yaml
var document []byte

// secretParameter is the query parameter of the secret key (section 5).
const secretParameter = "apiSecretToken"

// Option changes the document of a Validator. It is passed to New.
type Option func(*openapi3.T) error

// ExportKindParameter allows the export a query parameter beside utcDate. Section 4
// does not show how a request chooses between the kinds of records, so the provider
// lets its user name a parameter. New returns an error if the name is empty or taken.
func ExportKindParameter(name string) Option {
	return func(doc *openapi3.T) error {
		export := operationByID(doc, "exportRecords")
		if name == "" || name == secretParameter || export.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) != nil {
			return errors.New("the parameter for the kind of records needs a name of its own")
		}

		kind := openapi3.NewQueryParameter(name).WithSchema(openapi3.NewStringSchema().WithMinLength(1))
		export.AddParameter(kind)
		return nil
	}
}

func operationByID(doc *openapi3.T, id string) *openapi3.Operation {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.OperationID == id {
				return operation
			}
		}
	}
	return nil
}

// New returns a Validator for the document in this package. The error is that of an
// option.
func New(options ...Option) (*Validator, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be read: %w", err)
	}

	for _, option := range options {
		if err := option(doc); err != nil {
			return nil, err
		}
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, fmt.Errorf("the OpenAPI document is not valid: %w", err)
	}

	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}

	return &Validator{router: router}, nil
}
