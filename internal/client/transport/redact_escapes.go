// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// reading is a text as it reads with layers of encoding undone.
type reading struct {
	text string
	at   []span // the part of the original text that each byte stands for
}

type span struct{ from, to int }

// original returns the reading of a text as it is.
func original(s string) reading {
	r := reading{text: s, at: make([]span, len(s))}
	for i := range r.at {
		r.at[i] = span{i, i + 1}
	}
	return r
}

// escape is a way of escaping: what its escapes look like, and what one of them stands for.
type escape struct {
	pattern *regexp.Regexp
	decode  func(escaped string) string
}

// escapes are the ways of escaping that a redactor undoes. They are not undone together,
// since what looks like an escape of one may be a part of the text.
var escapes = []escape{
	{regexp.MustCompile(`%[0-9A-Fa-f]{2}`), unescapePercent},
	{regexp.MustCompile(`&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});`), unescapeEntity},
	{regexp.MustCompile(`\\(?:U000[0-9A-Fa-f]{5}|U0010[0-9A-Fa-f]{4}|[uU][dD][89ABab][0-9A-Fa-f]{2}\\[uU][dD][C-Fc-f][0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4}|[xX][0-9A-Fa-f]{2}|[/"'\\bfnrt])`), unescapeBackslash},
}

// undo returns a reading without escapes, and whether there was one.
func (e escape) undo(r reading) (decoded reading, changed bool) {
	found := e.pattern.FindAllStringIndex(r.text, -1)
	if len(found) == 0 {
		return r, false
	}

	var text strings.Builder
	done := 0
	for _, m := range found {
		text.WriteString(r.text[done:m[0]])
		decoded.at = append(decoded.at, r.at[done:m[0]]...)

		plain := e.decode(r.text[m[0]:m[1]])
		text.WriteString(plain)
		decoded.at = append(decoded.at, slices.Repeat([]span{r.span(m[0], m[1])}, len(plain))...)
		done = m[1]
	}
	text.WriteString(r.text[done:])
	decoded.text = text.String()
	decoded.at = append(decoded.at, r.at[done:]...)

	return decoded, decoded.text != r.text
}

// span returns the part of the original that the bytes from one to another stand for.
func (r reading) span(from, to int) span { return span{r.at[from].from, r.at[to-1].to} }

func unescapePercent(escaped string) string {
	decoded, _ := url.PathUnescape(escaped) // the pattern excludes errors
	return decoded
}

func unescapeEntity(escaped string) string {
	for _, spelled := range []string{escaped, strings.ToLower(escaped)} {
		if text := html.UnescapeString(spelled); text != spelled {
			return text
		}
	}
	return escaped
}

var letterEscapes = strings.NewReplacer("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t")

// unescapeBackslash decodes an escape of JSON or Go, also with its letter in capitals.
func unescapeBackslash(escaped string) string {
	switch len(escaped) {
	case len(`\n`):
		return letterEscapes.Replace(escaped[1:])
	case len(`\xFF`):
		return string([]byte{byte(hexRune(escaped[2:]))}) //nolint:gosec // two digits
	case len(`\uD83D\uDE00`):
		return string(utf16.DecodeRune(hexRune(escaped[2:6]), hexRune(escaped[8:])))
	}

	return string(hexRune(escaped[2:]))
}

func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 31)
	return rune(n)
}

// base64Run is what may be base64. Shorter pieces of text are not read as such.
var base64Run = regexp.MustCompile(`[0-9A-Za-z+/_-]{8,}`)

// urlAlphabet replaces the two characters of the alphabet for addresses.
var urlAlphabet = strings.NewReplacer("-", "+", "_", "/")

// base64 returns the reading of the bytes from one to another as base64 in either alphabet,
// up to the first error. All of it stands for run.
func (r reading) base64(from, to int, run span) reading {
	std := urlAlphabet.Replace(r.text[from:to])
	if len(std)%4 == 1 {
		std = std[:len(std)-1]
	}

	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(std)))
	n, _ := base64.RawStdEncoding.Decode(out, []byte(std))

	return reading{text: string(out[:n]), at: slices.Repeat([]span{run}, n)}
}
