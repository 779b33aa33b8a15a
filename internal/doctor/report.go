// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"slices"
	"strconv"
	"strings"
)

// Word is the verdict of a finding.
type Word string

// The words. OK: the provider works with this as it is configured. Differs: another
// setting is needed, or the provider does not understand a part of it. Unknown: the
// examination looked and could not tell. Broken: nothing works until this is fixed.
const (
	OK      Word = "ok"
	Differs Word = "differs"
	Unknown Word = "unknown"
	Broken  Word = "broken"
)

// exitStatuses are the exit statuses of the process, by the worst word, the best first: 0 if
// the provider works as it is configured, 1 if something differs or is unknown, and 2 if
// something is broken.
var exitStatuses = []struct {
	worst  Word
	status int
}{{OK, 0}, {Unknown, 1}, {Differs, 1}, {Broken, 2}}

// Finding is one thing that was looked at.
type Finding struct {
	Group string `json:"group"`
	Check string `json:"check"`
	Word  Word   `json:"word"`
	Text  string `json:"text"`
}

// The groups of findings, in the order of the report.
const (
	GroupConnection = "Connection"
	GroupAccess     = "Access"
	GroupPending    = "Pending requests"
	GroupExport     = "Export"
	GroupConsent    = "Consent"
	GroupProfile    = "Profile"
	GroupWriting    = "Writing consent"
)

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

func (r *Report) omit(question, why string) {
	r.NotAnswered = append(r.NotAnswered, Omission{Question: question, Why: why})
}

// close sets the result.
func (r *Report) close() {
	for _, e := range exitStatuses {
		if e.worst == OK || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Word == e.worst }) {
			r.Result, r.ExitStatus = e.worst, e.status
		}
	}

	r.WireBlock = wireBlock(r.Setup.Wire)
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }

// counted returns a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
