// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// errLink is the error of a Link header that cannot be read.
var errLink = errors.New("a Link header cannot be read, so that it may name a next page")

// NextLinks returns the targets of the links to a next page in Link headers (RFC 8288), each once. They
// are not safe to print. The error is that of a header which cannot be read and may name one.
func NextLinks(h http.Header) (targets []string, _ error) {
	for _, field := range h.Values("Link") {
		links, isWhole := split(field, ',')
		for _, link := range links {
			parts, _ := split(link, ';')
			target := strings.TrimSpace(parts[0])
			isLink := strings.HasPrefix(target, "<") && strings.HasSuffix(target, ">")
			if target != "" && !isLink {
				isWhole = false
			}
			if target = strings.Trim(target, "<>"); isLink && isNext(parts[1:]) && !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
		if !isWhole && strings.Contains(strings.ToLower(field), "next") {
			return nil, errLink
		}
	}

	return targets, nil
}

// isNext reports whether the parameters of a link have the relation next. Only the first rel counts.
func isNext(parameters []string) bool {
	for _, parameter := range parameters {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") {
			relations := strings.Fields(strings.ToLower(strings.Trim(value, `" `)))
			return slices.Contains(relations, "next")
		}
	}

	return false
}

// split splits a header field at a separator outside of targets and quoted values. It reports false
// where one of them does not end.
func split(field string, separator byte) (parts []string, isWhole bool) {
	closing, begin := byte(0), 0
	for i := 0; i < len(field); i++ {
		switch c := field[i]; {
		case closing == '"' && c == '\\':
			i++
		case c == closing:
			closing = 0
		case closing != 0:
		case c == '<':
			closing = '>'
		case c == '"':
			closing = '"'
		case c == separator:
			parts, begin = append(parts, field[begin:i]), i+1
		}
	}

	return append(parts, field[begin:]), closing == 0
}

// IsContinued reports whether a header says that an answer is a part, or that there is a next page.
func IsContinued(h http.Header) bool {
	targets, err := NextLinks(h)
	return h.Get("Content-Range") != "" || len(targets) > 0 || err != nil
}
