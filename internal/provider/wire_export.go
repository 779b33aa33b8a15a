package provider

import (
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
	ExportInvalidUTF8   types.String `tfsdk:"export_invalid_utf8"`
	ExportRecordMember  types.String `tfsdk:"export_record_member"`
	ExportIgnored       types.String `tfsdk:"export_ignored_members"`
}

func exportWireAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"export_kind_parameter": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1), stringvalidator.NoneOfCaseInsensitive(client.ReservedParameters...)},
			MarkdownDescription: "Name of the query parameter that selects the kind of records. By default none is sent." +
				fromEnv("wire_export_kind_parameter"),
		},
		"export_kind_values": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Values of `export_kind_parameter` for persons, sessions and events, separated by commas. Defaults to `" + client.DefaultExportKindValues + "`." +
				fromEnv("wire_export_kind_values"),
		},
		"export_invalid_utf8": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.InvalidUTF8Use...)},
			MarkdownDescription: "Whether bytes that are not UTF-8 are an `error` (default) or are replaced by U+FFFD (`replace`)." +
				fromEnv("wire_export_invalid_utf8"),
		},
		"export_record_member": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Name of a member that every record has, and nothing else in the answer." +
				fromEnv("wire_export_record_member"),
		},
		"export_ignored_members": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Members or headers beside the records that can be ignored, separated by commas, such as `tenant,next=null`." +
				fromEnv("wire_export_ignored_members"),
		},
	}
}

// exportWire sets the settings of exports in w.
func (s *settings) exportWire(m exportWireModel, w *client.Wire) {
	w.ExportKindParameter = s.text("wire_export_kind_parameter", m.ExportKindParameter)
	w.ExportKindValues = s.text("wire_export_kind_values", m.ExportKindValues)
	w.ExportInvalidUTF8 = s.text("wire_export_invalid_utf8", m.ExportInvalidUTF8)
	w.ExportRecordMember = s.text("wire_export_record_member", m.ExportRecordMember)
	w.ExportIgnoredMembers = s.text("wire_export_ignored_members", m.ExportIgnored)
}
