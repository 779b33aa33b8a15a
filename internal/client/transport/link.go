// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
)

// oneLink is a link of a Link header (RFC 8288, section 3) with its parameters, of which a value may be
// quoted or missing, and a whole one may be missing.
var oneLink = regexp.MustCompile(`<([^>]*)>((?:\s*;\s*(?:[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?)?)*)`)

// relNext are parameters with the relation next among others.
var relNext = regexp.MustCompile(`(?i);\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))`)

// NextLinks returns the targets of the links to a next page in Link headers. They are not
// safe to print. The error is that of a header which cannot be read and may name one, or of a part.
func NextLinks(h http.Header) (targets []string, _ error) {
	if h.Get("Content-Range") != "" {
		return nil, errors.New("a Content-Range header says that the answer is a part")
	}
	for _, field := range h.Values("Link") {
		if others := oneLink.ReplaceAllString(field, ""); strings.Contains(strings.ToLower(others), "next") {
			return nil, errors.New("a Link header cannot be read, so that it may name a next page")
		}
		for _, found := range oneLink.FindAllStringSubmatch(field, -1) {
			if relNext.MatchString(found[2]) {
				targets = append(targets, found[1])
			}
		}
	}

	return targets, nil
}
