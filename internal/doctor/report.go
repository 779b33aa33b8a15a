// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

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

// asConfigured returns the word for what works, with the settings as they are or with others.
func asConfigured(is bool) Word {
	if is {
		return OK
	}
	return Differs
}

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

	group string // of the findings that are added
}

func (r *Report) add(check string, word Word, text string) {
	r.Findings = append(r.Findings, Finding{r.group, check, word, text})
}

// close derives the result and the exit status from the worst word, and the wire block.
func (r *Report) close() {
	for status, words := range [][]Word{{OK}, {Unknown, Differs}, {Broken}} {
		for _, word := range words {
			if word == OK || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Word == word }) {
				r.Result, r.ExitStatus = word, status
			}
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

	return settings
}

// wireBlock returns the attribute wire of a provider block with the settings; empty if
// there are none.
func wireBlock(settings map[string]string) string {
	if len(settings) == 0 {
		return ""
	}

	var b strings.Builder
	b.WriteString("wire = {\n")
	aligned := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(settings[name])
		value = `"` + value + `"`
		if name == "ended_statuses" {
			value = "[" + strings.ReplaceAll(value, ",", `", "`) + "]"
		}
		fmt.Fprintf(aligned, "  %s\t= %s\n", name, value)
	}
	_ = aligned.Flush()
	b.WriteString("}\n")

	return b.String()
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }
