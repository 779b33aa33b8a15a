// SPDX-License-Identifier: MPL-2.0

// Command answers reads a template of a page from its input, and writes it with a table of package catalogue in place
// of each line "<!-- answers: endpoint -->". It is a step of `make docs`.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

func main() {
	page, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}

	text := string(page)
	for _, endpoint := range catalogue.Endpoints {
		var table strings.Builder
		table.WriteString("| answer | of | it is | settings |\n|---|---|---|---|\n")
		for _, a := range catalogue.Of(endpoint) {
			table.WriteString(fmt.Sprintf("| %s | %s | %s | %s |\n", shown(a), cell(a.Source), meanings[a.Is], settings(a)))
		}
		text = strings.Replace(text, fmt.Sprintf("<!-- answers: %s -->\n", endpoint), strings.ReplaceAll(table.String(), "{{", `{{"{{"}}`), 1)
	}
	fmt.Fprint(os.Stdout, text)
}

// meanings are what answers are, as the page says it.
var meanings = map[catalogue.Meaning]string{
	catalogue.Token: "a token", catalogue.Account: "the current user", catalogue.Record: "the record", catalogue.None: "nothing is there", catalogue.Written: "written",
	catalogue.Personal: "the profile", catalogue.Accepted: "accepted", catalogue.Data: "the data", catalogue.List: "the list", catalogue.Day: "the day",
	catalogue.Refused: "a refusal", catalogue.Part: "a part", catalogue.Job: "a job", catalogue.Elsewhere: "not the service",
}

// shown returns the answer for the page: its status, the headers that matter, and the beginning
// of its body.
func shown(a catalogue.Answer) string {
	text := fmt.Sprint(a.Status)
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		text += " " + code(name+": "+a.Headers[name])
	}
	if len(a.Body()) == 0 {
		return text + " without content"
	}

	text += " " + code(string(a.Body()))
	if a.Then != nil {
		text += ", then " + code(string(a.Then))
	}

	return text
}

// settings returns what the page says of the settings.
func settings(a catalogue.Answer) string {
	switch {
	case a.Why != "":
		return "never: " + cell(a.Why)
	case a.Wire == nil:
		return "none needed"
	}
	return code(string(a.Wire))
}

// code returns a text as code in a cell, cut behind 300 bytes.
func code(text string) string {
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return "`" + cell(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", " ↵ ")) + "`"
}

// cell escapes what would end a cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
