// SPDX-License-Identifier: MPL-2.0

package client

import (
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

// advise adds to the *answer.Error of an answer that is not recognised the settings with which a strict
// reader accepts it, without those that it does not need: the first that are proposed and hold no name
// that must not be shown. Any other error is returned as it is.
func (w Wire) advise(err error, v []byte, propose func(infer.Answer) []infer.Settings, read func(Wire) error) error {
	p, ok := errors.AsType[*answer.Error](err)
	if !ok || p.Outcome == answer.Refused || p.Outcome == answer.Absent {
		return err
	}

	admits := func(s infer.Settings) bool {
		with, err := w.With(s)
		return err == nil && read(with) == nil
	}
	for _, s := range propose(infer.Answer{Body: v}) {
		if s = s.Inside(w.Envelope.At); !admits(s) {
			continue
		}
		if s = s.Shortest(admits); !slices.ContainsFunc(s.Texts(), isHidden) {
			p.Advice = "look at it: " + answer.Admits(s.Sentence())
			break
		}
	}

	return p
}

// errInsufficient is that of a reading which still lacks what the settings were proposed for.
var errInsufficient = errors.New("the settings do not suffice")

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
