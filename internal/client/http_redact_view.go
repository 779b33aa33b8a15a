package client

import (
	"bytes"
	"encoding/base64"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text with encodings undone. It knows for each byte which part of the original
// text it stands for.
type view struct {
	bytes []byte
	spans []span // for each byte
}

// span is a part of the text, in bytes.
type span struct{ from, to int }

func newView(text string) view {
	v := view{bytes: []byte(text), spans: make([]span, len(text))}
	for i := range v.spans {
		v.spans[i] = span{i, i + 1}
	}
	return v
}

// span returns the part of the text that the bytes from…to of the view stand for.
func (v view) span(from, to int) span { return span{v.spans[from].from, v.spans[to-1].to} }

// add appends bytes that stand for a part of the text.
func (v *view) add(stand span, b ...byte) {
	for _, c := range b {
		v.bytes = append(v.bytes, c)
		v.spans = append(v.spans, stand)
	}
}

// folded returns the view in the form in which texts are compared: without capitals,
// and with a space for the plus sign of a form.
func (v view) folded() view {
	out := view{bytes: make([]byte, 0, len(v.bytes)), spans: make([]span, 0, len(v.bytes))}
	for i := 0; i < len(v.bytes); {
		r, size := utf8.DecodeRune(v.bytes[i:])
		stand := v.span(i, i+size)

		switch {
		case r == utf8.RuneError && size == 1:
			out.add(stand, v.bytes[i])
		case r == '+':
			out.add(stand, ' ')
		default:
			var buffer [utf8.UTFMax]byte
			n := utf8.EncodeRune(buffer[:], unicode.ToLower(unicode.ToUpper(r)))
			out.add(stand, buffer[:n]...)
		}
		i += size
	}

	return out
}

// isText reports whether the view consists of characters that can be printed.
func (v view) isText() bool {
	return utf8.Valid(v.bytes) && bytes.IndexFunc(v.bytes, func(r rune) bool { return !unicode.IsGraphic(r) && r != '\n' }) < 0
}

// unescapers undo one way of escaping each. mark is the byte that its escapes begin
// with; decode decodes the escape that b begins with and returns how long it is, zero
// where b begins with none.
var unescapers = []struct {
	mark   byte
	decode func(b []byte) (decoded []byte, size int)
}{
	{'%', unescapePercent},
	{'&', unescapeEntity},
	{'\\', unescapeBackslash},
}

// unescaped returns a view for each way of escaping that v has escapes of, with those
// undone. They are not undone together, since what looks like an escape of one may be a
// part of the text.
func (v view) unescaped() []view {
	var found []view
	for _, u := range unescapers {
		if bytes.IndexByte(v.bytes, u.mark) < 0 {
			continue
		}
		if out, changed := v.replace(u.mark, u.decode); changed {
			found = append(found, out)
		}
	}

	return found
}

// replace undoes one way of escaping, and reports whether there was anything to undo.
func (v view) replace(mark byte, decode func([]byte) ([]byte, int)) (out view, changed bool) {
	out = view{bytes: make([]byte, 0, len(v.bytes)), spans: make([]span, 0, len(v.bytes))}
	for i := 0; i < len(v.bytes); {
		var decoded []byte
		size := 0
		if v.bytes[i] == mark {
			decoded, size = decode(v.bytes[i:])
		}

		if size == 0 {
			out.add(v.spans[i], v.bytes[i])
			i++
			continue
		}

		changed = true
		out.add(v.span(i, i+size), decoded...)
		i += size
	}

	return out, changed
}

var (
	percentEscape = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
	entityEscape  = regexp.MustCompile(`^&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});`)
	longEscape    = regexp.MustCompile(`^\\U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4})`)
	unicodeEscape = regexp.MustCompile(`^\\[uU]([0-9A-Fa-f]{4})(?:\\[uU]([0-9A-Fa-f]{4}))?`)
	byteEscape    = regexp.MustCompile(`^\\[xX][0-9A-Fa-f]{2}`)
)

// simpleEscapes are the escapes of one letter, as JSON and Go have them.
var simpleEscapes = map[byte]byte{'/': '/', '"': '"', '\'': '\'', '\\': '\\', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func unescapePercent(b []byte) (decoded []byte, size int) {
	if !percentEscape.Match(b) {
		return nil, 0
	}
	return []byte{hexByte(b[1:3])}, 3
}

func unescapeEntity(b []byte) (decoded []byte, size int) {
	entity := string(entityEscape.Find(b))
	for _, spelled := range []string{entity, strings.ToLower(entity)} {
		if text := html.UnescapeString(spelled); text != spelled {
			return []byte(text), len(entity)
		}
	}
	return nil, 0
}

func unescapeBackslash(b []byte) (decoded []byte, size int) {
	if m := longEscape.FindSubmatch(b); m != nil {
		return utf8.AppendRune(nil, hexRune(m[1])), len(m[0])
	}
	if m := unicodeEscape.FindSubmatch(b); m != nil {
		return decodeUTF16(m)
	}
	if byteEscape.Match(b) {
		return []byte{hexByte(b[2:4])}, 4
	}

	if len(b) < 2 {
		return nil, 0
	}
	if c, ok := simpleEscapes[b[1]]; ok {
		return []byte{c}, 2
	}

	return nil, 0
}

// decodeUTF16 decodes a match of unicodeEscape: the first of its two units, or both if
// they are a surrogate pair.
func decodeUTF16(m [][]byte) (decoded []byte, size int) {
	first, second := hexRune(m[1]), hexRune(m[2])
	if pair := utf16.DecodeRune(first, second); len(m[2]) > 0 && pair != utf8.RuneError {
		return utf8.AppendRune(nil, pair), len(m[0])
	}
	return utf8.AppendRune(nil, first), len(`\uFFFF`)
}

func hexByte(digits []byte) byte {
	n, _ := strconv.ParseUint(string(digits), 16, 8)
	return byte(n)
}

func hexRune(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits), 16, 31)
	return rune(n)
}

// base64 returns what the parts of the view that may be base64 decode to. Each part is
// read at four offsets, since its true beginning is not known. A byte of the result stands
// for the whole part.
func (v view) base64() []view {
	var found []view
	for from := 0; from < len(v.bytes); {
		run := v.bytes[from : from+base64Run(v.bytes[from:])]
		if len(run) >= shortestRun {
			found = append(found, decodings(run, v.span(from, from+len(run)))...)
		}
		from += len(run) + 1
	}

	return found
}

// base64Run returns how many bytes b begins with that base64 is written in.
func base64Run(b []byte) int {
	for i, c := range b {
		isAlphanumeric := c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !isAlphanumeric && !strings.ContainsRune("+/_-", rune(c)) {
			return i
		}
	}
	return len(b)
}

// decodings returns what a run decodes to at four offsets.
func decodings(run []byte, stand span) []view {
	var found []view
	for offset := range 4 {
		decoded := decodeBase64(run[offset:])
		found = append(found, view{bytes: decoded, spans: slices.Repeat([]span{stand}, len(decoded))})
	}
	return found
}

// urlAlphabet replaces the two characters of the alphabet for addresses.
var urlAlphabet = strings.NewReplacer("-", "+", "_", "/")

// decodeBase64 decodes a run in either alphabet, up to its first error.
func decodeBase64(run []byte) []byte {
	std := urlAlphabet.Replace(string(run))
	if len(std)%4 == 1 {
		std = std[:len(std)-1]
	}

	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(std)))
	n, _ := base64.RawStdEncoding.Decode(out, []byte(std))
	return out[:n]
}
