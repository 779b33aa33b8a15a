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

// exportWireModel holds the attributes of the nested object wire for exports.
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
			Validators: []validator.String{stringvalidator.LengthAtLeast(1), stringvalidator.NoneOfCaseInsensitive(client.ReservedParameters...)},
			MarkdownDescription: "Name of the query parameter that selects the kind of records of an export. By default none is sent, and the answer is split by its own shape." +
				fromEnv("wire_export_kind_parameter"),
		},
		"export_kind_values": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Values of `export_kind_parameter` for Person, Session and Event records, in this order and separated by commas. Defaults to `" + client.DefaultExportKindValues + "`. Has no effect without `export_kind_parameter`." +
				fromEnv("wire_export_kind_values"),
		},
		"export_min_rate": schema.Int64Attribute{
			Optional:   true,
			Validators: []validator.Int64{int64validator.Between(0, client.LimitExportMinRate)},
			MarkdownDescription: fmt.Sprintf("Minimum rate of an export in bytes per second, over each minute of waiting for the service. A slower export is ended and begun again, like one that stalls. From 0, which means no minimum, to %d. Defaults to %d.",
				client.LimitExportMinRate, client.DefaultExportMinRate) + fromEnv("wire_export_min_rate"),
		},
		"export_shape": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.ExportShapes...)},
			MarkdownDescription: "Which objects of an export are records. With `auto`, the provider decides, and it is an error if an object may be a record or an envelope of records. With `records`, each element of an array and each line is a record, also if it has lists. With `envelope`, each object outside an array holds records, whatever other members it has. Defaults to `auto`." +
				fromEnv("wire_export_shape"),
		},
		"export_invalid_utf8": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.InvalidUTF8Use...)},
			MarkdownDescription: "How bytes of an export that are not valid UTF-8 are handled. With `error`, they are an error. With `replace`, U+FFFD replaces them, and a warning counts the records. Defaults to `error`. An escaped surrogate without its partner (`\\ud83d`) is valid JSON and is always kept as it is." +
				fromEnv("wire_export_invalid_utf8"),
		},
		"export_ignored_members": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Names of members of an export's answer to ignore, separated by commas, such as `next,total`. By their names these would tell of an error, a further page or a total, but in your service they do not. By default none is ignored." +
				fromEnv("wire_export_ignored_members"),
		},
	}
}

// exportWire sets the settings of exports in w.
func (s *settings) exportWire(m exportWireModel, w *client.Wire) {
	w.ExportKindParameter = s.text("wire_export_kind_parameter", m.ExportKindParameter)
	w.ExportKindValues = s.text("wire_export_kind_values", m.ExportKindValues)
	w.ExportShape = s.text("wire_export_shape", m.ExportShape)
	w.ExportInvalidUTF8 = s.text("wire_export_invalid_utf8", m.ExportInvalidUTF8)
	w.ExportIgnoredMembers = s.text("wire_export_ignored_members", m.ExportIgnored)

	minRate := s.whole("wire_export_min_rate", m.ExportMinRate, limits[int64]{client.DefaultExportMinRate, 0, client.LimitExportMinRate})
	w.ExportMinRate = client.Some(int64(minRate))
}
