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
	}
}

// exportWire reads the settings of exports into w.
func (s *settings) exportWire(m exportWireModel, w *client.Wire) {
	w.ExportKindParameter = s.text("wire_export_kind_parameter", m.ExportKindParameter)
	w.ExportKindValues = s.text("wire_export_kind_values", m.ExportKindValues)
	w.ExportMinRate = client.Some(int64(s.whole("wire_export_min_rate", m.ExportMinRate, client.DefaultExportMinRate, 0, client.LimitExportMinRate)))
}
