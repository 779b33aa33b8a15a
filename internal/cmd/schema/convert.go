package main

import (
	"errors"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

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
