// SPDX-License-Identifier: MPL-2.0

package client

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// With returns the settings with others on top. The error names one that is not accepted.
func (w Wire) With(s infer.Settings) (Wire, error) {
	before, _ := json.Marshal(w)
	with, err := ParseWire(infer.ParseSettings(before).Merge(s).JSON())
	if err == nil {
		err = with.Validate()
	}
	return with, err
}

// advise returns the settings, for a message, with which a strict reader accepts an answer, without
// those that it does not need; empty if none of those that are proposed does, or if they hold a name
// that must not be shown.
func (w Wire) advise(v []byte, propose func(infer.Answer) []infer.Settings, accepts func(Wire) bool) string {
	admits := func(s infer.Settings) bool {
		with, err := w.With(s)
		return err == nil && accepts(with)
	}
	for _, s := range propose(infer.Answer{Body: v}) {
		s = s.Inside(w.Envelope.At)
		if !admits(s) {
			continue
		}
		if s = s.Shortest(admits); !slices.ContainsFunc(s.Texts(), isHidden) {
			return s.Sentence()
		}
	}

	return ""
}

// isHidden reports whether a name or a pointer must not be shown.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		isPlain := strings.Trim(part, "0123456789[]{}") == "" // an index or an empty value
		if !isPlain && part != AnyValue && !jsonvalue.IsFieldName(part) {
			return true
		}
	}
	return false
}
