// SPDX-License-Identifier: MPL-2.0

package client

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// advise returns the settings, for a message, with which a strict reader accepts an answer, without
// those that it does not need; empty if none of those that are proposed does, or if they hold a name
// that must not be shown.
func (w Wire) advise(v []byte, propose func(infer.Answer) []infer.Settings, accepts func(Wire) bool) string {
	for _, s := range propose(infer.Answer{Status: 200, Body: v}) {
		if !w.acceptsWith(s, accepts) {
			continue
		}
		s = w.leastOf(s, accepts)
		if !slices.ContainsFunc(s.Names(), isHidden) {
			return strings.Join(assignments("wire", s), " and ")
		}
	}

	return ""
}

// acceptsWith reports whether an answer is accepted with other settings on top.
func (w Wire) acceptsWith(s infer.Settings, accepts func(Wire) bool) bool {
	with, err := w.with(s)
	return err == nil && accepts(with)
}

// leastOf returns the settings without those that are not needed.
func (w Wire) leastOf(s infer.Settings, accepts func(Wire) bool) infer.Settings {
	for _, less := range s.Without() {
		if w.acceptsWith(less, accepts) {
			return w.leastOf(less, accepts)
		}
	}
	return s
}

// isHidden reports whether a name or a pointer must not be shown.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		isIndex := strings.Trim(part, "0123456789") == ""
		if !isIndex && part != AnyValue && !jsonvalue.IsFieldName(part) {
			return true
		}
	}
	return false
}

// with returns the settings with others on top.
func (w Wire) with(s infer.Settings) (Wire, error) {
	before, _ := json.Marshal(w)
	added, _ := json.Marshal(s)
	merged, err := ParseWire(before)
	if err == nil {
		err = json.Unmarshal(added, &merged, json.RejectUnknownMembers(true))
	}

	return merged, err
}

// mapSettings are the settings whose values are maps.
var mapSettings = []string{"ignored", "at", "kinds", "record", "kind_values", "types", "statuses"}

// assignments returns settings as a configuration names them, such as `wire.consent.at = "/0"`.
func assignments(path string, s map[string]any) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		inner, isMap := s[name].(map[string]any)
		if isMap && !slices.Contains(mapSettings, name) {
			all = append(all, assignments(path+"."+name, inner)...)
			continue
		}
		all = append(all, path+"."+name+" = "+written(s[name]))
	}

	return all
}

// written returns a value as a configuration has it.
func written(value any) string {
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, strconv.Quote(key)+" = "+written(value[key]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []any:
		for _, element := range value {
			parts = append(parts, written(element))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return strconv.Quote(value)
	}

	text, _ := json.Marshal(value) // a boolean or a number

	return string(text)
}
