// SPDX-License-Identifier: MPL-2.0

// Command schema prints the schemas of the provider in the form of "terraform providers
// schema -json". It asks the provider's own server, so that the documentation does not
// depend on what an installed Terraform knows of.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// address is where the generator of the documentation looks for any provider.
const address = "registry.terraform.io/hashicorp/analytics"

func main() {
	text, err := read(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
}

// object is one of JSON, with the names that Terraform gives to its members.
type object = map[string]any

// read returns the schemas of everything that the provider offers.
func read(ctx context.Context) ([]byte, error) {
	server := provider.NewServer("dev", func(string) string { return "" })
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range append(schemas.Diagnostics, identities.Diagnostics...) {
		return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
	}

	action := func(a *tfprotov6.ActionSchema) object { return object{"block": block(a.Schema.Block)} }

	return json.Marshal(object{"format_version": "1.0", "provider_schemas": object{address: object{
		"provider":                   schema(schemas.Provider),
		"resource_schemas":           mapped(schemas.ResourceSchemas, schema),
		"data_source_schemas":        mapped(schemas.DataSourceSchemas, schema),
		"ephemeral_resource_schemas": mapped(schemas.EphemeralResourceSchemas, schema),
		"list_resource_schemas":      mapped(schemas.ListResourceSchemas, schema),
		"action_schemas":             mapped(schemas.ActionSchemas, action),
		"functions":                  mapped(schemas.Functions, function),
		"resource_identity_schemas":  mapped(identities.IdentitySchemas, identity),
	}}})
}

// mapped returns a map with every value converted.
func mapped[From any](values map[string]From, convert func(From) object) object {
	converted := object{}
	for name, value := range values {
		converted[name] = convert(value)
	}
	return converted
}

func schema(s *tfprotov6.Schema) object {
	return object{"version": s.Version, "block": block(s.Block)}
}

func block(b *tfprotov6.SchemaBlock) object {
	nested := object{}
	for _, n := range b.BlockTypes {
		nested[n.TypeName] = object{
			"nesting_mode": strings.ToLower(n.Nesting.String()),
			"block":        block(n.Block),
			"min_items":    n.MinItems,
			"max_items":    n.MaxItems,
		}
	}

	return object{
		"attributes":       attributes(b.Attributes),
		"block_types":      nested,
		"description":      b.Description,
		"description_kind": strings.ToLower(b.DescriptionKind.String()),
		"deprecated":       b.Deprecated,
	}
}

func attributes(list []*tfprotov6.SchemaAttribute) object {
	converted := object{}
	for _, a := range list {
		attribute := object{
			"description":      a.Description,
			"description_kind": strings.ToLower(a.DescriptionKind.String()),
			"deprecated":       a.Deprecated,
			"required":         a.Required,
			"optional":         a.Optional,
			"computed":         a.Computed,
			"sensitive":        a.Sensitive,
			"write_only":       a.WriteOnly,
		}
		if a.NestedType == nil {
			attribute["type"] = a.Type
		} else {
			attribute["nested_type"] = object{
				"nesting_mode": strings.ToLower(a.NestedType.Nesting.String()),
				"attributes":   attributes(a.NestedType.Attributes),
			}
		}
		converted[a.Name] = attribute
	}

	return converted
}

func identity(s *tfprotov6.ResourceIdentitySchema) object {
	converted := object{}
	for _, a := range s.IdentityAttributes {
		converted[a.Name] = object{
			"type":                a.Type,
			"description":         a.Description,
			"required_for_import": a.RequiredForImport,
			"optional_for_import": a.OptionalForImport,
		}
	}

	return object{"version": s.Version, "attributes": converted}
}

func function(f *tfprotov6.Function) object {
	parameter := func(p *tfprotov6.FunctionParameter) object {
		return object{"name": p.Name, "description": p.Description, "is_nullable": p.AllowNullValue, "type": p.Type}
	}
	parameters := []object{}
	for _, p := range f.Parameters {
		parameters = append(parameters, parameter(p))
	}

	converted := object{
		"description":         f.Description,
		"summary":             f.Summary,
		"deprecation_message": f.DeprecationMessage,
		"return_type":         f.Return.Type,
		"parameters":          parameters,
	}
	if f.VariadicParameter != nil {
		converted["variadic_parameter"] = parameter(f.VariadicParameter)
	}

	return converted
}
