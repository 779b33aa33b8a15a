// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// With returns the settings with others on top. The error names one that is not accepted.
func (w Wire) With(s infer.Settings) (Wire, error) {
	with, err := ParseWire(w.settings().Merge(s).JSON())
	if err == nil {
		err = with.Validate()
	}
	return with, err
}

// advise adds a proposal to the *answer.Error of an answer that is not recognised. Any other error is
// returned as it is.
func (w Wire) advise(err error, v []byte, propose func(infer.Answer) []infer.Settings, admits func(Wire) bool) error {
	p, ok := errors.AsType[*answer.Error](err)
	if ok && p.Outcome != answer.Refused && p.Outcome != answer.Absent {
		p.Advice = cmp.Or(w.proposal(v, propose, admits), p.Advice)
	}
	return err
}

// proposal returns the advice to set what admits an answer, as a strict reader has tried, without the
// settings that it does not need: the first that are proposed and hold no name that must not be shown. It
// is empty if there are none.
func (w Wire) proposal(v []byte, propose func(infer.Answer) []infer.Settings, admits func(Wire) bool) string {
	suffices := func(s infer.Settings) bool {
		with, err := w.With(s)
		return err == nil && admits(with)
	}
	for _, s := range propose(infer.Answer{Body: v}) {
		if s = s.Inside(w.Envelope.At); !suffices(s) {
			continue
		}
		if s = s.Shortest(suffices); !slices.ContainsFunc(s.Texts(), isHidden) {
			return "look at it: " + answer.Admits(s.Sentence())
		}
	}

	return ""
}

// isHidden reports whether a name or a pointer must not be shown.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		isPlain := strings.Trim(part, "0123456789[]{}") == "" // an index or an empty value
		if !isPlain && part != answer.AnyValue && !jsonvalue.IsFieldName(part) {
			return true
		}
	}
	return false
}
