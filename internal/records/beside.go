// SPDX-License-Identifier: MPL-2.0

package records

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// addStrange notes a leaf that is not recognised, unless it is ignored with its value.
func (x *Reader) addStrange(l leaf) {
	if !x.ignores(l) {
		x.strange = append(x.strange, l)
	}
}

// ignores reports whether a leaf is ignored.
func (x *Reader) ignores(l leaf) bool {
	value, isNamed := x.options.Ignored[l.at]
	isValue := value == AnyValue || value == l.value
	isIgnored := isNamed && isValue

	return isIgnored || x.options.Result.IsSuccess(l.at, l.value)
}

// refuseStrange refuses the leaves that stand beside the records, if there are any.
func (x *Reader) refuseStrange() error {
	if len(x.strange) == 0 {
		return nil
	}

	return &answer.Error{Why: strangeMember + ": " + shown(x.strange), Advice: ignoring(x.strange...)}
}

// saysNothing reports whether the value of a leaf says nothing, whatever its name means.
func (l leaf) saysNothing() bool { return slices.Contains([]string{"null", "[]", "{}", ""}, l.value) }

// ignoring returns the advice to ignore leaves. It has a value only for leaves that say nothing:
// whether one of another value says that the answer is not whole, only a person can tell.
func ignoring(leaves ...leaf) string {
	var settings []string
	for _, l := range leaves {
		if l.saysNothing() && isShown(l.at) {
			settings = append(settings, `"`+string(l.at)+`" = "`+l.value+`"`)
		}
	}
	if len(settings) < len(leaves) {
		return "look at it: if it does not say that the answer is refused or incomplete, wire.ignored leaves it out"
	}

	return "wire.ignored = { " + strings.Join(settings, ", ") + " } leaves out what says nothing"
}

// assigned returns a setting of the export with a pointer as its value.
func assigned(setting string, at jsontext.Pointer) string {
	if !isShown(at) {
		return "wire.export." + setting
	}
	return "wire.export." + setting + ` = "` + string(at) + `"`
}

// isShown reports whether a message may show a pointer: all of its names have the form of a field's.
func isShown(at jsontext.Pointer) bool {
	for name := range at.Tokens() {
		if !jsonvalue.IsFieldName(name) {
			return false
		}
	}
	return true
}

// shownPointer returns a pointer for a message.
func shownPointer(at jsontext.Pointer) string {
	if !isShown(at) {
		return "a place whose name is not shown"
	}
	return `"` + string(at) + `"`
}

// shown returns the places of leaves for a message.
func shown(leaves []leaf) string {
	const limit = 12
	var places []string
	for _, l := range leaves[:min(len(leaves), limit)] {
		places = append(places, shownPointer(l.at))
	}
	if len(leaves) > limit {
		places = append(places, "…")
	}

	return strings.Join(slices.Compact(places), ", ")
}
