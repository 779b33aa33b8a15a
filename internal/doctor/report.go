// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Word is the verdict of a finding.
type Word string

// The words, the best first. OK: the provider works with this as it is configured. Unknown:
// the examination looked and could not tell. Differs: another setting is needed, or the
// provider does not understand a part of it. Broken: nothing works until this is fixed.
const (
	OK      Word = "ok"
	Unknown Word = "unknown"
	Differs Word = "differs"
	Broken  Word = "broken"
)

// exitStatuses are the exit statuses of the process by the worst word.
var exitStatuses = map[Word]int{OK: 0, Unknown: 1, Differs: 1, Broken: 2}

// Groups of findings.
const (
	GroupConnection = "Connection"
	GroupAccess     = "Access"
	GroupPending    = "Pending requests"
	GroupExport     = "Export"
	GroupConsent    = "Consent"
	GroupProfile    = "Profile"
	GroupWriting    = "Writing consent"
)

// groups are the groups in the order of the report.
var groups = []string{GroupConnection, GroupAccess, GroupPending, GroupExport, GroupConsent, GroupProfile, GroupWriting}

// Finding is one thing that was looked at.
type Finding struct {
	Group string `json:"group"`
	Check string `json:"check"`
	Word  Word   `json:"word"`
	Text  string `json:"text"`
}

// Omission is a question that was not answered, with the reason.
type Omission struct {
	Question string `json:"question"`
	Why      string `json:"why"`
}

// Setup is what a provider block for this service contains.
type Setup struct {
	// Credentials is what to authenticate with; empty if nothing was accepted.
	Credentials string `json:"credentials,omitempty"`
	// PathFamily is "project" or "account"; empty if none answered.
	PathFamily string `json:"path_family,omitempty"`
	// Wire are the settings that differ from the defaults, by name.
	Wire map[string]string `json:"wire"`
}

// Report is the result of an examination. It holds names and never a value of the service,
// a credential or a person.
type Report struct {
	Format        int        `json:"format"` // of this JSON
	Version       string     `json:"provider_version"`
	Level         string     `json:"level"`
	Result        Word       `json:"result"`
	ExitStatus    int        `json:"exit_status"`
	Requests      int        `json:"requests"`
	LoginAttempts int        `json:"login_attempts"`
	Findings      []Finding  `json:"findings"`
	Setup         Setup      `json:"setup"`
	WireBlock     string     `json:"wire_block"`
	NotAnswered   []Omission `json:"not_answered"`
}

func (r *Report) add(group, check string, word Word, text string) {
	r.Findings = append(r.Findings, Finding{Group: group, Check: check, Word: word, Text: text})
}

// close sorts the findings, and derives the result and the wire block.
func (r *Report) close() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return slices.Index(groups, a.Group) - slices.Index(groups, b.Group)
	})

	for _, word := range []Word{OK, Unknown, Differs, Broken} {
		if word == OK || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Word == word }) {
			r.Result, r.ExitStatus = word, exitStatuses[word]
		}
	}

	r.WireBlock = wireBlock(r.Setup.Wire)
}

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
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(settings[name])
		value = `"` + value + `"`
		if name == "ended_statuses" {
			value = "[" + strings.ReplaceAll(value, ",", `", "`) + "]"
		}
		fmt.Fprintf(&b, "  %-*s = %s\n", width, name, value)
	}
	b.WriteString("}\n")

	return b.String()
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }
