// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Settings are settings of wire, by where its JSON has them: /absent, /pending/at or
// /pending/types/data_access. A value is a text, a truth value or a list of texts.
type Settings map[jsontext.Pointer]any

// ParseSettings returns the settings in wire as JSON.
func ParseSettings(wire jsontext.Value) Settings {
	s := Settings{}
	s.parse("", wire)
	return s
}

func (s Settings) parse(at jsontext.Pointer, v jsontext.Value) {
	if v.Kind() != '{' {
		var value any
		_ = json.Unmarshal(v, &value) // it was parsed
		s[at] = value
		return
	}
	for name, value := range jsonvalue.EachMember(v) {
		s.parse(at.AppendToken(string(name)), value)
	}
}

// JSON returns wire with the settings.
func (s Settings) JSON() jsontext.Value {
	wire := map[string]any{}
	for at, value := range s {
		group := wire
		for name := range at.Parent().Tokens() {
			inner, isThere := group[name].(map[string]any)
			if !isThere {
				inner = map[string]any{}
				group[name] = inner
			}
			group = inner
		}
		group[at.LastToken()] = value
	}
	text, _ := json.Marshal(wire, json.Deterministic(true)) // texts and truth values

	return text
}

// Merge returns both settings. A value of other wins, and lists are joined.
func (s Settings) Merge(other Settings) Settings {
	all := Settings{}
	maps.Copy(all, s)
	for at, value := range other {
		if words, isList := value.([]any); isList {
			known, _ := all[at].([]any)
			value = joined(known, words...)
		}
		all[at] = value
	}

	return all
}

// joined returns a list with further words, each once.
func joined(list []any, words ...any) []any {
	list = slices.Clone(list)
	for _, word := range words {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// Inside returns the settings for answers that have their content in an envelope: without it in front
// of where things are in the content.
func (s Settings) Inside(envelope jsontext.Pointer) Settings {
	inner := Settings{}
	for at, value := range s {
		isOfContent := slices.Contains([]jsontext.Pointer{"/consent/at", "/profile/at", "/pending/at"}, at) || at.Parent() == "/export/at"
		text, _ := value.(string)

		rest, isInside := strings.CutPrefix(text, string(envelope))
		switch {
		case !isOfContent, !isInside:
			inner[at] = value
		case rest != "":
			inner[at] = rest
		}
	}

	return inner
}

// guards are kept although answers are read without them: they show that a page is missing, or that
// the service has failed.
var guards = []jsontext.Pointer{"/pending/next", "/pending/total", "/export/next", "/export/total", "/result/at", "/result/success"}

// Shortest returns the settings without those that reading does not need, as suffices reports.
func (s Settings) Shortest(suffices func(Settings) bool) Settings {
	for _, at := range slices.Sorted(maps.Keys(s)) {
		less := maps.Clone(s)
		delete(less, at)
		if !slices.Contains(guards, at) && suffices(less) {
			s = less
		}
	}
	return s
}

// Texts returns the pointers and words that the settings take from answers.
func (s Settings) Texts() (all []string) {
	for at, value := range s {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, entry := range append(list, at.LastToken()) {
			if text, isText := entry.(string); isText {
				all = append(all, text)
			}
		}
	}

	return all
}

// assignment is a setting as a configuration has it.
type assignment struct {
	group, name string // group is empty at the top of the block
	value       string
	entries     []string // of a map, in place of the value
}

func (a assignment) String() string {
	if a.entries != nil {
		return "{ " + strings.Join(a.entries, ", ") + " }"
	}
	return a.value
}

// assignments returns the settings in the order of their names, those at the top first. What is three
// levels deep, or in ignored, is an entry of a map.
func (s Settings) assignments() (all []assignment) {
	for _, at := range slices.Sorted(maps.Keys(s)) {
		names := slices.Collect(at.Tokens())
		if names[0] == "ignored" || len(names) == 1 {
			names = slices.Insert(names, 0, "")
		}

		last := len(all) - 1
		if last < 0 || all[last].group != names[0] || all[last].name != names[1] {
			all = append(all, assignment{group: names[0], name: names[1], value: expression(s[at])})
			last++
		}
		if len(names) > 2 {
			all[last].entries = append(all[last].entries, quoted(names[2])+" = "+expression(s[at]))
		}
	}
	slices.SortStableFunc(all, func(a, b assignment) int { return strings.Compare(a.group, b.group) })

	return all
}

// Sentence returns the settings as a message names them, such as `wire.consent.at = "/0"`.
func (s Settings) Sentence() string {
	var parts []string
	for _, a := range s.assignments() {
		path := "wire." + a.name
		if a.group != "" {
			path = "wire." + a.group + "." + a.name
		}
		parts = append(parts, path+" = "+a.String())
	}

	return strings.Join(parts, " and ")
}

// Block returns the block wire of a provider block with the settings; empty if there are none.
func (s Settings) Block() string {
	if len(s) == 0 {
		return ""
	}

	var text strings.Builder
	text.WriteString("wire {\n")
	aligned := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	group, indent := "", "  "
	for _, a := range s.assignments() {
		if a.group != group {
			_ = aligned.Flush()
			if group != "" {
				text.WriteString("  }\n")
			}
			text.WriteString("  " + a.group + " {\n")
			group, indent = a.group, "    "
		}
		fmt.Fprintf(aligned, "%s%s\t= %s\n", indent, a.name, a)
	}
	_ = aligned.Flush()
	if group != "" {
		text.WriteString("  }\n")
	}

	return text.String() + "}\n"
}

// expression returns a value as an expression of Terraform.
func expression(value any) string {
	list, isList := value.([]any)
	if !isList {
		if text, isText := value.(string); isText {
			return quoted(text)
		}
		return fmt.Sprint(value)
	}

	var parts []string
	for _, element := range list {
		parts = append(parts, expression(element))
	}

	return "[" + strings.Join(parts, ", ") + "]"
}

// quoted returns a text as Terraform quotes it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(text) + `"`
}
