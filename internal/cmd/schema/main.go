// SPDX-License-Identifier: MPL-2.0

// Command schema prints the schemas of the provider in the form of "terraform providers
// schema -json". It asks the provider's own server, so that the documentation does not
// depend on what an installed Terraform knows of.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// address is where the generator of the documentation looks for any provider.
const address = "registry.terraform.io/hashicorp/analytics"

func main() {
	schemas, err := read(context.Background())
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(schemas)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read returns the schemas of everything that the provider offers.
func read(ctx context.Context) (*tfjson.ProviderSchemas, error) {
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

	var c converter
	converted := &tfjson.ProviderSchema{
		ConfigSchema:             c.schema(schemas.Provider),
		ResourceSchemas:          mapped(schemas.ResourceSchemas, c.schema),
		DataSourceSchemas:        mapped(schemas.DataSourceSchemas, c.schema),
		EphemeralResourceSchemas: mapped(schemas.EphemeralResourceSchemas, c.schema),
		ListResourceSchemas:      mapped(schemas.ListResourceSchemas, c.schema),
		ActionSchemas:            mapped(schemas.ActionSchemas, c.action),
		Functions:                mapped(schemas.Functions, c.function),
		ResourceIdentitySchemas:  mapped(identities.IdentitySchemas, c.identity),
	}
	if c.err != nil {
		return nil, c.err
	}

	return &tfjson.ProviderSchemas{
		FormatVersion: "1.0",
		Schemas:       map[string]*tfjson.ProviderSchema{address: converted},
	}, nil
}

// mapped returns a map with every value converted.
func mapped[From, To any](values map[string]From, convert func(From) To) map[string]To {
	converted := make(map[string]To, len(values))
	for name, value := range values {
		converted[name] = convert(value)
	}
	return converted
}

// converter turns schemas of the protocol into those of Terraform's JSON. It keeps the
// first error.
type converter struct{ err error }

func (c *converter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *converter) schema(s *tfprotov6.Schema) *tfjson.Schema {
	return &tfjson.Schema{Version: uint64(max(s.Version, 0)), Block: c.block(s.Block)}
}

func (c *converter) action(s *tfprotov6.ActionSchema) *tfjson.ActionSchema {
	return &tfjson.ActionSchema{Block: c.block(s.Schema.Block)}
}

func (c *converter) block(b *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	converted := &tfjson.SchemaBlock{
		Attributes:      c.attributes(b.Attributes),
		NestedBlocks:    map[string]*tfjson.SchemaBlockType{},
		Description:     b.Description,
		DescriptionKind: descriptionKind(b.DescriptionKind),
		Deprecated:      b.Deprecated,
	}
	for _, nested := range b.BlockTypes {
		converted.NestedBlocks[nested.TypeName] = c.nestedBlock(nested)
	}

	return converted
}

func (c *converter) nestedBlock(b *tfprotov6.SchemaNestedBlock) *tfjson.SchemaBlockType {
	modes := map[tfprotov6.SchemaNestedBlockNestingMode]tfjson.SchemaNestingMode{
		tfprotov6.SchemaNestedBlockNestingModeSingle: tfjson.SchemaNestingModeSingle,
		tfprotov6.SchemaNestedBlockNestingModeGroup:  tfjson.SchemaNestingModeGroup,
		tfprotov6.SchemaNestedBlockNestingModeList:   tfjson.SchemaNestingModeList,
		tfprotov6.SchemaNestedBlockNestingModeSet:    tfjson.SchemaNestingModeSet,
		tfprotov6.SchemaNestedBlockNestingModeMap:    tfjson.SchemaNestingModeMap,
	}
	mode, known := modes[b.Nesting]
	if !known {
		c.fail(errors.New("the nesting mode of the block " + b.TypeName + " is not known"))
	}

	return &tfjson.SchemaBlockType{
		NestingMode: mode,
		Block:       c.block(b.Block),
		MinItems:    uint64(max(b.MinItems, 0)),
		MaxItems:    uint64(max(b.MaxItems, 0)),
	}
}

func (c *converter) attributes(list []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	converted := make(map[string]*tfjson.SchemaAttribute, len(list))
	for _, a := range list {
		converted[a.Name] = c.attribute(a)
	}
	return converted
}

func (c *converter) attribute(a *tfprotov6.SchemaAttribute) *tfjson.SchemaAttribute {
	converted := &tfjson.SchemaAttribute{
		Description:     a.Description,
		DescriptionKind: descriptionKind(a.DescriptionKind),
		Deprecated:      a.Deprecated,
		Required:        a.Required,
		Optional:        a.Optional,
		Computed:        a.Computed,
		Sensitive:       a.Sensitive,
		WriteOnly:       a.WriteOnly,
	}
	if a.NestedType == nil {
		converted.AttributeType = c.typeOf(a.Type)
		return converted
	}

	modes := map[tfprotov6.SchemaObjectNestingMode]tfjson.SchemaNestingMode{
		tfprotov6.SchemaObjectNestingModeSingle: tfjson.SchemaNestingModeSingle,
		tfprotov6.SchemaObjectNestingModeList:   tfjson.SchemaNestingModeList,
		tfprotov6.SchemaObjectNestingModeSet:    tfjson.SchemaNestingModeSet,
		tfprotov6.SchemaObjectNestingModeMap:    tfjson.SchemaNestingModeMap,
	}
	mode, known := modes[a.NestedType.Nesting]
	if !known {
		c.fail(errors.New("the nesting mode of the attribute " + a.Name + " is not known"))
	}
	converted.AttributeNestedType = &tfjson.SchemaNestedAttributeType{
		NestingMode: mode,
		Attributes:  c.attributes(a.NestedType.Attributes),
	}

	return converted
}

func (c *converter) identity(s *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	converted := &tfjson.IdentitySchema{
		Version:    uint64(max(s.Version, 0)),
		Attributes: map[string]*tfjson.IdentityAttribute{},
	}
	for _, a := range s.IdentityAttributes {
		converted.Attributes[a.Name] = &tfjson.IdentityAttribute{
			IdentityType:      c.typeOf(a.Type),
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}

	return converted
}

func (c *converter) function(f *tfprotov6.Function) *tfjson.FunctionSignature {
	converted := &tfjson.FunctionSignature{
		Description:        f.Description,
		Summary:            f.Summary,
		DeprecationMessage: f.DeprecationMessage,
		ReturnType:         c.typeOf(f.Return.Type),
	}

	for _, p := range f.Parameters {
		converted.Parameters = append(converted.Parameters, c.parameter(p))
	}
	if f.VariadicParameter != nil {
		converted.VariadicParameter = c.parameter(f.VariadicParameter)
	}

	return converted
}

func (c *converter) parameter(p *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{
		Name:        p.Name,
		Description: p.Description,
		IsNullable:  p.AllowNullValue,
		Type:        c.typeOf(p.Type),
	}
}

// typeOf converts a type by way of the JSON that both libraries have for it.
func (c *converter) typeOf(t tftypes.Type) cty.Type {
	text, err := t.MarshalJSON() //nolint:staticcheck // the only form that both libraries share
	if err != nil {
		c.fail(err)
		return cty.NilType
	}
	converted, err := ctyjson.UnmarshalType(text)
	if err != nil {
		c.fail(err)
	}

	return converted
}

func descriptionKind(k tfprotov6.StringKind) tfjson.SchemaDescriptionKind {
	if k == tfprotov6.StringKindMarkdown {
		return tfjson.SchemaDescriptionKindMarkdown
	}
	return tfjson.SchemaDescriptionKindPlain
}
