// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	redacted = "[redacted]"

	// redactDepth is how many layers of encoding are undone: escapes of addresses, HTML and
	// JSON, and base64, in any order. redactBase64 of the layers can be base64.
	redactDepth  = 4
	redactBase64 = 2
)

// Redactor removes what must never be shown from text that others wrote: the values of the
// request and the secrets of the client, however they are spelled, and what looks like a
// person or a credential, since a service may quote more than this request sent. It is used by
// one goroutine at a time.
type Redactor struct {
	secrets *vocabulary // of the client
	values  []string    // of the request
	private *vocabulary // of the values; nil until something is shown, since most calls show nothing
}

// NewRedactor returns a redactor for values, and for what looks like a secret.
func NewRedactor(private ...string) *Redactor {
	return &Redactor{secrets: &vocabulary{}, values: private}
}

// minHexadecimal is the length of the shortest value that is hidden in hexadecimal too. Shorter ones
// would hide parts of ordinary numbers.
const minHexadecimal = 4

// Text redacts, escapes and cuts, in this order: cutting first could leave half of a
// secret, which would not be recognised. limit is in characters.
func (r *Redactor) Text(s string, limit int) string { return escapeText(r.Clean(s), limit) }

// Clean returns s without what must not be shown. Where some of it is encoded, s is shown
// decoded. A value may be a part of a secret, and a shape a part of a value.
func (r *Redactor) Clean(s string) string {
	if s == "" {
		return ""
	}
	if r.private == nil {
		r.private = &vocabulary{}
		r.private.add(r.values...)
		for _, value := range r.values {
			if len(value) >= minHexadecimal {
				r.private.add(hex.EncodeToString([]byte(value)))
			}
		}
	}

	for _, hide := range []func(string, bool) string{r.secrets.hide, r.private.hide, hideShapes} {
		s = clean(s, hide, redactDepth, redactBase64)
	}

	return s
}

// clean returns s with hide applied to it and to what it reads with layers of encoding undone.
// depth is how many more are undone, and inBase64 how many of them can be base64. hide is told
// whether its text was base64.
func clean(s string, hide func(s string, fromBase64 bool) string, depth, inBase64 int) string {
	s = hide(s, inBase64 < redactBase64)
	if depth == 0 {
		return s
	}

	for _, kind := range escapes {
		if decoded := kind.ReplaceAllStringFunc(s, unescape); decoded != s {
			if cleaned := clean(decoded, hide, depth-1, inBase64); cleaned != decoded {
				s = cleaned
			}
		}
	}
	if inBase64 == 0 {
		return s
	}

	return base64Run.ReplaceAllStringFunc(s, func(run string) string {
		for offset := range 4 { // the true beginning of what is encoded is not known
			decoded, _ := base64.RawStdEncoding.DecodeString(toStandard.Replace(run[offset:])) // up to the first error
			if text := string(decoded); clean(text, hide, depth-1, inBase64-1) != text {
				return redacted
			}
		}
		return run
	})
}

// base64Run is what may be base64 of either alphabet. Shorter pieces are not read as such.
var (
	base64Run  = regexp.MustCompile(`[0-9A-Za-z+/_-]{8,}`)
	toStandard = strings.NewReplacer("-", "+", "_", "/")
)

// escapes are those of addresses, of HTML, and of JSON and Go. They are not undone together,
// since what looks like an escape of one may be a part of the text.
var escapes = []*regexp.Regexp{
	regexp.MustCompile(`%[0-9A-Fa-f]{2}`),
	regexp.MustCompile(`&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});`),
	regexp.MustCompile(`\\(?:U000[0-9A-Fa-f]{5}|U0010[0-9A-Fa-f]{4}|[uU][dD][89ABab][0-9A-Fa-f]{2}\\[uU][dD][C-Fc-f][0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4}|[xX][0-9A-Fa-f]{2}|[/"'\\bfnrt])`),
}

var letterEscapes = strings.NewReplacer("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t")

// unescape returns what an escape stands for, also in capitals.
func unescape(escape string) string {
	if escape[0] == '&' {
		if text := html.UnescapeString(escape); text != escape {
			return text
		}
		return html.UnescapeString(strings.ToLower(escape))
	}

	hex := func(digits string) rune {
		n, _ := strconv.ParseUint(digits, 16, 31)
		return rune(n)
	}
	switch len(escape) {
	case len(`\n`):
		return letterEscapes.Replace(escape[1:])
	case len(`%FF`), len(`\xFF`):
		return string([]byte{byte(hex(escape[len(escape)-2:]))}) //nolint:gosec // two digits
	case len(`\uD83D\uDE00`):
		return string(utf16.DecodeRune(hex(escape[2:6]), hex(escape[8:])))
	}

	return string(hex(escape[2:]))
}

// vocabulary holds values that must not be shown, folded, by their first character. It may
// be used by several goroutines.
type vocabulary struct {
	mu    sync.RWMutex
	words map[rune][][]rune
	known map[string]bool // of the words
}

// add adds values. A value may itself hold what looks like an escape, so that each way to
// read it is added.
func (v *vocabulary) add(values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()

	if v.words == nil {
		v.words, v.known = map[rune][][]rune{}, map[string]bool{}
	}
	for _, value := range values {
		clean(strings.TrimSpace(value), func(reading string, _ bool) string {
			folded := strings.Map(fold, reading)
			if word := []rune(folded); len(word) > 0 && !v.known[folded] {
				v.known[folded] = true
				v.words[word[0]] = append(v.words[word[0]], word)
			}
			return reading
		}, redactDepth, 0)
	}
}

// fold returns a character in the form in which texts are compared: without the difference
// between upper and lower case, and with a space for the plus sign of a form.
func fold(r rune) rune {
	if r == '+' {
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// hide returns s without the values. In what was base64, values of up to three bytes are
// found by chance and do not count.
func (v *vocabulary) hide(s string, fromBase64 bool) string {
	v.mu.RLock()
	defer v.mu.RUnlock()

	var shown strings.Builder
	const edge = string(utf8.RuneError)

	text, folded := []rune(edge+s), []rune(edge+strings.Map(fold, s)+edge)
	hidden := 0 // the end of the values found so far
	for i := 1; i < len(text); i++ {
		for _, word := range v.words[folded[i]] {
			to := i + len(word)
			isByChance := fromBase64 && len(string(word)) <= 3
			isFound := to > hidden && to < len(folded) && slices.Equal(word, folded[i:to]) && isMeant(folded, i, to)
			if isByChance || !isFound {
				continue
			}
			if hidden <= i {
				shown.WriteString(redacted)
			}
			hidden = to
		}

		if hidden <= i {
			shown.WriteRune(text[i])
		}
	}
	if hidden == 0 {
		return s
	}

	return shown.String()
}

// isMeant reports whether s[from:to], which has something on either side, stands for the value
// that it is equal to, and is not a word that happens to be equal. Long values are not part of
// anything else. Short ones are found inside words, and of up to three letters they are words
// themselves, such as "or".
func isMeant(s []rune, from, to int) bool {
	value := s[from:to]
	isWord := !slices.ContainsFunc(value, isOutsideWord)
	isPlain := isWord && !slices.ContainsFunc(value, unicode.IsDigit)

	switch {
	case len(value) >= 8, len(value) >= 4 && !isWord:
		return true
	case len(value) == 1, len(value) <= 3 && isPlain:
		const quotes = "\"'`“”„‘’«»"
		return strings.ContainsRune(quotes, s[from-1]) && strings.ContainsRune(quotes, s[to])
	}

	return isOutsideWord(s[from-1]) && isOutsideWord(s[to])
}

func isOutsideWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Things that look like a person or a credential wherever they stand, behind what the group
// holds. A word behind the name of a secret is part of a sentence; a value is assigned,
// quoted, or has something in it that words have not.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`()[^\s"'<>()\[\],;:=/]+@[^\s"'<>()\[\],;:]+`),
	regexp.MustCompile(`()eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)(?:=|["']\s*[:=]\s*|\s*[:=]\s*["'])["']?)[^\s&"',;]+`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)\s*[:\s]\s*)[^\s&"',;]*[^\s&"',;A-Za-z.!?)][^\s&"',;]*`),
}

// looksLikeAddress is what may be an IP address, with the letter or digit on each side of it.
var looksLikeAddress = regexp.MustCompile(`([\pL\pN]??)([0-9A-Fa-f:.]{4,})([\pL\pN]?)`)

// hideShapes returns s without what looks like a person or a credential. An address is not part
// of a word, except in what was base64, where how much belongs together cannot be seen. A time
// of day or a version number is none. Any word can be read as base64: what is no text was none.
func hideShapes(s string, fromBase64 bool) string {
	if fromBase64 && !isText(s) {
		return s
	}

	for _, shape := range shapes {
		s = shape.ReplaceAllString(s, "${1}"+redacted)
	}

	return looksLikeAddress.ReplaceAllStringFunc(s, func(found string) string {
		parts := looksLikeAddress.FindStringSubmatch(found)
		before, run, after := parts[1], parts[2], parts[3]
		isPart := !fromBase64 && isInWord(before, run, after)
		if isPart || !isAddress(run) {
			return found
		}

		return before + redacted + after
	})
}

// isText reports whether all of s is text that people read.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(strings.ReplaceAll(s, "\n", ""), isBinary)
}

func isBinary(r rune) bool { return !unicode.IsGraphic(r) }

// isAddress reports whether a run of hexadecimal digits, colons and points is an IP address, which
// punctuation may surround, and a port may follow.
func isAddress(run string) bool {
	core := strings.Trim(run, ":.")
	if core == "" {
		return false
	}

	for _, text := range []string{core, "::" + core, core + "::"} {
		_, err := netip.ParseAddr(text)
		_, errPort := netip.ParseAddrPort(text)
		isParsed := err == nil || errPort == nil
		if isParsed && strings.Contains(run, text) {
			return true
		}
	}

	return false
}

// isInWord reports whether a run goes on in a letter or digit before or after it.
func isInWord(before, run, after string) bool {
	if before != "" && run == strings.TrimLeft(run, ":.") {
		return true
	}
	return after != "" && run == strings.TrimRight(run, ":.")
}

// escapeText returns text that is harmless to print: one line, no control or invisible
// characters, valid UTF-8. More than limit characters are cut, with an ellipsis.
func escapeText(s string, limit int) string {
	var b strings.Builder
	for i, r := range []rune(strings.TrimSpace(s)) {
		if i == limit {
			b.WriteString("…")
			break
		}

		switch {
		case strings.ContainsRune("\n\r\t", r):
			b.WriteByte(' ')
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}

	return b.String()
}
