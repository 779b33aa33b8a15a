// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"fmt"
	"io"
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
	if wire.Kind() == '{' { // null has none
		s.parse("", wire)
	}
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

// NextPage returns the settings that say where the address of the next page is, and how many records all pages
// have; nil if none says where.
func (s Settings) NextPage() Settings {
	for _, group := range []jsontext.Pointer{"/pending", "/export"} {
		if s[group+"/next"] == nil {
			continue
		}
		pages := Settings{group + "/next": s[group+"/next"]}
		if total := s[group+"/total"]; total != nil {
			pages[group+"/total"] = total
		}

		return pages
	}

	return nil
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

// Sentence returns the settings as a message names them, such as `wire.consent.at = "/0"`.
func (s Settings) Sentence() string {
	var parts []string
	for name, value := range jsonvalue.EachMember(s.JSON()) {
		path := "wire." + string(name)
		if !isGroup(string(name), value) {
			parts = append(parts, path+" = "+expression(value))
			continue
		}
		for name, value := range jsonvalue.EachMember(value) {
			parts = append(parts, path+"."+string(name)+" = "+expression(value))
		}
	}

	return strings.Join(parts, " and ")
}

// isGroup reports whether a setting of wire is a group of settings: ignored is the only map there.
func isGroup(name string, v jsontext.Value) bool { return v.Kind() == '{' && name != "ignored" }

// Block returns the block wire of a provider block with the settings; empty if there are none.
func (s Settings) Block() string {
	if len(s) == 0 {
		return ""
	}
	var text strings.Builder
	writeBlock(&text, "wire", s.JSON(), "")

	return text.String()
}

// writeBlock writes a block with the members of a JSON object. The groups of wire are blocks.
func writeBlock(to io.Writer, name string, settings jsontext.Value, indent string) {
	fmt.Fprintf(to, "%s%s {\n", indent, name)

	var groups []string
	aligned := tabwriter.NewWriter(to, 0, 0, 1, ' ', 0)
	for name, v := range jsonvalue.EachMember(settings) {
		if indent == "" && isGroup(string(name), v) {
			groups = append(groups, string(name))
			continue
		}
		fmt.Fprintf(aligned, "%s  %s\t= %s\n", indent, name, expression(v))
	}
	_ = aligned.Flush()
	for _, name := range groups {
		writeBlock(to, name, jsonvalue.Members(settings)[name], "  ")
	}

	fmt.Fprintf(to, "%s}\n", indent)
}

// expression returns a JSON value as an expression of Terraform on one line.
func expression(v jsontext.Value) string {
	var parts []string
	switch v.Kind() {
	case '"':
		return quoted(jsonvalue.Text(v))
	case '[':
		for _, element := range jsonvalue.Elements(v) {
			parts = append(parts, expression(element))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '{':
		for key, value := range jsonvalue.EachMember(v) {
			parts = append(parts, quoted(string(key))+" = "+expression(value))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}

	return string(v)
}

// quoted returns a text as Terraform quotes it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(text) + `"`
}
