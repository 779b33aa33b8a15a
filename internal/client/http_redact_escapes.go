package client

import (
	"encoding/base64"
	"html"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the ways of escaping that a redactor undoes. They are not undone together,
// since what looks like an escape of one may be a part of the text.
var escapes = []escape{
	{'%', unescapePercent},
	{'&', unescapeEntity},
	{'\\', unescapeBackslash},
}

// escape is one way of escaping. Its escapes begin with a lead; decode decodes the escape
// that s begins with and returns how long it is, zero where s begins with none.
type escape struct {
	lead   byte
	decode func(s string) (decoded string, size int)
}

// pieces yields the parts of s in their order, as they are and decoded. Text between escapes
// is the same in both.
func (e escape) pieces(s string) iter.Seq2[string, string] {
	return func(yield func(raw, decoded string) bool) {
		for s != "" {
			size := strings.IndexByte(s, e.lead)
			if size < 0 {
				size = len(s)
			}

			decoded := s[:size]
			if size == 0 {
				decoded, size = e.decode(s)
			}
			if size == 0 { // no escape
				decoded, size = s[:1], 1
			}

			if !yield(s[:size], decoded) {
				return
			}
			s = s[size:]
		}
	}
}

// undo returns s without its escapes, and whether there was one.
func (e escape) undo(s string) (decoded string, found bool) {
	if strings.IndexByte(s, e.lead) < 0 {
		return s, false
	}

	var b strings.Builder
	for _, part := range e.pieces(s) {
		b.WriteString(part)
	}

	return b.String(), b.String() != s
}

// mark marks the parts of s that inner hides of the decoded text. An escape is hidden as a
// whole.
func (e escape) mark(hidden mask, s string, inner mask) {
	at := 0
	for raw, decoded := range e.pieces(s) {
		if raw != decoded && slices.Contains(inner[:len(decoded)], true) {
			hidden.set(at, at+len(raw))
		}
		if raw == decoded {
			for i := range raw {
				hidden[at+i] = hidden[at+i] || inner[i]
			}
		}

		inner = inner[len(decoded):]
		at += len(raw)
	}
}

func unescapePercent(s string) (decoded string, size int) {
	size = min(len(s), len("%41"))
	decoded, err := url.PathUnescape(s[:size])
	if err != nil {
		return "", 0
	}
	return decoded, size
}

var (
	entityEscape    = regexp.MustCompile(`^&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});`)
	backslashEscape = regexp.MustCompile(`^\\(?:U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4})|[uU]([0-9A-Fa-f]{4})(?:\\[uU]([0-9A-Fa-f]{4}))?|[xX]([0-9A-Fa-f]{2})|([/"'\\bfnrt]))`)
	letterEscapes   = strings.NewReplacer("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t")
)

func unescapeEntity(s string) (decoded string, size int) {
	entity := entityEscape.FindString(s)
	for _, spelled := range []string{entity, strings.ToLower(entity)} {
		if text := html.UnescapeString(spelled); text != spelled {
			return text, len(entity)
		}
	}
	return "", 0
}

// unescapeBackslash decodes the escapes of JSON and Go, also with their letters in capitals.
func unescapeBackslash(s string) (decoded string, size int) {
	m := backslashEscape.FindStringSubmatch(s)
	if m == nil {
		return "", 0
	}

	first, second := hexRune(m[1]+m[2]), hexRune(m[3])
	pair := utf16.DecodeRune(first, second)
	switch {
	case m[5] != "":
		return letterEscapes.Replace(m[5]), len(m[0])
	case m[4] != "":
		return string([]byte{byte(hexRune(m[4]))}), len(m[0]) //nolint:gosec // two digits
	case m[3] != "" && pair == utf8.RuneError:
		return string(first), len(`\uFFFF`)
	case m[3] != "":
		return string(pair), len(m[0])
	}

	return string(first), len(m[0])
}

func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 31)
	return rune(n)
}

// shortestRun is the shortest piece of text that is read as base64, in characters.
const shortestRun = 8

// base64Runs yields the parts of s that may be base64, by their offsets.
func base64Runs(s string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(s); {
			to := len(s)
			if n := strings.IndexFunc(s[from:], isNotBase64); n >= 0 {
				to = from + n
			}

			if to-from >= shortestRun && !yield(from, to) {
				return
			}
			from = to + 1
		}
	}
}

func isNotBase64(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("+/_-", r)
}

// urlAlphabet replaces the two characters of the alphabet for addresses.
var urlAlphabet = strings.NewReplacer("-", "+", "_", "/")

// decodeBase64 decodes a text in either alphabet, up to its first error.
func decodeBase64(run string) string {
	std := urlAlphabet.Replace(run)
	if len(std)%4 == 1 {
		std = std[:len(std)-1]
	}

	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(std)))
	n, _ := base64.RawStdEncoding.Decode(out, []byte(std))

	return string(out[:n])
}
