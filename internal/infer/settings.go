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
	for _, p := range places(wire)[1:] {
		if p.value.Kind() != '{' {
			var value any
			_ = json.Unmarshal(p.value, &value) // it was parsed
			s[p.at] = value
		}
	}

	return s
}

// JSON returns wire with the settings.
func (s Settings) JSON() jsontext.Value {
	wire := map[string]any{}
	for at, value := range s {
		group := wire
		for name := range at.Parent().Tokens() {
			if group[name] == nil {
				group[name] = map[string]any{}
			}
			group, _ = group[name].(map[string]any) // a setting is not a group
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
			all.add(at, words...)
			continue
		}
		all[at] = value
	}

	return all
}

// add adds words to a list.
func (s Settings) add(setting jsontext.Pointer, words ...any) {
	list, _ := s[setting].([]any)
	for _, word := range words {
		if !slices.Contains(list, word) {
			list = append(slices.Clip(list), word)
		}
	}
	s[setting] = list
}

// set adds a pointer, unless it is empty.
func (s Settings) set(setting, at jsontext.Pointer) {
	if at != "" {
		s[setting] = string(at)
	}
}

// Inside returns the settings for answers that have their content in an envelope: without it in front
// of where things are in the content.
func (s Settings) Inside(envelope jsontext.Pointer) Settings {
	inner := maps.Clone(s)
	for at, value := range s {
		isOfContent := slices.Contains([]jsontext.Pointer{"/consent/at", "/profile/at", "/pending/at"}, at) || at.Parent() == "/export/at"
		if isOfContent {
			delete(inner, at)
			inner.set(at, jsontext.Pointer(strings.TrimPrefix(fmt.Sprint(value), string(envelope))))
		}
	}

	return inner
}

// guards are the settings by which a missing page or a failure of the service is noticed.
var guards = []jsontext.Pointer{"/pending/next", "/pending/total", "/export/next", "/export/total", "/result/at", "/result/success"}

// Shortest returns the settings without those that reading does not need, as suffices reports. The guards are kept
// although answers are read without them.
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

// NextPage returns the guards, if they say where the address of the next page is; otherwise nil.
func (s Settings) NextPage() Settings {
	if s["/pending/next"] == nil && s["/export/next"] == nil {
		return nil
	}
	return s.Shortest(func(Settings) bool { return true })
}

// Texts returns the pointers and words that the settings take from answers.
func (s Settings) Texts() (all []string) {
	for at, value := range s {
		words, isList := value.([]any)
		if !isList {
			words = []any{value}
		}
		for _, word := range append(words, at.LastToken()) {
			all = append(all, fmt.Sprint(word))
		}
	}

	return all
}

// groups are the groups of settings in wire. Other objects are maps.
var groups = strings.Fields("result login consent profile pending all_data export")

// Sentence returns the settings as a message names them, such as `wire.consent.at = "/0"`.
func (s Settings) Sentence() string {
	return strings.Join(assignments("wire.", s.JSON()), " and ")
}

// assignments returns the settings in a group at a path.
func assignments(path string, group jsontext.Value) (all []string) {
	for name, value := range jsonvalue.Parts(group) {
		if slices.Contains(groups, string(name)) {
			all = append(all, assignments(path+string(name)+".", value)...)
			continue
		}
		all = append(all, path+string(name)+" = "+expression(value))
	}

	return all
}

// Block returns the block wire of a provider block with the settings; empty if there are none.
func (s Settings) Block() string {
	var text strings.Builder
	aligned := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	if len(s) > 0 {
		fmt.Fprint(aligned, block("", "wire", s.JSON()))
	}
	_ = aligned.Flush() // a strings.Builder takes all

	return text.String()
}

// block returns a block with the members of a JSON object: first its settings, and then its groups. A tab aligns.
func block(indent, name string, group jsontext.Value) string {
	text, inner := indent+name+" {\n", ""
	for name, value := range jsonvalue.Parts(group) {
		if slices.Contains(groups, string(name)) {
			inner += block(indent+"  ", string(name), value)
			continue
		}
		text += indent + "  " + string(name) + "\t= " + expression(value) + "\n"
	}

	return text + inner + indent + "}\n"
}

// expression returns a JSON value as an expression of Terraform on one line.
func expression(v jsontext.Value) string {
	if v.Kind() != '{' {
		return literal(v)
	}

	var parts []string
	for key, value := range jsonvalue.Parts(v) {
		quoted, _ := jsontext.AppendQuote(nil, key) // it was parsed
		parts = append(parts, literal(quoted)+" = "+literal(value))
	}

	return "{ " + strings.Join(parts, ", ") + " }"
}

// literal returns a text, a truth value or a list as Terraform writes it: as JSON, without templates.
func literal(v jsontext.Value) string {
	text := v.Clone()
	_ = text.Format(jsontext.SpaceAfterComma(true)) // it was parsed
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(text))
}
