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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

const redacted = "[redacted]"

// forHTML escapes JSON as some encoders do, so that it may stand in a page.
var forHTML = strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`)

// Redactor removes from text that others wrote the values of the request and the secrets of the client, and what looks
// like a person or a credential. It is used by one goroutine at a time.
type Redactor struct {
	Values []string // of the request

	secrets *vocabulary // of the client; nil without one
	private *vocabulary // of the values; nil until something is shown, since most calls show nothing
}

// Text redacts, makes harmless to print and cuts to limit characters, in this order: cutting first could leave half of
// a secret. The text has one line, no control or invisible characters, and valid UTF-8.
func (r *Redactor) Text(s string, limit int) string {
	line := space.ReplaceAllString(strings.ToValidUTF8(r.Clean(s), "\uFFFD"), " ")
	shown := []rune(strings.TrimSpace(unprintable.ReplaceAllString(line, "\uFFFD")))
	if len(shown) > limit {
		return string(shown[:limit]) + "…"
	}

	return string(shown)
}

var (
	space       = regexp.MustCompile(`[\s\v\x{85}\pZ]`)
	unprintable = regexp.MustCompile(`[^\pL\pM\pN\pP\pS ]`)
)

// Clean returns s without what must not be shown. A value may be a part of a secret, and a shape of a value.
func (r *Redactor) Clean(s string) string {
	if s == "" {
		return ""
	}
	if r.private == nil {
		r.private = &vocabulary{}
		r.private.add(r.Values...)
	}

	s = r.private.hide(r.secrets.hide(s))
	for _, shape := range shapes {
		s = shape.ReplaceAllString(s, "${1}"+redacted)
	}

	return mayBeAddress.ReplaceAllStringFunc(s, hideAddress)
}

// PrivateValues returns the texts and numbers in a JSON value, at any depth, for a
// redactor. Names are those of fields and not private.
func PrivateValues(v jsontext.Value) (values []string) {
	if text := jsonvalue.Scalar(v); text != "" {
		return []string{text}
	}
	for _, part := range jsonvalue.Parts(v) {
		values = append(values, PrivateValues(part)...)
	}

	return values
}

// vocabulary holds the spellings of values that must not be shown, folded. It may be used by several goroutines.
type vocabulary struct {
	mu    sync.RWMutex
	words [][]rune
}

// add adds values in the forms in which services quote them. Other spellings of a short value than its own are parts of
// ordinary words and numbers.
func (v *vocabulary) add(values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()

	for _, value := range values {
		value = strings.TrimSpace(value)
		spellings := []string{value}
		if len(value) >= 4 {
			quoted, _ := jsontext.AppendQuote(nil, value) // also where it is not UTF-8
			asJSON, inGo, form := string(quoted[1:len(quoted)-1]), strconv.QuoteToASCII(value), url.QueryEscape(value)
			segment := strings.ReplaceAll(form, "+", "%20")
			spellings = append(spellings,
				asJSON, forHTML.Replace(asJSON), strings.ReplaceAll(asJSON, "/", `\/`), inGo[1:len(inGo)-1], html.EscapeString(value),
				form, segment, url.PathEscape(value), url.QueryEscape(form), url.QueryEscape(segment), hex.EncodeToString([]byte(value)),
			)
			for before := range 3 { // bytes that share characters of base64 with the value
				whole := append(make([]byte, before), value...)
				first, end := (before*8+5)/6, len(whole)*8/6
				spellings = append(spellings, base64.RawStdEncoding.EncodeToString(whole)[first:end], base64.RawURLEncoding.EncodeToString(whole)[first:end])
			}
		}

		slices.Sort(spellings)
		for _, spelling := range slices.Compact(spellings) {
			if word := []rune(strings.ToLower(strings.ToUpper(spelling))); len(word) > 0 {
				v.words = append(v.words, word)
			}
		}
	}
}

func (v *vocabulary) hide(s string) string {
	if v == nil {
		return s
	}
	v.mu.RLock()
	defer v.mu.RUnlock()

	const edge = string(utf8.RuneError)
	shown, text := []rune(s), []rune(strings.ToLower(strings.ToUpper(edge+s+edge)))
	for at := range shown {
		for _, word := range v.words {
			from, to := at+1, min(at+1+len(word), len(text)-1)
			if slices.Equal(word, text[from:to]) && isMeant(text, from, to) {
				copy(shown[at:], slices.Repeat([]rune{hidden}, len(word)))
			}
		}
	}

	return hiddenText.ReplaceAllString(string(shown), redacted)
}

// hidden stands for each character that is not shown; it is not one itself.
const hidden = unicode.MaxRune

var hiddenText = regexp.MustCompile(string(hidden) + "+")

// isMeant reports whether s[from:to], with text on either side, is the value itself and not a part of something else:
// short values are found inside words, and of up to three letters they are words themselves, such as "or".
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

// shapes are those of a person or a credential, behind what the group holds. A word behind the name of a secret is part
// of a sentence; a value is assigned, quoted, or has something in it that words have not.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`()[^\s"'<>()\[\],;:=/]+(?:@|%40)[^\s"'<>()\[\],;:]+`),
	regexp.MustCompile(`()eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)(?:=|["']\s*[:=]\s*|\s*[:=]\s*["'])["']?)[^\s&"',;]+`),
	regexp.MustCompile(`(?i)((?:apiSecretToken|password|bearer)\s*[:\s]\s*)[^\s&"',;]*[^\s&"',;A-Za-z.!?)][^\s&"',;]*`),
}

// mayBeAddress is what may be an IP address with its port, between words, to which an underscore does not
// belong. One without its host, as services keep it, ends with colons.
var mayBeAddress = regexp.MustCompile(`(?i)(?:(?:\b|_)[0-9a-f]|::)[0-9a-f:.]*(?:[0-9a-f](?:\b|_)|::\B)`)

// hideAddress returns what may be an address without it. A time of day or a version number is not one.
func hideAddress(found string) string {
	address := strings.Trim(found, "_")
	_, errAddress := netip.ParseAddr(address)
	_, errPort := netip.ParseAddrPort(address)
	if errAddress != nil && errPort != nil {
		return found
	}
	return strings.Replace(found, address, redacted, 1)
}
