package client

import (
	"cmp"
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	redacted = "[redacted]"

	// limitMessage bounds what is shown of the service's own words, in characters;
	// limitExcerpt what is shown of an answer that is not JSON.
	limitMessage = 300
	limitExcerpt = 80
)

// Things that look like a person or a credential wherever they stand, because a
// service may quote back more than what this request sent.
var (
	looksLikeEmail   = regexp.MustCompile(`[^\s"'<>()\[\],;:=]+(?:@|%40)[^\s"'<>()\[\],;:]+`)
	looksLikeJWT     = regexp.MustCompile(`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`)
	looksLikeAddress = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b|(?i:[0-9a-f]{0,4}:[0-9a-f]{0,4}:[0-9a-f:.]+)`)
	looksLikeToken   = regexp.MustCompile(`(?i)(apiSecretToken|bearer|password)(["']?\s*[=:\s]\s*)[^\s&"',;]+`)
)

// redactor removes what must never be shown from text that others wrote. Most calls
// show nothing, so that what it looks for is worked out when it is first needed.
type redactor struct {
	given  []string
	once   sync.Once
	values []string
}

// newRedactor takes the secrets and identities of a request; each is removed as
// it is, percent-escaped in the usual ways, quoted, and in base64.
func newRedactor(values ...string) *redactor { return &redactor{given: values} }

func (r *redactor) prepare() {
	for _, v := range r.given {
		if len(v) < 2 {
			continue
		}
		for _, form := range []string{
			v, EscapeSegment(v), url.PathEscape(v), url.QueryEscape(v), unquoted(v),
			html.EscapeString(v), strings.ReplaceAll(v, "/", `\/`),
			base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
		} {
			r.values = append(r.values, form, strings.ToLower(form))
		}
	}
	// The longest first: a short one inside it would leave the rest of it readable.
	slices.SortFunc(r.values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	r.values = slices.Compact(r.values)
}

func unquoted(v string) string {
	q := strconv.Quote(v)
	return q[1 : len(q)-1]
}

// text redacts, escapes and cuts, in this order: cutting first could leave the
// half of a secret that is no longer recognised.
func (r *redactor) text(s string, limit int) string { return escapeText(r.clean(s), limit) }

// clean removes what must not be shown.
func (r *redactor) clean(s string) string {
	r.once.Do(r.prepare)
	for _, v := range r.values {
		s = strings.ReplaceAll(s, v, redacted)
	}
	s = looksLikeJWT.ReplaceAllString(s, redacted)
	s = looksLikeToken.ReplaceAllString(s, "${1}${2}"+redacted)
	s = looksLikeEmail.ReplaceAllString(s, redacted)
	return looksLikeAddress.ReplaceAllString(s, redacted)
}

// escapeText makes text harmless to print: one line, no control or invisible
// characters, valid UTF-8, at most limit characters.
func escapeText(s string, limit int) string {
	var b strings.Builder
	count := 0
	for _, r := range strings.TrimSpace(s) {
		if count == limit {
			b.WriteString("…")
			break
		}
		count++
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError || !unicode.IsPrint(r) && r != ' ':
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var markup = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<[^>]*>`)

// excerpt gives the first words of a page that stands where JSON should be, so
// that a person recognises the portal or proxy that answered.
func (r *redactor) excerpt(body []byte) string {
	// Before the markup goes as well: what goes with it may be part of a secret.
	words := strings.Fields(markup.ReplaceAllString(r.clean(string(body)), " "))
	return r.text(strings.Join(words, " "), limitExcerpt)
}
