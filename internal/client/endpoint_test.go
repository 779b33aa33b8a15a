// SPDX-License-Identifier: MPL-2.0

package client

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEscapeSegment_staysOneSegment(f *testing.F) {
	for _, seed := range []string{"user-1001", "a/b", "%2F", "..", ".", "", "a\x00b", "jane@example.com", "é", "\xff", `a;b?c#d&e=f+g h\i:~`} {
		f.Add(seed)
	}

	// The characters that RFC 3986, section 2.3, leaves as they are.
	sent := regexp.MustCompile(`^/v1/org/o/project/p/compliance/user/((?:[\w.~-]|%[0-9A-F]{2})+)/consent$`)
	f.Fuzz(func(t *testing.T, identity string) {
		to, err := Person{Scope{OrgID: "o", ProjectID: "p"}, identity}.endpoint(opGetConsent.Path)
		if err != nil {
			return
		}
		segment := sent.FindStringSubmatch(to.Escaped)
		if segment == nil {
			t.Fatalf("%q makes the path %s", identity, to.Escaped)
		}
		if decoded, err := url.PathUnescape(segment[1]); err != nil || decoded != identity || !utf8.ValidString(identity) {
			t.Fatalf("%q arrives as %q (%v)", identity, decoded, err)
		}
	})
}

func TestBaseURL_acceptedAndJoinedExactly(t *testing.T) {
	t.Parallel()

	for text, joined := range map[string]string{
		"https://h.example.com:8443/sub/path/": "https://h.example.com:8443/sub/path",
		"HTTPS://H.Example.com/a%2Fb":          "https://h.example.com/a%2Fb",
		"https://[2001:db8::1]:443":            "https://[2001:db8::1]:443",
		"https://bücher.example":               "https://b%C3%BCcher.example",
		"http://localhost:8080":                "http://localhost:8080",
		"http://[::1]:1":                       "http://[::1]:1",
	} {
		base, err := ParseBaseURL(text)
		if err != nil {
			t.Errorf("ParseBaseURL(%q): %v", text, err)
			continue
		}

		for scope, family := range map[Scope]string{{OrgID: "org-demo", ProjectID: "web"}: "/v1/org/org-demo/project/web", {AccountID: "acct-7"}: "/v1/account/acct-7"} {
			to, err := Person{scope, "u"}.endpoint(opGetConsent.Path)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := base.String()+to.Escaped, joined+family+"/compliance/user/u/consent"; got != want {
				t.Errorf("%q joins to\n%s, want\n%s", text, got, want)
			}
		}
	}
}

// TestValues_refusedWithoutRepeatingThem has segments of a path, and values of base_url. What else a scope lacks is
// shown by the tests of import IDs.
func TestValues_refusedWithoutRepeatingThem(t *testing.T) {
	t.Parallel()

	wantRefusals := func(check func(string) error, refused map[string]string) {
		for value, want := range refused {
			if err := check(value); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%q: %v, want an error with %q", value, err, want)
			}
		}
	}
	wantRefusals(ValidateSegment, map[string]string{
		"":                                  "is empty",
		".":                                 "change the path",
		"..":                                "change the path",
		" canary":                           "begins or ends with a space",
		"canary\x00":                        "U+0000 at byte 6",
		"canary\xff":                        "U+FFFD at byte 6",
		"canaré\u2003":                      "U+2003 at byte 7",
		"can\u00a0ary":                      "U+00A0 at byte 3",
		"can\u3164ary":                      "U+3164 at byte 3",
		"can\u2800ary":                      "U+2800 at byte 3",
		"can\ufe0fary":                      "U+FE0F at byte 3",
		"can\U000e0041ary":                  "U+E0041 at byte 3",
		"can\uffffary":                      "U+FFFF at byte 3",
		"\u200bcanary":                      "U+200B at byte 0",
		"canary\u0301":                      "NFC, the only one that Terraform keeps, at byte 5",
		strings.Repeat("x", LimitSegment+1): "longer than 8192 bytes",
	})
	if err := (Scope{OrgID: "o", ProjectID: "p", AccountID: "a"}).Validate(); err == nil {
		t.Error("a scope may be in both path families")
	}
	for _, value := range []string{"jane doe", "é", "日本 太郎"} {
		if err := ValidateSegment(value); err != nil {
			t.Errorf("%q: %v", value, err)
		}
	}
	parse := func(value string) error {
		_, err := ParseBaseURL(value)
		return err
	}
	wantRefusals(parse, map[string]string{
		"":                                    "begin with https",
		"analytics.example.com":               "begin with https",
		"ftp://analytics.example.com":         "begin with https",
		"http://localhost.example.com":        "plain http",
		"https://user:canary@h.example.com":   "user information",
		"https://h.example.com?canary=1":      "a query or a fragment",
		"https://h.example.com#canary":        "a query or a fragment",
		"https://h.example.com#":              "a query or a fragment",
		"https:h.example.com":                 "no host",
		"https://":                            "no host",
		"https://h.example.com:0":             "port outside",
		"https://h.example.com:70000":         "port outside",
		"https://h.example.com:":              "port outside",
		"https://h.example.com:canary":        "not a valid address",
		"https://h.example.com/%2e%2e/canary": ". or .. segments",
		"https://h.example.com/canary/.":      ". or .. segments",
	})
}

func TestValidateSecret_whatCannotBeSent(t *testing.T) {
	t.Parallel()

	for value, accepted := range map[string]string{ // by the names of these credentials
		"can\x00ary": "", "  ": "", "bearer canary": "password email api_secret_key", " canary ": "password", "can\u00a0ary": "password", "can\u200bary": "password", "canary+/=&%#@": "password email token api_secret_key",
	} {
		for _, name := range []string{"password", "email", "token", "api_secret_key"} {
			isAccepted := slices.Contains(strings.Fields(accepted), name)
			if err := ValidateSecret(name, value); (err == nil) != isAccepted || strings.Contains(fmt.Sprint(err), "canary") {
				t.Errorf("%s %q: %v", name, value, err)
			}
		}
	}
}
