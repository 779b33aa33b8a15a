package client

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestRedactionRemovesEveryFormOfASecret(t *testing.T) {
	t.Parallel()
	secret, person := `p@ss/w+rd "1"`, "jane doe@example.com"
	r := newRedactor(secret, person)
	for _, text := range []string{
		"bad " + secret,
		"bad p%40ss%2Fw%2Brd%20%221%22",
		"bad p%40ss%2fw%2brd%20%221%22",
		"bad p%40ss%2Fw%2Brd+%221%22",
		`bad p@ss/w+rd \"1\"`,
		"bad cEBzcy93K3JkICIxIg==",
		"user " + person + " unknown",
		"user jane%20doe%40example.com unknown",
		"user jane+doe%40example.com unknown",
		"somebody else: bob@example.org",
		"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJqYW5lIn0.c2ln",
		"address ::ffff:192.0.2.44 and 198.51.100.7 and 2001:db8::44",
		"/v1/user/self?apiSecretToken=another-key&x=1",
		"Authorization: bearer another-token",
	} {
		got := r.text(text, limitMessage)
		for _, leak := range []string{"p@ss", "p%40ss", "w+rd", "cEBz", "jane", "bob", "eyJ", "192.0.2.44", "198.51.100.7", "2001:db8::44", "another-key", "another-token"} {
			if strings.Contains(got, leak) {
				t.Errorf("%q becomes %q, which still holds %q", text, got, leak)
			}
		}
		if !strings.Contains(got, redacted) {
			t.Errorf("%q becomes %q, with nothing redacted", text, got)
		}
	}
}

func TestRedactionHappensBeforeTheCut(t *testing.T) {
	t.Parallel()
	secret := "a-very-long-secret-that-is-cut-in-the-middle"
	got := newRedactor(secret).text(strings.Repeat("x", limitMessage-10)+secret, limitMessage)
	if strings.Contains(got, "a-very") {
		t.Errorf("half of the secret is left: %q", got)
	}
}

func TestTimesAndOrdinaryWordsAreLeftReadable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"clause_1_consent must be a boolean", "retry at 12:30", "version 1.2.3"} {
		if got := newRedactor().text(text, limitMessage); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestPagesAreShownByTheirFirstWords(t *testing.T) {
	t.Parallel()
	page := "<!doctype html><html><head><style>p{color:red}</style><title>Sign in</title></head><body><p>Welcome to\n the <b>hotel</b></p><script>alert(1)</script></body>"
	if got := newRedactor().excerpt([]byte(page)); got != "Sign in Welcome to the hotel" {
		t.Errorf("got %q", got)
	}
}

func FuzzRedactedTextIsHarmless(f *testing.F) {
	f.Add("message", "secret")
	f.Add("x\u202esecret\x1b[31m\r\n", "secret")
	f.Add(strings.Repeat("é", 500), "é")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got := newRedactor(secret).text(text, limitMessage)
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
