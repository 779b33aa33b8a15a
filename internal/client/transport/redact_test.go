// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// ordinary are sentences of services with words that resemble secrets.
var ordinary = []string{
	"clause_1_consent must be a boolean", "retry at 12:30", "version 1.2.3",
	"e-mail or password is wrong", "The password is wrong.", "password: must not be empty", "Password expired!",
	"bearer authentication is required", "a bearer token was expected", "apiSecretToken is missing",
	"try again at 2026-01-31T12:30:45Z", "took 00:00:12.345", "std::vector is no type", "namespace feed::faces",
	"100% of 5 records & more", "R&D says: use \\n for a line break", "the path /v1/org/web is unknown", "50%25 off",
	"internationalization of authentication is misconfigured", "see documentation/authentication/configuration",
	"request-id 0f8fad5b-d9cb-469f-a165-70867728950e",
}

// TestRedact_personInHexadecimal has a service that quotes the bytes of an identity.
func TestRedact_personInHexadecimal(t *testing.T) {
	t.Parallel()
	redactor := NewRedactor("user-1001", "17")
	for _, text := range []string{"no user 757365722d31303031", "no user 757365722D31303031"} {
		if got := redactor.Text(text, 100); got != "no user [redacted]" {
			t.Errorf("%q is shown", got)
		}
	}
	if got := redactor.Text("error 3137", 100); got != "error 3137" {
		t.Errorf("%q is shown", got)
	}
}

func TestRedact_ordinarySentencesStay(t *testing.T) {
	t.Parallel()
	// A value that was sent may be an ordinary word.
	r := NewRedactor("or", "is", "a", "5", "of", "The", "jane.doe@example.com", "kanarienvogel", "47")
	for _, text := range ordinary {
		if got := r.Text(text, limitMessage); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestRedact_showsTheRest(t *testing.T) {
	t.Parallel()

	words, sigma := []string{"or", "47", "7", "gold", "Straße"}, "ΟΔΥΣΣΕΥΣ-1"
	person, long := "p@ss-Жé中😀-canary", "a-very-long-secret-that-is-cut-in-the-middle"
	profile := PrivateValues(jsontext.Value(`{"name":"Jane Canary","age":4711,"tags":["silver-canary",{"city":"Canaria"}],"on":true,"none":null}`))
	for text, tc := range map[string]struct {
		private []string
		want    string
	}{
		// Short values only where they are meant.
		`the value "or" is not one of blue or red`: {words, `the value "[redacted]" is not one of blue or red`},
		`47 is more than 4711, "7" or 7`:           {words, `[redacted] is more than 4711, "[redacted]" or 7`},
		"GOLD is no golden goldfish":               {words, "[redacted] is no golden goldfish"},
		"in the STRASSE or straße":                 {words, "in the STRASSE or [redacted]"},

		"id bm8gNDcgaGVyZQ== of no 48": {words, "id bm8gNDcgaGVyZQ== of no 48"}, // base64 of: no 47 here
		"id ZmVlZGJhY2sxOTIuMC4yLjE=":  {nil, "id [redacted]="},                 // base64 of: feedback192.0.2.1

		"user jane+doe%40example.com unknown":              {[]string{"jane doe@example.com"}, "user [redacted] unknown"},
		"no eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJqYW5lIn0.c2ln": {nil, "no [redacted]"},
		"/v1/user/self?apiSecretToken=another-key&x=1":     {nil, "/v1/user/self?apiSecretToken=[redacted]&x=1"},
		"Authorization: bearer another-token":              {nil, "Authorization: bearer [redacted]"},

		// The person of a call, in an identifier of the service.
		"no Customer-4711 here": {[]string{"customer-4711"}, "no [redacted] here"},

		// What is long, also inside of a word, and what an escape in a value stands for.
		"no Xkanarienvogels here": {[]string{"kanarienvogel"}, "no X[redacted]s here"},
		"no jane/doe-1 here":      {[]string{"jane%2Fdoe-1"}, "no [redacted] here"},

		// The final sigma and the long s are lower case, and no letter's lower case.
		"no οδυσσευς-1 here":                 {[]string{sigma}, "no [redacted] here"},
		"no PA\u017f\u017f-WORD-CANARY here": {[]string{"pass-word-canary"}, "no [redacted] here"},

		// Whole characters of an encoded text.
		"no p@ss-%D0%96é中😀-canary here": {[]string{person}, "no [redacted] here"},

		`no "Jane Canary" of 4711 with silver-canary in Canaria`: {profile, `no "[redacted]" of [redacted] with [redacted] in [redacted]`},
		strings.Repeat("x", limitMessage-10) + long:              {[]string{long}, strings.Repeat("x", limitMessage-10) + redacted},
	} {
		if got := NewRedactor(tc.private...).Text(text, limitMessage); got != tc.want {
			t.Errorf("%q becomes %q, want %q", text, got, tc.want)
		}
	}
}

func TestRedact_whatLooksLikeAPersonInAnySpelling(t *testing.T) {
	t.Parallel()

	for _, person := range []string{"bob@example.org", "198.51.100.7", "2001:db8::44", "::ffff:192.0.2.44", "[2001:db8::44]:443", "192.0.2.1:8080"} {
		for name, spell := range spellings {
			if name == "base64 url" {
				continue // its prefix ends in a hexadecimal digit
			}

			text := "no " + spell(person) + " here"
			if got := NewRedactor().Text(text, limitMessage); !strings.Contains(got, redacted) {
				t.Errorf("%s: %q becomes %q", name, text, got)
			}
		}
	}
}

// TestRedact_secretInAnySpelling puts random secrets between ordinary sentences, in up
// to three nested spellings. The secret must be removed and the sentences must stay, apart
// from escapes in them.
func TestRedact_secretInAnySpelling(t *testing.T) {
	t.Parallel()

	alphabet := []rune("abcXYZ0189 /+=&%#@:?'\"\\<>._-~éßЖ中😀")
	names := slices.Sorted(maps.Keys(spellings))
	random := rand.New(rand.NewPCG(1, 2))
	for n := range soak.Size(soak.Raced(200, 800), 40_000) {
		secret := []rune{'k', 'Q'}
		for range 8 + random.IntN(24) {
			secret = append(secret, alphabet[random.IntN(len(alphabet))])
		}

		text := string(append(secret, '7', 'w'))
		spelled, used := text, []string(nil)
		for range 1 + random.IntN(3) {
			name := names[random.IntN(len(names))]
			changesCase := name == "upper" || name == "lower" || name == "lower percent"
			if isBase64(used) == redactBase64 && strings.HasPrefix(name, "base64") || changesCase && (isBase64(used) > 0 || slices.Contains(used, "Go")) {
				continue // base64 and \U do not survive another case
			}
			spelled, used = spellings[name](spelled), append(used, name)
		}

		before, after := ordinary[random.IntN(len(ordinary))], ordinary[random.IntN(len(ordinary))]
		got := NewRedactor("somebody else", text).Clean(before + " " + spelled + " " + after)

		middle := spelled[len(spelled)/3 : 2*len(spelled)/3]
		if strings.Contains(got, middle) || !strings.Contains(got, redacted) {
			t.Fatalf("%d: %q as %v, %q, becomes %q", n, text, used, spelled, got)
		}

		unescaped := strings.NewReplacer("%25", "%", `\n`, "\n")
		if !strings.HasPrefix(unescaped.Replace(got), unescaped.Replace(before)+" ") || !strings.HasSuffix(unescaped.Replace(got), " "+unescaped.Replace(after)) {
			t.Fatalf("%d: what is around %q is gone in %q", n, spelled, got)
		}
	}
}

// spellings are reversible encodings of a text.
var spellings = map[string]func(string) string{
	"as it is":         func(s string) string { return s },
	"upper":            strings.ToUpper,
	"lower":            strings.ToLower,
	"path":             url.PathEscape,
	"query":            url.QueryEscape,
	"segment":          EscapeSegment,
	"lower percent":    func(s string) string { return strings.ToLower(EscapeSegment(s)) },
	"every byte":       every("%%%02x", asBytes),
	"HTML":             html.EscapeString,
	"HTML decimal":     every("&#%d;", asRunes),
	"HTML hex":         every("&#x%x;", asRunes),
	"HTML HEX":         every("&#X%04X;", asRunes),
	"HTML named":       strings.NewReplacer("/", "&sol;", "@", "&commat;", "+", "&plus;", "=", "&equals;", "&", "&amp;", ":", "&colon;").Replace,
	"JSON":             func(s string) string { b, _ := json.Marshal(s); return string(b) },
	"JSON \\u":         every("\\u%04x", asUTF16),
	"JSON \\u capital": every("\\u%04X", asUTF16),
	"JSON slashes":     strings.NewReplacer("/", `\/`, `"`, `\"`, `\`, `\\`).Replace,
	"Go":               strconv.QuoteToASCII,
	"base64 0":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 1":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"base64 2":         func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte("x:" + s + "\n")) },
	"base64 url":       func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("abc" + s)) },
}

// every writes each unit of a text in a format.
func every[T any](format string, units func(string) []T) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, unit := range units(s) {
			fmt.Fprintf(&b, format, unit)
		}
		return b.String()
	}
}

func asBytes(s string) []byte   { return []byte(s) }
func asRunes(s string) []rune   { return []rune(s) }
func asUTF16(s string) []uint16 { return utf16.Encode([]rune(s)) }

func isBase64(used []string) (n int) {
	for _, name := range used {
		if strings.HasPrefix(name, "base64") {
			n++
		}
	}
	return n
}

func TestExcerpt_firstWordsOfAPage(t *testing.T) {
	t.Parallel()
	page := "<!doctype html><html><head><style>p{color:red}</style><title>Sign in</title></head><body><p>Welcome to\n the <b>hotel</b></p><script>alert(1)</script></body>"
	if got := NewRedactor().excerpt([]byte(page)); got != "Sign in Welcome to the hotel" {
		t.Errorf("got %q", got)
	}
}

func FuzzRedact_textIsHarmless(f *testing.F) {
	f.Add("message", "secret")
	f.Add("x\u202esecret\x1b[31m\r\n", "secret")
	f.Add(strings.Repeat("é", 500), "é")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got := NewRedactor(secret).Text(text, limitMessage)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > limitMessage*11+1 {
			t.Fatalf("not short valid UTF-8: %q", got)
		}

		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q holds the unprintable %U", got, r)
			}
		}
	})
}

// BenchmarkRedact_runs redacts pages that repeat what a secret may begin with, and shows a message beside
// many values that begin alike, each of one length and of eight times that: where the time is linear,
// the rate is the same for both.
func BenchmarkRedact_runs(b *testing.B) {
	const sentence = "<p>The password is wrong &amp; more</p>\n"
	for _, piece := range []string{":", "0:", "a@", "eyJ", "%25", "&amp;", `\`, "<script>", "bearer:", "YWJj", sentence, ""} {
		for _, length := range []int{LimitError / 8, LimitError} {
			b.Run(fmt.Sprintf("%q/%d", piece, length), func(b *testing.B) {
				values := []string{"jane-doe-12", "s3cret/k+y"}
				for i := 0; piece == "" && i < length; i++ {
					values = append(values, fmt.Sprintf("1%08d", i))
				}
				page := []byte(strings.Repeat(piece, length/max(len(piece), 1)) + "no 100000007 here")
				b.SetBytes(int64(length))

				for b.Loop() {
					_ = NewRedactor(values...).excerpt(page)
				}
			})
		}
	}
}
