// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"

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

func TestRedact_ordinarySentencesStay(t *testing.T) {
	t.Parallel()
	// A value that was sent may be an ordinary word.
	r := &Redactor{Values: []string{"or", "is", "a", "5", "of", "The", "jane.doe@example.com", "kanarienvogel", "47"}}
	for _, text := range ordinary {
		if got := r.Text(text, limitMessage); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestRedact_showsTheRest(t *testing.T) {
	t.Parallel()

	words, sigma := []string{"or", "47", "7", "gold", "Straße"}, "ΟΔΥΣΣΕΥΣ-1"
	const long = "a-very-long-secret-that-is-cut-in-the-middle"
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

		// Hexadecimal and base64, of what is not short.
		"no user 757365722D31303031":   {[]string{"user-1001", "17"}, "no user [redacted]"},
		"error 3137":                   {[]string{"user-1001", "17"}, "error 3137"},
		"id bm8gNDcgaGVyZQ== of no 48": {words, "id bm8gNDcgaGVyZQ== of no 48"}, // base64 of: no 47 here

		"no bob@example.org at 198.51.100.7, 2001:db8::44, [2001:db8::44]:443 or ::ffff:192.0.2.44:": {nil, "no [redacted] at [redacted], [redacted], [[redacted]]:443 or [redacted]:"},
		"ip:192.0.2.1, sourceIp:2001:db8::44, name:192.0.2.1:443 or 192.0.2.1:denied":                {nil, "ip:[redacted], sourceIp:[redacted], name:[redacted] or [redacted]:denied"},
		"x192.0.2.1x of v1.2.3.45 at 12:34:56.789 in Foo::Bar::::":                                   {nil, "x192.0.2.1x of v1.2.3.45 at 12:34:56.789 in Foo::Bar::::"},
		"of 2001:db8:1:2:: and (2001:db8::) and [2001:db8::]:80":                                     {nil, "of [redacted] and ([redacted]) and [[redacted]]:80"},
		"user_192.0.2.1 of _192.0.2.1_, in A_B::_12_":                                                {nil, "user_[redacted] of _[redacted]_, in A_B::_12_"},
		"no bob%40example.org at 192.0.2.1:8080":                                                     {nil, "no [redacted] at [redacted]"},
		"user jane+doe%40example.com unknown":                                                        {[]string{"jane doe@example.com"}, "user [redacted] unknown"},
		"no eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJqYW5lIn0.c2ln":                                           {nil, "no [redacted]"},
		"/v1/user/self?apiSecretToken=another-key&x=1":                                               {nil, "/v1/user/self?apiSecretToken=[redacted]&x=1"},
		"Authorization: bearer another-token":                                                        {nil, "Authorization: bearer [redacted]"},

		// One line of valid UTF-8, without control and invisible characters.
		"x\u202ekanarie\x1b[31m\r\n, \xff\u00a0y": {nil, "x\uFFFDkanarie\uFFFD[31m  , \uFFFD y"},
		strings.Repeat("é", limitMessage+1):       {nil, strings.Repeat("é", limitMessage) + "…"},

		// The person of a call, in an identifier of the service.
		"no Customer-4711 here": {[]string{"customer-4711"}, "no [redacted] here"},

		// What is long, also inside of a word.
		"no Xkanarienvogels here": {[]string{"kanarienvogel"}, "no X[redacted]s here"},

		// The final sigma and the long s are lower case, and no letter's lower case.
		"no οδυσσευς-1 here":                 {[]string{sigma}, "no [redacted] here"},
		"no PA\u017f\u017f-WORD-CANARY here": {[]string{"pass-word-canary"}, "no [redacted] here"},

		`no "Jane Canary" of 4711 with silver-canary in Canaria`: {profile, `no "[redacted]" of [redacted] with [redacted] in [redacted]`},
		strings.Repeat("x", limitMessage-10) + long:              {[]string{long}, strings.Repeat("x", limitMessage-10) + redacted},
	} {
		if got := (&Redactor{Values: tc.private}).Text(text, limitMessage); got != tc.want {
			t.Errorf("%q becomes %q, want %q", text, got, tc.want)
		}
	}
}

// TestRedact_secretInAnySpelling puts random secrets between ordinary sentences, in each spelling, and
// in another case. The secret must be removed and the sentences must stay.
func TestRedact_secretInAnySpelling(t *testing.T) {
	t.Parallel()

	alphabet := []rune("abcXYZ0189 /+=&%#@:?'\"\\<>._-~éßЖ中😀")
	random := rand.New(rand.NewPCG(1, 2))
	for n := range soak.Size(soak.Raced(20, 80), 5000) {
		secret := []rune{'k', 'Q'}
		for range 8 + random.IntN(24) {
			secret = append(secret, alphabet[random.IntN(len(alphabet))])
		}

		text := string(append(secret, '7', 'w'))
		before, after := ordinary[random.IntN(len(ordinary))], ordinary[random.IntN(len(ordinary))]
		for name, spell := range spelled {
			spelling := spell(text)
			for _, shown := range []string{spelling, strings.ToUpper(spelling), strings.ToLower(spelling)} {
				got := (&Redactor{Values: []string{"somebody else", text}}).Clean(before + " " + shown + " " + after)
				middle := shown[len(shown)/3 : 2*len(shown)/3]
				isRemoved := strings.Contains(got, redacted) && !strings.Contains(got, middle)
				if !isRemoved || !strings.HasPrefix(got, before+" ") || !strings.HasSuffix(got, " "+after) {
					t.Fatalf("%d: %q as %s, %q, becomes %q", n, text, name, shown, got)
				}
			}
		}
	}
}

// spelled are the ways in which services quote a text.
var spelled = map[string]func(string) string{
	"as it is":     func(s string) string { return s },
	"path":         url.PathEscape,
	"form":         url.QueryEscape,
	"segment":      func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") },
	"path twice":   func(s string) string { return url.QueryEscape(strings.ReplaceAll(url.QueryEscape(s), "+", "%20")) },
	"form twice":   func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"HTML":         html.EscapeString,
	"JSON":         func(s string) string { b, _ := jsontext.AppendQuote(nil, s); return string(b) },
	"JSON in HTML": func(s string) string { b, _ := json.Marshal(s); return string(b) },
	"JSON slashes": strings.NewReplacer("/", `\/`, `"`, `\"`, `\`, `\\`).Replace,
	"Go":           strconv.QuoteToASCII,
	"hexadecimal":  func(s string) string { return hex.EncodeToString([]byte(s)) },
	"base64":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"in base64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"raw base64":   func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte("x:" + s + "\n")) },
	"base64 url":   func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("abc" + s)) },
}
