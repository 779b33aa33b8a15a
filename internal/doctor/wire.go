package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// settingsOf returns the settings of wire that differ from the defaults, by the names that
// they have in a provider block.
func settingsOf(w client.Wire) map[string]string {
	settings := map[string]string{
		"login_parameters_in":     unless(w.LoginParametersIn, client.InJSON),
		"consent_parameters_in":   unless(w.ConsentParametersIn, client.InJSON),
		"agreement_time_format":   unless(w.AgreementTimeFormat, client.TimeRFC3339),
		"export_kind_parameter":   w.ExportKindParameter,
		"export_kind_values":      unless(w.ExportKindValues, client.DefaultExportKindValues),
		"export_record_member":    w.ExportRecordMember,
		"export_invalid_utf8":     unless(w.ExportInvalidUTF8, client.InvalidError),
		"export_ignored_members":  w.ExportIgnoredMembers,
		"pending_identity_field":  w.PendingIdentityField,
		"pending_ignored_members": w.PendingIgnoredMembers,
		"pending_list":            unless(w.PendingList, client.ListWhole),
		"pending_list_lag":        unless(w.PendingListLag, client.DefaultPendingListLag),
		"ended_statuses":          strings.Join(w.EndedStatuses, ","),
		"profile_member":          w.ProfileMember,
		"all_data_member":         w.AllDataMember,
	}
	maps.DeleteFunc(settings, func(_, value string) bool { return value == "" })

	return settings
}

// unless returns value, or nothing if it is the default.
func unless(value, preset string) string {
	if value == preset {
		return ""
	}
	return value
}

// wireBlock returns the attribute wire of a provider block with the settings; empty if
// there are none.
func wireBlock(settings map[string]string) string {
	if len(settings) == 0 {
		return ""
	}

	width := 0
	for name := range settings {
		width = max(width, len(name))
	}

	var b strings.Builder
	b.WriteString("wire = {\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := quoted(settings[name])
		if name == "ended_statuses" {
			value = "[" + strings.ReplaceAll(value, ",", `", "`) + "]"
		}
		fmt.Fprintf(&b, "  %-*s = %s\n", width, name, value)
	}
	b.WriteString("}\n")

	return b.String()
}

// quoted returns a text as a string of Terraform's language.
func quoted(text string) string {
	text = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(text)
	return `"` + text + `"`
}
