// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"regexp"
	"strings"
)

// Message returns an expression for ExpectError: an error that has these texts, in this order.
// The CLI breaks a line between any two words.
func Message(texts ...string) *regexp.Regexp {
	var parts []string
	for _, text := range texts {
		parts = append(parts, strings.ReplaceAll(regexp.QuoteMeta(strings.Join(strings.Fields(text), " ")), " ", `\s+`))
	}

	return regexp.MustCompile(`(?s)` + strings.Join(parts, `.*`))
}
