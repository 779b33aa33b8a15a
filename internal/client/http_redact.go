package client

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

// redactor removes what must never be shown from text that others wrote: the values of the
// request and the secrets of the client, however they are spelled, and what looks like a
// person or a credential, since a service may quote more than this request sent.
//
// It searches the text, and the text with each encoding undone, and hides the part of the
// text in which something was found.
type redactor struct {
	private []string // the values of the request
	secrets *secrets // of the client; nil if there are none

	// Most calls show nothing, so that the vocabulary of private is built when it is needed.
	once  sync.Once
	words vocabulary
}

// newRedactor returns a redactor for values, and for what looks like a secret.
func newRedactor(private ...string) *redactor { return &redactor{private: private} }

// secrets are values that no message of a client may show. It may be used by several
// goroutines.
type secrets struct {
	mu    sync.RWMutex
	words vocabulary
}

func (s *secrets) add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.words == nil {
		s.words = vocabulary{}
	}
	s.words.add(values...)
}

func (s *secrets) mark(hidden mask, text string, fromBase64 bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.words.mark(hidden, text, fromBase64)
}

// vocabulary holds values by their first character, folded.
type vocabulary map[rune][]string

// add adds values. A value may itself hold what looks like an escape, so that each way to
// read it is added.
func (v vocabulary) add(values ...string) {
	for _, value := range values {
		v.addReadings(strings.TrimSpace(value), redactDepth)
	}
}

func (v vocabulary) addReadings(value string, depth int) {
	folded := strings.Map(fold, value)
	first, _ := utf8.DecodeRuneInString(folded)
	if folded != "" && !slices.Contains(v[first], folded) {
		v[first] = append(v[first], folded)
	}

	for _, e := range escapes {
		if decoded, found := e.undo(value); found && depth > 0 {
			v.addReadings(decoded, depth-1)
		}
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

// mark marks the values in a text. In what was base64, values of up to three bytes are found
// by chance and do not count.
func (v vocabulary) mark(hidden mask, text string, fromBase64 bool) {
	for i, r := range text {
		for _, value := range v[fold(r)] {
			if fromBase64 && len(value) < 4 {
				continue
			}
			if n := lengthOf(value, text[i:]); n > 0 && isMeant(value, text[:i], text[i+n:]) {
				hidden.set(i, i+n)
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

// isMeant reports whether a text between these two stands for the value, and is not a word
// that happens to be equal. Long values are not part of anything else. Short ones are found
// inside words, and of up to three letters they are words themselves, such as "or".
func isMeant(value, before, after string) bool {
	previous, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	isLetters := !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
	isWord := !strings.ContainsFunc(value, func(r rune) bool { return !isWordRune(r) })

	switch length := utf8.RuneCountInString(value); {
	case length >= 8, length >= 4 && !isWord:
		return true
	case length == 1, length <= 3 && isLetters:
		return isQuote(previous) && isQuote(next)
	}

	return !isWordRune(previous) && !isWordRune(next)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”„‘’«»", r) }

// mask says for each byte of a text whether it must not be shown.
type mask []bool

func (m mask) set(from, to int) {
	for i := from; i < to; i++ {
		m[i] = true
	}
}

// text redacts, escapes and cuts, in this order: cutting first could leave half of a
// secret, which would not be recognised. limit is in characters.
func (r *redactor) text(s string, limit int) string { return escapeText(r.clean(s), limit) }

// clean returns s without what must not be shown.
func (r *redactor) clean(s string) string {
	r.once.Do(func() {
		r.words = vocabulary{}
		r.words.add(r.private...)
	})

	hidden := r.hidden(s, redactDepth, 0)
	var b strings.Builder
	for i := range len(s) {
		if !hidden[i] {
			b.WriteByte(s[i])
		} else if i == 0 || !hidden[i-1] {
			b.WriteString(redacted)
		}
	}

	return b.String()
}

// hidden returns what must not be shown of s. depth is how many more layers of encoding are
// undone, base64 how many of those undone were base64.
func (r *redactor) hidden(s string, depth, base64 int) mask {
	hidden := make(mask, len(s))
	r.words.mark(hidden, s, base64 > 0)
	if r.secrets != nil {
		r.secrets.mark(hidden, s, base64 > 0)
	}

	// Any word can be read as base64. The result is text only if it was base64.
	if base64 == 0 || isText(s) {
		markShapes(hidden, s, base64 > 0)
	}
	if depth == 0 {
		return hidden
	}

	for _, e := range escapes {
		if decoded, found := e.undo(s); found {
			e.mark(hidden, s, r.hidden(decoded, depth-1, base64))
		}
	}
	for from, to := range base64Runs(s) {
		if base64 < redactBase64 && r.hidesInside(s[from:to], depth-1, base64+1) {
			hidden.set(from, to)
		}
	}

	return hidden
}

// hidesInside reports whether a text that may be base64 has something in it that must not
// be shown. It is read at four offsets, since its true beginning is not known.
func (r *redactor) hidesInside(run string, depth, base64 int) bool {
	for offset := range 4 {
		if slices.Contains(r.hidden(decodeBase64(run[offset:]), depth, base64), true) {
			return true
		}
	}
	return false
}

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

// markShapes marks what looks like a person or a credential. In what was base64, an address
// may have letters beside it: how much belongs together cannot be seen.
func markShapes(hidden mask, s string, fromBase64 bool) {
	for _, shape := range shapes {
		for _, at := range shape.FindAllStringSubmatchIndex(s, -1) {
			hidden.set(at[len(at)-2], at[len(at)-1])
		}
	}

	for _, at := range looksLikeAddress.FindAllStringIndex(s, -1) {
		if holdsAddress(s, at[0], at[1], fromBase64) {
			hidden.set(at[0], at[1])
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
			if begin < end && isAddress(s[begin:end]) && (inWord || isWhole(s, begin, end)) {
				return true
			}
		}
	}

	return false
}

func isAddress(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return s != "::"
	}
	_, err := netip.ParseAddrPort(s)
	return err == nil
}

// isWhole reports whether s[from:to] has no letter or digit on either side.
func isWhole(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return !isWordRune(before) && !isWordRune(after)
}

// privateValues returns the texts and numbers in a JSON value, at any depth, for a
// redactor. Names are those of fields and not private.
func privateValues(v jsontext.Value) []string {
	switch v.Kind() {
	case '"':
		return []string{jsonvalue.Text(v)}
	case '0':
		return []string{string(v)}
	}

	var values []string
	for _, member := range jsonvalue.EachMember(v) {
		values = append(values, privateValues(member)...)
	}
	for element := range jsonvalue.EachElement(v) {
		values = append(values, privateValues(element)...)
	}

	return values
}

// markup is what a page has besides its words. A script without an end reaches to that of
// the page.
var markup = regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)|<[^>]*>`)

// excerpt returns the first words of a page that was sent in place of JSON, by which the
// user recognises the portal or proxy that answered. body has at most LimitError bytes.
func (r *redactor) excerpt(body []byte) string {
	text := r.clean(string(body))
	if len(body) == LimitError {
		text = text[:len(text)/2] // what was cut off may end in the middle of a secret
	}

	// Redacted twice, since removing markup may remove a part of a secret.
	words := strings.Fields(markup.ReplaceAllString(text, " "))

	return r.text(strings.Join(words, " "), limitExcerpt)
}
