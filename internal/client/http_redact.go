package client

import (
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
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

	// shortestRun is the shortest piece of text that is read as base64, in characters.
	shortestRun = 8
)

// redactor removes what must never be shown from text that others wrote: the given
// values, however they are spelled, and what looks like a person or a credential, since a
// service may quote more than this request sent.
//
// Text and values are compared in a normal form, without the difference between upper
// and lower case. Most calls show nothing, so that the needles are computed when they are
// first needed.
type redactor struct {
	given   []string
	once    sync.Once
	needles []needle
}

// newRedactor returns a redactor for the secrets and identities of a request, and the
// values that it sends about a person.
func newRedactor(values ...string) *redactor { return &redactor{given: values} }

// where says at which places a needle stands for the value. Elsewhere it is a word that
// happens to be equal.
type where int

const (
	anywhere where = iota
	asWord         // letters and digits on neither side
	inQuotes       // with a quote on each side
)

// needle is a value in normal form.
type needle struct {
	text  string
	where where
}

// newNeedle decides by the form of a value where it is removed. Long values are not
// part of anything else. Short ones would be found inside words, and of up to three
// letters they are words themselves, such as "or".
func newNeedle(text string) needle {
	isLetters := !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	isWord := !strings.ContainsFunc(text, func(r rune) bool { return !isWordRune(r) })

	switch length := utf8.RuneCountInString(text); {
	case length >= 8, length >= 4 && !isWord:
		return needle{text, anywhere}
	case length == 1, length <= 3 && isLetters:
		return needle{text, inQuotes}
	}

	return needle{text, asWord}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// prepare computes the needles. A value may itself hold what looks like an escape, so
// that there is one for each way to read it.
func (r *redactor) prepare() {
	seen := map[string]bool{"": true}
	var add func(v view, depth int)
	add = func(v view, depth int) {
		if text := string(v.folded().bytes); !seen[text] {
			seen[text] = true
			r.needles = append(r.needles, newNeedle(text))
		}

		if depth > 0 {
			for _, next := range v.unescaped() {
				add(next, depth-1)
			}
		}
	}

	for _, value := range r.given {
		add(newView(strings.TrimSpace(value)), redactDepth)
	}
}

// text redacts, escapes and cuts, in this order: cutting first could leave half of a
// secret, which would not be recognised. limit is in characters.
func (r *redactor) text(s string, limit int) string { return escapeText(r.clean(s), limit) }

// clean returns s without what must not be shown.
func (r *redactor) clean(s string) string {
	r.once.Do(r.prepare)

	search := search{redactor: r, seen: map[string]int{}}
	search.in(newView(s), redactDepth, 0)
	found := search.found
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })

	var b strings.Builder
	end := 0
	for _, f := range found {
		if f.from >= end {
			b.WriteString(s[end:f.from] + redacted)
		}
		end = max(end, f.to)
	}

	return b.String() + s[end:]
}

// search finds everything in a text that must not be shown.
type search struct {
	*redactor

	seen  map[string]int // views that were searched, and one more than how deep
	found []span
}

// in searches v, and what v is an encoding of. depth is how many more layers are undone,
// base64 how many layers above v were base64.
func (s *search) in(v view, depth, base64 int) {
	key := strconv.Itoa(base64) + string(v.bytes)
	if s.seen[key] > depth {
		return
	}
	s.seen[key] = depth + 1

	if len(s.needles) > 0 {
		s.needlesIn(v.folded(), base64 > 0)
	}
	// Any word can be read as base64. The result is text only if it was base64.
	if base64 == 0 || v.isText() {
		s.found = append(s.found, shapesIn(v, base64 > 0)...)
	}

	if depth > 0 {
		s.inside(v, depth-1, base64)
	}
}

// inside searches what v is an encoding of.
func (s *search) inside(v view, depth, base64 int) {
	for _, next := range v.unescaped() {
		s.in(next, depth, base64)
	}

	if base64 < redactBase64 {
		for _, inner := range v.base64() {
			s.in(inner, depth, base64+1)
		}
	}
}

// needlesIn finds the given values. In what was base64, values of up to three bytes are
// found by chance and do not count.
func (s *search) needlesIn(v view, fromBase64 bool) {
	text := string(v.bytes)
	for _, n := range s.needles {
		if fromBase64 && len(n.text) < 4 {
			continue
		}
		for _, at := range n.placesIn(text) {
			s.found = append(s.found, v.span(at, at+len(n.text)))
		}
	}
}

// placesIn returns the offsets in text at which the needle stands for the value.
func (n needle) placesIn(text string) []int {
	var places []int
	for at := 0; ; at++ {
		next := strings.Index(text[at:], n.text)
		if next < 0 {
			return places
		}

		at += next
		if n.fits(text[:at], text[at+len(n.text):]) {
			places = append(places, at)
		}
	}
}

// fits reports whether the needle stands for the value between these two texts.
func (n needle) fits(before, after string) bool {
	previous, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)

	switch n.where {
	case asWord:
		return !isWordRune(previous) && !isWordRune(next)
	case inQuotes:
		return isQuote(previous) && isQuote(next)
	case anywhere:
	}

	return true
}

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”„‘’«»", r) }

// Things that look like a person or a credential wherever they stand. A word behind the
// name of a secret is part of a sentence; a value is assigned, quoted, or has something in
// it that words have not.
var (
	looksLikeEmail   = shape{"@", regexp.MustCompile(`[^\s"'<>()\[\],;:=]+@[^\s"'<>()\[\],;:]+`)}
	looksLikeJWT     = shape{".", regexp.MustCompile(`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`)}
	looksLikeAddress = shape{".:", regexp.MustCompile(`[0-9A-Fa-f:.]{4,}`)}
	assignedSecret   = shape{"=:", regexp.MustCompile(`(?i)(?:apiSecretToken|password|bearer)(?:=|["']\s*[:=]\s*|\s*[:=]\s*["'])["']?([^\s&"',;]+)`)}
	namedSecret      = shape{": \t\n\f\r", regexp.MustCompile(`(?i)(?:apiSecretToken|password|bearer)\s*[:\s]\s*([^\s&"',;]*[^\s&"',;A-Za-z.!?)][^\s&"',;]*)`)}
)

// shape is a regular expression, and the characters of which everything that it finds has
// at least one. Most texts have none of them, which is seen sooner.
type shape struct {
	marks string
	*regexp.Regexp
}

func (s shape) hasMark(text []byte) bool { return bytes.ContainsAny(text, s.marks) }

// in returns where the shape is in a text, as FindAllSubmatchIndex does.
func (s shape) in(text []byte) [][]int {
	if !s.hasMark(text) {
		return nil
	}
	return s.FindAllSubmatchIndex(text, -1)
}

// shapesIn returns what looks like a person or a credential. In what was base64, an
// address may have letters beside it: how much belongs together cannot be seen.
func shapesIn(v view, fromBase64 bool) []span {
	var found []span
	for _, s := range []shape{looksLikeEmail, looksLikeJWT} {
		for _, at := range s.in(v.bytes) {
			found = append(found, v.span(at[0], at[1]))
		}
	}

	for _, s := range []shape{assignedSecret, namedSecret} {
		for _, at := range s.in(v.bytes) {
			found = append(found, v.span(at[2], at[3]))
		}
	}

	for _, at := range looksLikeAddress.in(v.bytes) {
		if holdsAddress(v.bytes, at[0], at[1], fromBase64) {
			found = append(found, v.span(at[0], at[1]))
		}
	}

	return found
}

// holdsAddress reports whether text[from:to] is an IP address with punctuation around it,
// and not part of a word unless inWord is set. A time of day or a version number is none.
func holdsAddress(text []byte, from, to int, inWord bool) bool {
	to = len(bytes.TrimRight(text[:to], "."))
	for ; from < to; from++ {
		trimmed := len(bytes.TrimRight(text[:to], ":"))
		if isAddress(text, from, to, inWord) || isAddress(text, from, trimmed, inWord) {
			return true
		}
		if text[from] != ':' {
			return false
		}
	}

	return false
}

// isAddress reports whether text[from:to] is an IP address.
func isAddress(text []byte, from, to int, inWord bool) bool {
	if from >= to || !inWord && !isWhole(text, from, to) {
		return false
	}

	s := string(text[from:to])
	if _, err := netip.ParseAddr(s); err == nil {
		return s != "::"
	}
	_, err := netip.ParseAddrPort(s)

	return err == nil
}

// isWhole reports whether text[from:to] has no letter or digit on either side.
func isWhole(text []byte, from, to int) bool {
	before, _ := utf8.DecodeLastRune(text[:from])
	after, _ := utf8.DecodeRune(text[to:])
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

var markup = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<[^>]*>`)

// excerpt returns the first words of a page that was sent in place of JSON, by which the
// user recognises the portal or proxy that answered.
func (r *redactor) excerpt(body []byte) string {
	// Redacted twice, since removing markup may remove a part of a secret.
	words := strings.Fields(markup.ReplaceAllString(r.clean(string(body)), " "))
	return r.text(strings.Join(words, " "), limitExcerpt)
}
