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
			MarkdownDescription: "Name of the query parameter that selects the kind of records of an export. By default none is sent, and the answer is split by its own shape." +
				fromEnv("wire_export_kind_parameter"),
		},
		"export_kind_values": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Values of `export_kind_parameter` for Person, Session and Event records, in this order and separated by commas. Defaults to `" + client.DefaultExportKindValues + "`. Has no effect without `export_kind_parameter`." +
				fromEnv("wire_export_kind_values"),
		},
		"export_invalid_utf8": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.InvalidUTF8Use...)},
			MarkdownDescription: "How bytes of an export that are not valid UTF-8 are handled. With `error`, they are an error. With `replace`, U+FFFD replaces them, and a warning counts the records. Defaults to `error`. An escaped surrogate without its partner (`\\ud83d`) is valid JSON and is always kept as it is." +
				fromEnv("wire_export_invalid_utf8"),
		},
		"export_record_member": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Name of a member that every record of an export has, and no other object. By default an object is a record if its list is named after a kind, or if its `type`, `kind` or `recordType` names one." +
				fromEnv("wire_export_record_member"),
		},
		"export_ignored_members": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Names of members beside the records of an export, or of response headers, that say nothing about the records, separated by commas. With a value, as in `next=null,hasMore=false`, only that value is ignored. By default none is ignored." +
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
