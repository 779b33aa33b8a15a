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

	// Most calls show nothing, so that the vocabulary of values is built when it is needed.
	once    sync.Once
	private vocabulary
}

// NewRedactor returns a redactor for values, and for what looks like a secret.
func NewRedactor(private ...string) *Redactor { return &Redactor{values: private} }

// Text redacts, escapes and cuts, in this order: cutting first could leave half of a
// secret, which would not be recognised. limit is in characters.
func (r *Redactor) Text(s string, limit int) string { return escapeText(r.Clean(s), limit) }

// Clean returns s without what must not be shown.
func (r *Redactor) Clean(s string) string {
	r.once.Do(func() { r.private.add(r.values...) })

	hidden := make(mask, len(s)+1)
	r.hide(hidden, original(s), redactDepth, 0)

	var b strings.Builder
	begun := 0
	for i := range len(s) {
		before := begun
		begun += hidden[i]
		if begun == 0 {
			b.WriteByte(s[i])
		} else if before == 0 {
			b.WriteString(redacted)
		}
	}

	return b.String()
}

// hide hides what must not be shown in a reading, and in what it reads with one more layer
// of encoding undone. depth is how many more are undone, base64 how many of those undone
// were base64.
func (r *Redactor) hide(hidden mask, text reading, depth, base64 int) {
	r.private.mark(hidden, text, base64 > 0)
	if r.secrets != nil {
		r.secrets.mark(hidden, text, base64 > 0)
	}

	// Any word can be read as base64. The result is text only if it was base64.
	if base64 == 0 || isText(text.text) {
		markShapes(hidden, text, base64 > 0)
	}
	if depth == 0 {
		return
	}

	for _, e := range escapes {
		if decoded, found := e.undo(text); found {
			r.hide(hidden, decoded, depth-1, base64)
		}
	}
	if base64 == redactBase64 {
		return
	}

	for _, run := range base64Run.FindAllStringIndex(text.text, -1) {
		// The true beginning of what is encoded is not known.
		for offset := range 4 {
			r.hide(hidden, text.base64(run[0]+offset, run[1], text.span(run[0], run[1])), depth-1, base64+1)
		}
	}
}

// mask counts the parts of a text that must not be shown: for each byte, those that begin
// there less those that end there. So hiding a part takes the same time whatever its length.
type mask []int

func (m mask) hide(part span) {
	m[part.from]++
	m[part.to]--
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
		v.addReadings(original(strings.TrimSpace(value)), redactDepth)
	}
}

func (v *vocabulary) addReadings(value reading, depth int) {
	folded := strings.Map(fold, value.text)
	first, _ := utf8.DecodeRuneInString(folded)
	if folded != "" && !slices.Contains(v.words[first], folded) {
		v.words[first] = append(v.words[first], folded)
	}

	for _, e := range escapes {
		if decoded, found := e.undo(value); found && depth > 0 {
			v.addReadings(decoded, depth-1)
		}
	}
}

// mark hides the values in a text. In what was base64, values of up to three bytes are found
// by chance and do not count.
func (v *vocabulary) mark(hidden mask, text reading, fromBase64 bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()

	for i, r := range text.text {
		for _, value := range v.words[fold(r)] {
			if fromBase64 && len(value) < 4 {
				continue
			}
			if n := lengthOf(value, text.text[i:]); n > 0 && isMeant(value, text.text, i, i+n) {
				hidden.hide(text.span(i, i+n))
			}
		}
	}
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
	isWord := !strings.ContainsFunc(value, func(r rune) bool { return !isWordRune(r) })
	isLetters := isWord && !strings.ContainsFunc(value, unicode.IsDigit)

	switch length := utf8.RuneCountInString(value); {
	case length >= 8, length >= 4 && !isWord:
		return true
	case length == 1, length <= 3 && isLetters:
		previous, _ := utf8.DecodeLastRuneInString(s[:from])
		next, _ := utf8.DecodeRuneInString(s[to:])
		return isQuote(previous) && isQuote(next)
	}

	return isWhole(s, from, to)
}

// isWhole reports whether s[from:to] has no letter or digit on either side.
func isWhole(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return !isWordRune(before) && !isWordRune(after)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”„‘’«»", r) }

// isText reports whether a text consists of characters that can be printed.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) && r != '\n' })
}

// Things that look like a person or a credential wherever they stand; of the last two, the
// group. A word behind the name of a secret is part of a sentence; a value is assigned,
// quoted, or has something in it that words have not.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`[^\s"'<>()\[\],;:=]+@[^\s"'<>()\[\],;:]+`),
	regexp.MustCompile(`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),
	regexp.MustCompile(`(?i)(?:apiSecretToken|password|bearer)(?:=|["']\s*[:=]\s*|\s*[:=]\s*["'])["']?([^\s&"',;]+)`),
	regexp.MustCompile(`(?i)(?:apiSecretToken|password|bearer)\s*[:\s]\s*([^\s&"',;]*[^\s&"',;A-Za-z.!?)][^\s&"',;]*)`),
}

var looksLikeAddress = regexp.MustCompile(`[0-9A-Fa-f:.]{4,}`)

// markShapes hides what looks like a person or a credential. In what was base64, an address
// may have letters beside it: how much belongs together cannot be seen.
func markShapes(hidden mask, text reading, fromBase64 bool) {
	for _, shape := range shapes {
		for _, at := range shape.FindAllStringSubmatchIndex(text.text, -1) {
			hidden.hide(text.span(at[len(at)-2], at[len(at)-1]))
		}
	}

	for _, at := range looksLikeAddress.FindAllStringIndex(text.text, -1) {
		if holdsAddress(text.text, at[0], at[1], fromBase64) {
			hidden.hide(text.span(at[0], at[1]))
		}
	}
}

// holdsAddress reports whether s[from:to] is an IP address with punctuation around it, and
// not part of a word unless inWord is set. A time of day or a version number is none. Of the
// colons around an address, two may belong to it.
func holdsAddress(s string, from, to int, inWord bool) bool {
	to = from + len(strings.TrimRight(s[from:to], "."))
	first := to - len(strings.TrimLeft(s[from:to], ":"))
	last := from + len(strings.TrimRight(s[from:to], ":"))

	for _, begin := range []int{first, max(from, first-2)} {
		for _, end := range []int{last, min(to, last+2)} {
			if begin >= end || s[begin:end] == "::" || !inWord && !isWhole(s, begin, end) {
				continue
			}

			_, err := netip.ParseAddr(s[begin:end])
			_, errPort := netip.ParseAddrPort(s[begin:end])
			if err == nil || errPort == nil {
				return true
			}
		}
	}

	return false
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
