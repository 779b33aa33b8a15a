// SPDX-License-Identifier: MPL-2.0

package client

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// advise returns the settings, for a message, with which a strict reader accepts an answer; empty if
// none of those that are proposed does, or if they hold a name that must not be shown.
func (w Wire) advise(v jsontext.Value, propose func(infer.Answer) []infer.Settings, accepts func(Wire) bool) string {
	for _, s := range propose(infer.Answer{Status: 200, Body: v}) {
		isHidden := func(name string) bool { return !jsonvalue.IsFieldName(name) && strings.Trim(name, "0123456789") != "" }
		if slices.ContainsFunc(s.Names(), isHidden) {
			continue
		}
		if with, err := w.with(s); err == nil && accepts(with) {
			return assignments("wire", s)
		}
	}

	return ""
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

// assignments returns settings for a message, such as `wire.consent.at = "/0"`.
func assignments(path string, s map[string]any) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if group, isGroup := s[name].(map[string]any); isGroup {
			all = append(all, assignments(path+"."+name, group))
		} else {
			all = append(all, fmt.Sprintf("%s.%s = %q", path, name, s[name]))
		}
	}

	return strings.Join(all, " and ")
}
