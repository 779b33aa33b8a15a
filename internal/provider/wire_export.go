package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// exportWireModel is the part of the nested object wire that exports need.
type exportWireModel struct {
	ExportKindParameter types.String `tfsdk:"export_kind_parameter"`
	ExportKindValues    types.String `tfsdk:"export_kind_values"`
	ExportMinRate       types.Int64  `tfsdk:"export_min_rate"`
	ExportShape         types.String `tfsdk:"export_shape"`
	ExportInvalidUTF8   types.String `tfsdk:"export_invalid_utf8"`
	ExportIgnored       types.String `tfsdk:"export_ignored_members"`
}

func exportWireAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"export_kind_parameter": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Name of the query parameter that selects the kind of records of an export. Unset, none is sent, and the answer is split by its own shape." +
				fromEnv("wire_export_kind_parameter"),
		},
		"export_kind_values": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Values of that parameter for Person, Session and Event records, in this order and with commas between. Defaults to `" + client.DefaultExportKindValues + "`; without `export_kind_parameter` it has no effect." +
				fromEnv("wire_export_kind_values"),
		},
		"export_min_rate": schema.Int64Attribute{
			Optional:   true,
			Validators: []validator.Int64{int64validator.Between(0, client.LimitExportMinRate)},
			MarkdownDescription: fmt.Sprintf("Slowest export that is waited for, in bytes per second, over each minute of waiting for the service; a slower one ends and begins again, as one that stalls does. From 0, which waits for ever, to %d. Defaults to %d.",
				client.LimitExportMinRate, client.DefaultExportMinRate) + fromEnv("wire_export_min_rate"),
		},
		"export_shape": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.ExportShapes...)},
			MarkdownDescription: "Which objects of an export are records. `auto` tells them apart, and fails where an object may be a record or hold the records; `records` takes each element of an array and each line for a record, whatever lists it has; `envelope` takes each object that is not in an array for one that holds records, whatever other members it has. Defaults to `auto`." +
				fromEnv("wire_export_shape"),
		},
		"export_invalid_utf8": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.InvalidUTF8Use...)},
			MarkdownDescription: "What happens to bytes of an export that are not valid UTF-8: `error` fails, `replace` puts U+FFFD in their place and counts the records in a warning. Defaults to `error`. An escaped surrogate without its partner (`\\ud83d`) is valid JSON and is always kept as it is." +
				fromEnv("wire_export_invalid_utf8"),
		},
		"export_ignored_members": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Names of members of an export's answer, with commas between, that say nothing about an error, a further page or a total, although they are called as if they did, such as `next,total`. By default none is ignored." +
				fromEnv("wire_export_ignored_members"),
		},
	}
}

// exportWire reads the settings of exports into w.
func (s *settings) exportWire(m exportWireModel, w *client.Wire) {
	w.ExportKindParameter = s.text("wire_export_kind_parameter", m.ExportKindParameter)
	w.ExportKindValues = s.text("wire_export_kind_values", m.ExportKindValues)
	w.ExportShape = s.text("wire_export_shape", m.ExportShape)
	w.ExportInvalidUTF8 = s.text("wire_export_invalid_utf8", m.ExportInvalidUTF8)
	w.ExportIgnoredMembers = s.text("wire_export_ignored_members", m.ExportIgnored)
	w.ExportMinRate = client.Some(int64(s.whole("wire_export_min_rate", m.ExportMinRate, client.DefaultExportMinRate, 0, client.LimitExportMinRate)))
}
