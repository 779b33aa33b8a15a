// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// reading reads the settings from a provider block and, where that does not set them, from the
// environment.
type reading struct {
	block  map[string]tftypes.Value // the values that the block sets, known or not, by setting
	getenv func(string) string
	diags  *diag.Diagnostics

	unknown []string       // settings that are not known yet
	sources map[string]any // where the value of each setting comes from, for the log
}

// newReading returns the reading of a provider block; the zero Value is an empty one.
func newReading(block tftypes.Value, getenv func(string) string, diags *diag.Diagnostics) *reading {
	r := &reading{block: members("", block), getenv: getenv, diags: diags, sources: map[string]any{}}
	maps.Copy(r.block, members("wire_", r.block["wire"]))

	return r
}

// members returns the attributes of an object that are set, by their names behind a prefix.
func members(prefix string, object tftypes.Value) map[string]tftypes.Value {
	set := map[string]tftypes.Value{}
	if object.IsNull() || !object.IsKnown() {
		return set
	}

	var all map[string]tftypes.Value
	_ = object.As(&all) // the framework has checked the types
	for name, value := range all {
		if !value.IsNull() {
			set[prefix+name] = value
		}
	}

	return set
}

// configuration takes over every setting that is known.
func (r *reading) configuration() *configuration {
	to := &configuration{Config: client.Config{MaxRetries: client.DefaultMaxRetries}}
	if wire, ok := r.block["wire"]; ok && !wire.IsKnown() {
		r.unknown = append(r.unknown, "wire")
	}

	for _, s := range settings {
		value, found := r.value(s)
		if !found {
			continue
		}
		if err := s.apply(to, value); err != nil {
			r.refuse(s, err.Error())
		}
	}

	return to
}

// value returns the value of a setting in the form of its variable, if it is set and known.
func (r *reading) value(s setting) (value string, found bool) {
	v, isInBlock := r.block[s.name]
	if isInBlock && !v.IsFullyKnown() {
		r.unknown = append(r.unknown, s.name)
		r.sources[s.name] = "not known yet"

		return "", false
	}
	if isInBlock {
		r.sources[s.name] = "provider block"
		return textOf(v), true
	}
	if r.sets(s.group) || strings.HasPrefix(s.name, "wire_") && slices.Contains(r.unknown, "wire") {
		return "", false
	}

	value = r.getenv(s.variable())
	if value == "" {
		return "", false
	}
	r.sources[s.name] = "environment"

	return value, true
}

// sets reports whether the block sets any of a group, known or not.
func (r *reading) sets(group string) bool {
	return group != "" && slices.ContainsFunc(settings, func(s setting) bool {
		_, isInBlock := r.block[s.name]
		return s.group == group && isInBlock
	})
}

// unknownOf returns the settings of a group that are not known yet.
func (r *reading) unknownOf(group string) []string {
	var names []string
	for _, s := range settings {
		if s.group == group && slices.Contains(r.unknown, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// textOf returns a known value in the form of its variable.
func textOf(v tftypes.Value) string {
	var text string
	var truth bool
	var number big.Float
	var list []tftypes.Value
	var object map[string]tftypes.Value

	switch {
	case v.As(&text) == nil:
		return text
	case v.As(&truth) == nil:
		return fmt.Sprint(truth)
	case v.As(&number) == nil:
		return number.Text('f', -1)
	case v.As(&list) == nil:
		var texts []string
		for _, element := range list {
			texts = append(texts, textOf(element))
		}
		return strings.Join(texts, ",")
	}

	_ = v.As(&object)
	texts := map[string]string{}
	for name, element := range object {
		texts[name] = textOf(element)
	}
	encoded, _ := json.Marshal(texts)

	return string(encoded)
}

// refuse reports a value that cannot be used, without the value.
func (r *reading) refuse(s setting, problem string) {
	p := tfkit.Problem{Summary: "Invalid value", Detail: s.name + " " + problem + ".", At: s.path()}
	if r.sources[s.name] == "environment" {
		p.Summary, p.Detail = "Invalid environment variable", "The environment variable "+s.variable()+" "+problem+"."
	}
	p.AddError(r.diags)
}
