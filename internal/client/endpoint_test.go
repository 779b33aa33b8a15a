package client

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscapeSegment_oneEncodedSegment(t *testing.T) {
	t.Parallel()

	for segment, want := range map[string]string{
		"user-1001":        "user-1001",
		"jane@example.com": "jane%40example.com",
		"a/b":              "a%2Fb",
		"%2F":              "%252F",
		"..%2f":            "..%252f",
		"...":              "...",
		"a?b#c":            "a%3Fb%23c",
		"a+b;c:d&e=f":      "a%2Bb%3Bc%3Ad%26e%3Df",
		`a b\c`:            "a%20b%5Cc",
		"~a.b_c":           "~a.b_c",
		"e\u0301":          "e%CC%81",
		"\u00e9":           "%C3%A9",
		"\U0001F600":       "%F0%9F%98%80",
		"a/../b":           "a%2F..%2Fb",
		"user 1001":        "user%201001",
	} {
		if err := ValidateSegment(segment); err != nil {
			t.Errorf("ValidateSegment(%q): %v", segment, err)
		}
		if got := EscapeSegment(segment); got != want {
			t.Errorf("EscapeSegment(%q) = %q, want %q", segment, got, want)
		}
	}
}

func FuzzEscapeSegment_staysOneSegment(f *testing.F) {
	for _, seed := range []string{"user-1001", "a/b", "%2F", "..", ".", "", "a\x00b", "jane@example.com", "é", "\xff", "a;b?c#d&e=f+g h"} {
		f.Add(seed)
	}

	base, err := ParseBaseURL("https://h.example.com/sub")
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, identity string) {
		to, err := Scope{OrgID: "o", ProjectID: "p"}.ofPerson(identity, opGetConsent)
		if err != nil {
			return
		}

		u, err := url.Parse(to.under(base).String())
		if err != nil {
			t.Fatalf("%q makes an address that does not parse: %v", identity, err)
		}

		if u.Host != "h.example.com" || u.RawQuery != "" || u.Fragment != "" {
			t.Fatalf("%q leaves the path: %s", identity, u)
		}

		parts := strings.Split(u.EscapedPath(), "/")
		if len(parts) != 11 {
			t.Fatalf("%q makes %d segments: %s", identity, len(parts), u.EscapedPath())
		}

		decoded, err := url.PathUnescape(parts[9])
		if err != nil || decoded != identity || !utf8.ValidString(identity) {
			t.Fatalf("%q arrives as %q (%v)", identity, decoded, err)
		}
	})
}
