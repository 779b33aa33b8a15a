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

// NextLinks returns the targets of the links to a next page in Link headers (RFC 8288), each once.
// They are not safe to print. The error is that of a header which cannot be read and may name one.
func NextLinks(h http.Header) (targets []string, _ error) {
	for _, header := range h.Values("Link") {
		for rest := header; strings.Trim(rest, ", \t") != ""; {
			l, after, ok := cutLink(strings.TrimLeft(rest, ", \t"))
			if !ok && strings.Contains(strings.ToLower(rest), "next") {
				return nil, errLink
			}
			if !ok {
				break
			}
			isNext := slices.ContainsFunc(strings.Fields(l.rel), func(rel string) bool { return strings.EqualFold(rel, "next") })
			if isNext && !slices.Contains(targets, l.target) {
				targets = append(targets, l.target)
			}
			rest = after
		}
	}

	return targets, nil
}

// link is one link of a Link header.
type link struct{ target, rel string }

// cutLink cuts the first link off. Only the first rel of a link counts. It reports false for what is
// not a link.
func cutLink(text string) (l link, after string, ok bool) {
	text, isTarget := strings.CutPrefix(text, "<")
	l.target, after, ok = strings.Cut(text, ">")
	if !isTarget || !ok {
		return l, "", false
	}

	hasRel := false
	for {
		after = strings.TrimLeft(after, " \t")
		parameter, isNext := strings.CutPrefix(after, ";")
		if !isNext {
			return l, after, after == "" || after[0] == ','
		}

		var name, value string
		if name, value, after, ok = cutParameter(parameter); !ok {
			return l, "", false
		}
		if strings.EqualFold(name, "rel") && !hasRel {
			l.rel, hasRel = value, true
		}
	}
}

// cutParameter cuts the first parameter off, whose value may be quoted, or missing.
func cutParameter(text string) (name, value, after string, ok bool) {
	end := strings.IndexAny(text+";", "=;,")
	if end == len(text) || text[end] != '=' {
		return strings.TrimSpace(text[:end]), "", text[end:], true
	}

	name, after = strings.TrimSpace(text[:end]), strings.TrimLeft(text[end+1:], " \t")
	if !strings.HasPrefix(after, `"`) {
		end = strings.IndexAny(after+";", ";,")
		return name, strings.TrimSpace(after[:end]), after[end:], true
	}

	value, after, ok = cutQuoted(after[1:])

	return name, value, after, ok
}

// cutQuoted cuts the rest of a quoted text off, in which a backslash stands before any character.
func cutQuoted(text string) (value, after string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			i++
		}
		if i < len(text) {
			b.WriteByte(text[i])
		}
	}

	return "", "", false
}
