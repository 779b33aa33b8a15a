// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// NewEphemeral returns the ephemeral resource that reads what a data source of the same name
// reads. text describes it.
func NewEphemeral(source datasource.DataSource, text string) ephemeral.EphemeralResource {
	return &ephemeralReader{source: source, text: text}
}

type ephemeralReader struct {
	source datasource.DataSource
	text   string
}

func (e *ephemeralReader) Metadata(ctx context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	var named datasource.MetadataResponse
	e.source.Metadata(ctx, datasource.MetadataRequest(req), &named)
	resp.TypeName = named.TypeName
}

func (e *ephemeralReader) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	var read datasource.SchemaResponse
	e.source.Schema(ctx, datasource.SchemaRequest{}, &read)

	resp.Schema = schema.Schema{MarkdownDescription: e.text, Attributes: map[string]schema.Attribute{}}
	for name, attribute := range read.Schema.Attributes {
		switch a := attribute.(type) {
		case dsschema.StringAttribute:
			resp.Schema.Attributes[name] = schema.StringAttribute(a)
		case dsschema.BoolAttribute:
			resp.Schema.Attributes[name] = schema.BoolAttribute(a)
		default:
			panic(fmt.Sprintf("attributes of type %T are not converted", a))
		}
	}
}

func (e *ephemeralReader) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	read := datasource.ReadResponse{State: tfsdk.State(resp.Result)}
	e.source.Read(ctx, datasource.ReadRequest{Config: req.Config}, &read)
	resp.Diagnostics, resp.Result = read.Diagnostics, tfsdk.EphemeralResultData(read.State)
}
