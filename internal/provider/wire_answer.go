package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// answerWireModel holds the attributes of the nested object wire that say how answers about
// people are recognised.
type answerWireModel struct {
	PendingIdentityField  types.String `tfsdk:"pending_identity_field"`
	PendingIgnoredMembers types.String `tfsdk:"pending_ignored_members"`
	PendingList           types.String `tfsdk:"pending_list"`
	PendingListLag        types.String `tfsdk:"pending_list_lag"`
	EndedStatuses         types.Set    `tfsdk:"ended_statuses"`
	ProfileMember         types.String `tfsdk:"profile_member"`
	AllDataMember         types.String `tfsdk:"all_data_member"`
}

func answerWireAttributes() map[string]schema.Attribute {
	name := func(name, text string) schema.Attribute {
		return schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{stringvalidator.LengthBetween(1, 100)},
			MarkdownDescription: text + fromEnv("wire_"+name),
		}
	}

	return map[string]schema.Attribute{
		"pending_identity_field": name("pending_identity_field",
			"Name of the field that identifies the person in a pending request. The usual names are recognised."),
		"pending_ignored_members": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Members beside the list of pending requests that can be ignored, separated by commas." +
				fromEnv("wire_pending_ignored_members"),
		},
		"pending_list": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(client.PendingListUses...)},
			MarkdownDescription: "How the list of pending requests is used: `whole` (default), `partial` or `ignored`." +
				fromEnv("wire_pending_list"),
		},
		"pending_list_lag": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "How long the list of pending requests may lag behind the service, up to `10m`. Defaults to `" + client.DefaultPendingListLag + "`." + fromEnv("wire_pending_list_lag"),
		},
		"ended_statuses": schema.SetAttribute{
			Optional:    true,
			ElementType: types.StringType,
			Validators:  []validator.Set{setvalidator.SizeAtMost(20), setvalidator.ValueStringsAre(stringvalidator.LengthBetween(1, 100))},
			MarkdownDescription: "Statuses of requests that are over, such as `closed`. Other unknown statuses count as pending." +
				fromEnv("wire_ended_statuses") + " Separate statuses by commas there.",
		},
		"profile_member": name("profile_member",
			"Name of the member that holds the profile, if the service wraps it."),
		"all_data_member": name("all_data_member",
			"Name of a member at the top of all data of a person. Only an answer with it is accepted at once."),
	}
}

// answerWire sets the settings of answers about people in w.
func (s *settings) answerWire(m answerWireModel, w *client.Wire) {
	w.PendingIdentityField = s.text("wire_pending_identity_field", m.PendingIdentityField)
	w.PendingIgnoredMembers = s.text("wire_pending_ignored_members", m.PendingIgnoredMembers)
	w.PendingList = s.text("wire_pending_list", m.PendingList)
	w.PendingListLag = s.text("wire_pending_list_lag", m.PendingListLag)
	w.ProfileMember = s.text("wire_profile_member", m.ProfileMember)
	w.AllDataMember = s.text("wire_all_data_member", m.AllDataMember)

	statuses, fromEnv := s.env("wire_ended_statuses", m.EndedStatuses)
	if fromEnv {
		for status := range strings.SplitSeq(statuses, ",") {
			w.EndedStatuses = append(w.EndedStatuses, strings.TrimSpace(status))
		}
		return
	}
	for _, element := range m.EndedStatuses.Elements() {
		if status, ok := element.(types.String); ok {
			w.EndedStatuses = append(w.EndedStatuses, status.ValueString())
		}
	}
}
