// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

const (
	redacted = "[redacted]"

	// limitMessage bounds what is shown of the service's own words, in characters;
	// limitExcerpt what is shown of an answer that is not JSON.
	limitMessage = 300
	limitExcerpt = 80

	// redactDepth is how many layers of encoding are undone: percent-encoding, HTML
	// entities, escapes of JSON and base64, in any order. redactBase64 of the layers can
	// be base64.
	redactDepth  = 4
	redactBase64 = 2
)

// Redactor removes what must never be shown from text that others wrote: the values of the
// request and the secrets of the client, however they are spelled, and what looks like a
// person or a credential, since a service may quote more than this request sent.
type Redactor struct {
	values  []string    // of the request
	secrets *vocabulary // of the client; nil if there are none
}

// NewRedactor returns a redactor for values, and for what looks like a secret.
func NewRedactor(private ...string) *Redactor { return &Redactor{values: private} }

// Text redacts, escapes and cuts, in this order: cutting first could leave half of a
// secret, which would not be recognised. limit is in characters.
func (r *Redactor) Text(s string, limit int) string { return escapeText(r.Clean(s), limit) }

// Clean returns s without what must not be shown. Where some of it is encoded, s is shown
// decoded. Values come first: a shape may be a part of one.
func (r *Redactor) Clean(s string) string {
	if r.secrets != nil {
		s = clean(s, r.secrets.hide, redactDepth, redactBase64)
	}

	var private vocabulary // most calls show nothing, so that nobody has built it
	private.add(r.values...)
	s = clean(s, private.hide, redactDepth, redactBase64)

	return clean(s, hideShapes, redactDepth, redactBase64)
}

// clean returns s with hide applied to it and to what it reads with layers of encoding undone.
// depth is how many more are undone, and base64 how many of them can be base64. hide is told
// whether its text was base64.
func clean(s string, hide func(s string, fromBase64 bool) string, depth, base64 int) string {
	s = hide(s, base64 < redactBase64)
	if depth == 0 {
		return s
	}

	for _, e := range escapes {
		decoded := e.pattern.ReplaceAllStringFunc(s, e.decode)
		if decoded == s {
			continue
		}
		if cleaned := clean(decoded, hide, depth-1, base64); cleaned != decoded {
			s = cleaned
		}
	}

	if base64 == 0 {
		return s
	}

	return base64Run.ReplaceAllStringFunc(s, func(run string) string {
		for offset := range 4 { // the true beginning of what is encoded is not known
			decoded := decodeBase64(run[offset:])
			if clean(decoded, hide, depth-1, base64-1) != decoded {
				return redacted
			}
		}
		return run
	})
}

// vocabulary holds values that must not be shown, by their first character, folded. It may
// be used by several goroutines.
type vocabulary struct {
	mu    sync.RWMutex
	words map[rune][]string
}

// add adds values. A value may itself hold what looks like an escape, so that each way to
// read it is added.
func (v *vocabulary) add(values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()

	if v.words == nil {
		v.words = map[rune][]string{}
	}
	for _, value := range values {
		v.addReadings(strings.TrimSpace(value), redactDepth)
	}
}

func (v *vocabulary) addReadings(value string, depth int) {
	folded := strings.Map(fold, value)
	first, _ := utf8.DecodeRuneInString(folded)
	if folded != "" && !slices.Contains(v.words[first], folded) {
		v.words[first] = append(v.words[first], folded)
	}

	for _, e := range escapes {
		if decoded := e.pattern.ReplaceAllStringFunc(value, e.decode); decoded != value && depth > 0 {
			v.addReadings(decoded, depth-1)
		}
	}
}

// hide returns s without the values. In what was base64, values of up to three bytes are
// found by chance and do not count.
func (v *vocabulary) hide(s string, fromBase64 bool) string {
	v.mu.RLock()
	defer v.mu.RUnlock()

	var b strings.Builder
	hidden := 0 // the end of the values found so far
	for i, r := range s {
		end := hidden
		for _, value := range v.words[fold(r)] {
			n := lengthOf(value, s[i:])
			if n > 0 && (len(value) >= 4 || !fromBase64) && isMeant(value, s, i, i+n) {
				end = max(end, i+n)
			}
		}

		switch {
		case end <= i:
			_, size := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+size])
		case hidden <= i:
			b.WriteString(redacted)
		}
		hidden = end
	}

	return b.String()
}

// lengthOf returns how many bytes of a text spell a folded value at its beginning; 0 where
// the text begins otherwise.
func lengthOf(value, text string) int {
	n := 0
	for _, want := range value {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || fold(r) != want {
			return 0
		}
		n += size
	}

	return n
}

// fold returns a character in the form in which texts are compared: without the difference
// between upper and lower case, and with a space for the plus sign of a form.
func fold(r rune) rune {
	if r == '+' {
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// isMeant reports whether s[from:to] stands for the value, and is not a word that happens to
// be equal. Long values are not part of anything else. Short ones are found inside words, and
// of up to three letters they are words themselves, such as "or".
func isMeant(value, s string, from, to int) bool {
	length := utf8.RuneCountInString(value)
	isWord := !strings.ContainsFunc(value, func(r rune) bool { return !isWordRune(r) })
	if length >= 8 || length >= 4 && !isWord {
		return true
	}

	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	if length == 1 || length <= 3 && isWord && !strings.ContainsFunc(value, unicode.IsDigit) {
		const quotes = "\"'`“”„‘’«»"
		return strings.ContainsRune(quotes, before) && strings.ContainsRune(quotes, after)
	}

	return !isWordRune(before) && !isWordRune(after)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Things that look like a person or a credential wherever they stand, behind what the group
// holds. A word behind the name of a secret is part of a sentence; a value is assigned,
// quoted, or has something in it that words have not.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`()[^\s"'<>()\[\],;:=]+@[^\s"'<>()\[\],;:]+`),
	regexp.MustCompile(`()eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)(?:=|["']\s*[:=]\s*|\s*[:=]\s*["'])["']?)[^\s&"',;]+`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)\s*[:\s]\s*)[^\s&"',;]*[^\s&"',;A-Za-z.!?)][^\s&"',;]*`),
}

var looksLikeAddress = regexp.MustCompile(`[0-9A-Fa-f:.]{4,}`)

// hideShapes returns s without what looks like a person or a credential. In what was base64,
// an address may have letters beside it: how much belongs together cannot be seen. Any word
// can be read as base64, so that what is no text was none.
func hideShapes(s string, fromBase64 bool) string {
	isBinary := func(r rune) bool { return !unicode.IsGraphic(r) && r != '\n' }
	if fromBase64 && (!utf8.ValidString(s) || strings.ContainsFunc(s, isBinary)) {
		return s
	}

	for _, shape := range shapes {
		s = shape.ReplaceAllString(s, "${1}"+redacted)
	}

	var b strings.Builder
	done := 0
	for _, at := range looksLikeAddress.FindAllStringIndex(s, -1) {
		if holdsAddress(s, at[0], at[1], fromBase64) {
			b.WriteString(s[done:at[0]] + redacted)
			done = at[1]
		}
	}

	return b.String() + s[done:]
}

// holdsAddress reports whether s[from:to] is an IP address with punctuation around it, and
// not part of a word unless inWord is set. A time of day or a version number is none.
func holdsAddress(s string, from, to int, inWord bool) bool {
	run := s[from:to]
	core := strings.Trim(run, ":.")
	begin := from + strings.Index(run, core)
	before, _ := utf8.DecodeLastRuneInString(s[:begin])
	after, _ := utf8.DecodeRuneInString(s[begin+len(core):])
	if core == "" || !inWord && (isWordRune(before) || isWordRune(after)) {
		return false
	}

	for _, text := range []string{core, "::" + core, core + "::"} {
		_, err := netip.ParseAddr(text)
		_, errPort := netip.ParseAddrPort(text)
		if (err == nil || errPort == nil) && strings.Contains(run, text) {
			return true
		}
	}

	return false
}

// HiddenName returns a function that reports whether a name of a member must not be shown,
// since it holds one of the private values or looks like a person or a credential.
func HiddenName(private ...string) (hidden func(name string) bool) {
	r := NewRedactor(private...)
	return func(name string) bool { return r.Clean(name) != name }
}

// PrivateValues returns the texts and numbers in a JSON value, at any depth, for a
// redactor. Names are those of fields and not private.
func PrivateValues(v jsontext.Value) []string {
	switch v.Kind() {
	case '"':
		return []string{jsonvalue.Text(v)}
	case '0':
		return []string{string(v)}
	}

	var values []string
	for _, member := range jsonvalue.EachMember(v) {
		values = append(values, PrivateValues(member)...)
	}
	for element := range jsonvalue.EachElement(v) {
		values = append(values, PrivateValues(element)...)
	}

	return values
}

// markup is what a page has besides its words. A script without an end reaches to that of
// the page.
var markup = regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)|<[^>]*>`)

// excerpt returns the first words of a page that was sent in place of JSON, by which the
// user recognises the portal or proxy that answered. body has at most LimitError bytes.
func (r *Redactor) excerpt(body []byte) string {
	text := r.Clean(string(body))
	if len(body) == LimitError {
		text = text[:len(text)/2] // what was cut off may end in the middle of a secret
	}

	// Redacted twice, since removing markup may remove a part of a secret.
	words := strings.Fields(markup.ReplaceAllString(text, " "))

	return r.Text(strings.Join(words, " "), limitExcerpt)
}
