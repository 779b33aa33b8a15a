// SPDX-License-Identifier: MPL-2.0

package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// headings are the endpoints as the page names them.
var headings = map[Endpoint]string{
	Login: "Log in", User: "Read the current user", Consent: "Read consent", ConsentUpdate: "Update consent",
	Profile: "Read a profile", ProfileUpdate: "Update a profile", Deletion: "Delete all data", AllData: "Get all data",
	Pending: "List pending requests", Export: "Export a day",
}

// meanings are what answers are, as the page says it.
var meanings = map[Meaning]string{
	Token: "a token", Account: "the current user", Record: "the record", None: "nothing is there", Written: "written",
	Personal: "the profile", Accepted: "accepted", Data: "the data", List: "the list", Day: "the day",
	Refused: "a refusal", Part: "a part", Job: "a job", Elsewhere: "not the service",
}

// shownBytes is how much of an answer the page shows.
const shownBytes = 300

// Table returns the answers of an endpoint as a section of a page, in Markdown.
func Table(e Endpoint) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n| answer | of | it is | settings |\n|---|---|---|---|\n", headings[e])
	for _, a := range Of(e) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", a.shown(), cell(a.Source), meanings[a.Is], a.settings())
	}
	return b.String()
}

// shown returns the answer for the page: its status, the headers that matter, and the beginning
// of its body.
func (a Answer) shown() string {
	shown := fmt.Sprintf("%d", a.Status)
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		shown += " " + code(name+": "+a.Headers[name])
	}
	if len(a.Body()) == 0 {
		return shown + " without content"
	}

	shown += " " + code(string(a.Body()))
	if a.Then != nil {
		shown += ", then " + code(string(a.Then))
	}

	return shown
}

// settings returns what the page says of the settings.
func (a Answer) settings() string {
	if a.Why != "" {
		return "never: " + cell(a.Why)
	}
	if a.Wire == nil {
		return "none needed"
	}
	return code(string(a.Wire))
}

// code returns a text as code in a cell, cut where it is long.
func code(text string) string {
	if len(text) > shownBytes {
		text = text[:shownBytes]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return "`" + cell(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", " ↵ ")) + "`"
}

// cell escapes what would end a cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
