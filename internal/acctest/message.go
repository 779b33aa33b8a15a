package acctest

import (
	"regexp"
	"strings"
)

// Message returns an expression for ExpectError: an error that has these texts, in this order.
// The CLI breaks a line between any two words.
func Message(texts ...string) *regexp.Regexp {
	for i, text := range texts {
		words := strings.Fields(text)
		for j, word := range words {
			words[j] = regexp.QuoteMeta(word)
		}
		texts[i] = strings.Join(words, `\s+`)
	}

	return regexp.MustCompile(`(?s)` + strings.Join(texts, `.*`))
}
