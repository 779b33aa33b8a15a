// SPDX-License-Identifier: MPL-2.0

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
	settings := map[string]string{}
	for _, s := range client.WireSettings {
		if value := *s.Field(&w); value != "" && value != s.Preset {
			settings[s.Name] = value
		}
	}
	if len(w.EndedStatuses) > 0 {
		settings["ended_statuses"] = strings.Join(w.EndedStatuses, ",")
	}

	return settings
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
