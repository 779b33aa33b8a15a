// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const redacted = "[redacted]"

// Redactor removes what must never be shown from text that others wrote: the values of the request and
// the secrets of the client, in the spellings in which services quote them, and what looks like a person
// or a credential. It is used by one goroutine at a time.
type Redactor struct {
	secrets *vocabulary // of the client
	values  []string    // of the request
	private *vocabulary // of the values; nil until something is shown, since most calls show nothing
}

// NewRedactor returns a redactor for values, and for what looks like a secret.
func NewRedactor(private ...string) *Redactor {
	return &Redactor{secrets: &vocabulary{}, values: private}
}

// Text redacts, escapes and cuts, in this order: cutting first could leave half of a
// secret, which would not be recognised. limit is in characters.
func (r *Redactor) Text(s string, limit int) string { return escapeText(r.Clean(s), limit) }

// Clean returns s without what must not be shown. A value may be a part of a secret, and a shape a
// part of a value.
func (r *Redactor) Clean(s string) string {
	if s == "" {
		return ""
	}
	if r.private == nil {
		r.private = &vocabulary{}
		r.private.add(r.values...)
	}

	s = r.private.hide(r.secrets.hide(s))
	for _, shape := range shapes {
		s = shape.ReplaceAllString(s, "${1}"+redacted)
	}

	return mayBeAddress.ReplaceAllStringFunc(s, hideAddress)
}

// minSpelled is the length of the shortest value that is hidden in other spellings too. Those of a
// shorter one are parts of ordinary words and numbers.
const minSpelled = 4

// forHTML escapes JSON as some encoders do, so that it may stand in a page.
var forHTML = strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`)

// spellings returns the forms in which services quote a value: as it is, as JSON, Go, HTML, addresses
// and forms escape it, in an address twice, in hexadecimal, and in base64, alone or as a part of what
// is encoded.
func spellings(value string) []string {
	if len(value) < minSpelled {
		return []string{value}
	}

	quoted, _ := jsontext.AppendQuote(nil, value) // also where it is not UTF-8
	asJSON, inGo := string(quoted[1:len(quoted)-1]), strconv.QuoteToASCII(value)
	form, segment := url.QueryEscape(value), EscapeSegment(value)
	all := []string{
		value, asJSON, forHTML.Replace(asJSON), strings.ReplaceAll(asJSON, "/", `\/`), inGo[1 : len(inGo)-1],
		html.EscapeString(value), form, segment, url.PathEscape(value), url.QueryEscape(form), EscapeSegment(segment),
		hex.EncodeToString([]byte(value)),
	}

	for before := range 3 { // bytes that share characters of base64 with the value
		whole := append(make([]byte, before), value...)
		first, end := (before*8+5)/6, len(whole)*8/6
		all = append(all, base64.RawStdEncoding.EncodeToString(whole)[first:end], base64.RawURLEncoding.EncodeToString(whole)[first:end])
	}

	return all
}

// vocabulary holds the spellings of values that must not be shown, folded, by their first character. It
// may be used by several goroutines.
type vocabulary struct {
	mu    sync.RWMutex
	words map[rune][][]rune
}

// add adds values.
func (v *vocabulary) add(values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()

	if v.words == nil {
		v.words = map[rune][][]rune{}
	}
	for _, value := range values {
		all := spellings(strings.TrimSpace(value))
		slices.Sort(all)
		for _, spelling := range slices.Compact(all) {
			if word := []rune(strings.Map(fold, spelling)); len(word) > 0 {
				v.words[word[0]] = append(v.words[word[0]], word)
			}
		}
	}
}

// fold returns a character without the difference between upper and lower case.
func fold(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// hide returns s without the values.
func (v *vocabulary) hide(s string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()

	var shown strings.Builder
	const edge = string(utf8.RuneError)

	text, folded := []rune(edge+s), []rune(edge+strings.Map(fold, s)+edge)
	hidden := 0 // the end of the values found so far
	for i := 1; i < len(text); i++ {
		for _, word := range v.words[folded[i]] {
			to := i + len(word)
			isFound := to > hidden && to < len(folded) && slices.Equal(word, folded[i:to]) && isMeant(folded, i, to)
			if !isFound {
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

// isMeant reports whether s[from:to], which has something on either side, is the value that it is equal
// to, and not a part of something else: short values are found inside words, and of up to three letters
// they are words themselves, such as "or".
func isMeant(s []rune, from, to int) bool {
	value := s[from:to]
	isWord := !slices.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case len(value) >= 8:
		return true
	case len(value) == 1, len(value) <= 3 && isWord:
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
	regexp.MustCompile(`()[^\s"'<>()\[\],;:=/]+(?:@|%40)[^\s"'<>()\[\],;:]+`),
	regexp.MustCompile(`()eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)(?:=|["']\s*[:=]\s*|\s*[:=]\s*["'])["']?)[^\s&"',;]+`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)\s*[:\s]\s*)[^\s&"',;]*[^\s&"',;A-Za-z.!?)][^\s&"',;]*`),
}

// mayBeAddress is what may be an IP address with its port, with the letter or digit on each side of it.
var mayBeAddress = regexp.MustCompile(`([\pL\pN]??)([0-9A-Fa-f:.]{4,})([\pL\pN]?)`)

// hideAddress returns what may be an address without it. A word that goes on in the run, before it or after
// it, ends at a colon or a point.
func hideAddress(found string) string {
	parts := mayBeAddress.FindStringSubmatch(found)
	before, run, after := parts[1], parts[2], parts[3]
	if before != "" {
		end := strings.IndexAny(run, ":.") + 1
		before, run = before+run[:end], run[end:]
	}
	if after != "" {
		begin := max(0, strings.LastIndexAny(run, ":."))
		run, after = run[:begin], run[begin:]+after
	}
	if !isAddress(run) {
		return found
	}

	return before + redacted + after
}

// isAddress reports whether a run of hexadecimal digits, colons and points is an IP address, which
// punctuation may surround, and a port may follow. A time of day or a version number is not.
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
