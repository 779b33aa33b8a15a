// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// wireBlock returns the block wire of a provider block with the settings that differ from the
// defaults; empty if there are none.
func wireBlock(w client.Wire) string {
	settings, _ := json.Marshal(w.Minimal(), json.Deterministic(true)) // texts, lists and maps of texts
	if string(settings) == "{}" {
		return ""
	}

	var b strings.Builder
	writeBlock(&b, "wire", settings, "")

	return b.String()
}

// writeBlock writes a block with the members of a JSON object: maps are arguments, and the groups
// of wire are blocks.
func writeBlock(to io.Writer, name string, settings jsontext.Value, indent string) {
	fmt.Fprintf(to, "%s%s {\n", indent, name)

	aligned := tabwriter.NewWriter(to, 0, 0, 1, ' ', 0)
	for name, v := range jsonvalue.EachMember(settings) {
		if indent != "" || !isGroup(string(name), v) {
			fmt.Fprintf(aligned, "%s  %s\t= %s\n", indent, name, expression(v))
		}
	}
	_ = aligned.Flush()

	for name, v := range jsonvalue.EachMember(settings) {
		if indent == "" && isGroup(string(name), v) {
			writeBlock(to, string(name), v, "  ")
		}
	}

	fmt.Fprintf(to, "%s}\n", indent)
}

// isGroup reports whether a setting of wire is a group of settings: ignored is the only map there.
func isGroup(name string, v jsontext.Value) bool { return v.Kind() == '{' && name != "ignored" }

// expression returns a JSON value as an expression of Terraform on one line.
func expression(v jsontext.Value) string {
	var parts []string
	for _, element := range jsonvalue.Elements(v) {
		parts = append(parts, expression(element))
	}
	if v.Kind() == '[' {
		return "[" + list(parts) + "]"
	}

	for key, value := range jsonvalue.EachMember(v) {
		parts = append(parts, quoted(string(key))+" = "+expression(value))
	}
	if v.Kind() == '{' {
		return "{ " + list(parts) + " }"
	}

	if v.Kind() == '"' {
		return quoted(jsonvalue.Text(v))
	}

	return string(v)
}

// quoted returns a text as Terraform quotes it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(text) + `"`
}
