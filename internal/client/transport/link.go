// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// errLink is the error of a Link header that cannot be read.
var errLink = errors.New("a Link header cannot be read, so that it may name a next page")

// linkValue is the first link of a Link header (RFC 8288, section 3), and linkParameter one of its
// parameters, whose value may be quoted, or missing. As there, a semicolon may stand without one.
var (
	linkValue     = regexp.MustCompile(`^[,\s]*<([^>]*)>((?:\s*;\s*(?:[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?)?)*)\s*(?:,|$)`)
	linkParameter = regexp.MustCompile(`;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;,"]*)))?`)
)

// NextLinks returns the targets of the links to a next page in Link headers, each once. They are not
// safe to print. The error is that of a header which cannot be read and may name one.
func NextLinks(h http.Header) (targets []string, _ error) {
	for _, rest := range h.Values("Link") {
		for strings.Trim(rest, ", \t") != "" {
			link := linkValue.FindStringSubmatch(rest)
			if link == nil && strings.Contains(strings.ToLower(rest), "next") {
				return nil, errLink
			}
			if link == nil {
				break
			}

			rest = rest[len(link[0]):]
			if target := link[1]; isNext(link[2]) && !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
	}

	return targets, nil
}

// isNext reports whether the parameters of a link have the relation next. Only the first rel counts.
func isNext(parameters string) bool {
	for _, parameter := range linkParameter.FindAllStringSubmatch(parameters, -1) {
		if strings.EqualFold(parameter[1], "rel") {
			relations := strings.Fields(strings.ToLower(parameter[2] + parameter[3]))
			return slices.Contains(relations, "next")
		}
	}

	return false
}

// IsContinued reports whether a header says that an answer is a part, or that there is a next page.
func IsContinued(h http.Header) bool {
	targets, err := NextLinks(h)
	return h.Get("Content-Range") != "" || len(targets) > 0 || err != nil
}
