// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

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

// decodeBase64 returns what a run is in base64 of either alphabet, up to the first error.
func decodeBase64(run string) string {
	std := urlAlphabet.Replace(run)
	if len(std)%4 == 1 {
		std = std[:len(std)-1]
	}

	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(std)))
	n, _ := base64.RawStdEncoding.Decode(out, []byte(std))

	return string(out[:n])
}
