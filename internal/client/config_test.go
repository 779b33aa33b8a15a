// SPDX-License-Identifier: MPL-2.0

package client

import (
	"strings"
	"testing"
)

func TestBaseURL_acceptedAndJoinedExactly(t *testing.T) {
	t.Parallel()

	org := Scope{OrgID: "org-demo", ProjectID: "web"}
	account := Scope{AccountID: "acct-7"}
	for _, tc := range []struct{ base, org, account string }{
		{"https://h.example.com", "https://h.example.com/v1/org/org-demo/project/web/compliance/user/u/consent", "https://h.example.com/v1/account/acct-7/compliance/user/u/consent"},
		{"https://h.example.com/", "https://h.example.com/v1/org/org-demo/project/web/compliance/user/u/consent", "https://h.example.com/v1/account/acct-7/compliance/user/u/consent"},
		{"https://h.example.com:8443/sub/path/", "https://h.example.com:8443/sub/path/v1/org/org-demo/project/web/compliance/user/u/consent", "https://h.example.com:8443/sub/path/v1/account/acct-7/compliance/user/u/consent"},
		{"HTTPS://H.Example.com/a%2Fb", "https://h.example.com/a%2Fb/v1/org/org-demo/project/web/compliance/user/u/consent", "https://h.example.com/a%2Fb/v1/account/acct-7/compliance/user/u/consent"},
		{"https://[2001:db8::1]:443", "https://[2001:db8::1]:443/v1/org/org-demo/project/web/compliance/user/u/consent", "https://[2001:db8::1]:443/v1/account/acct-7/compliance/user/u/consent"},
		{"https://bücher.example", "https://b%C3%BCcher.example/v1/org/org-demo/project/web/compliance/user/u/consent", "https://b%C3%BCcher.example/v1/account/acct-7/compliance/user/u/consent"},
		{"http://localhost:8080", "http://localhost:8080/v1/org/org-demo/project/web/compliance/user/u/consent", "http://localhost:8080/v1/account/acct-7/compliance/user/u/consent"},
		{"http://127.0.0.9", "http://127.0.0.9/v1/org/org-demo/project/web/compliance/user/u/consent", "http://127.0.0.9/v1/account/acct-7/compliance/user/u/consent"},
		{"http://[::1]:1", "http://[::1]:1/v1/org/org-demo/project/web/compliance/user/u/consent", "http://[::1]:1/v1/account/acct-7/compliance/user/u/consent"},
	} {
		base, err := ParseBaseURL(tc.base)
		if err != nil {
			t.Errorf("ParseBaseURL(%q): %v", tc.base, err)
			continue
		}

		for scope, want := range map[Scope]string{org: tc.org, account: tc.account} {
			to, err := scope.ofPerson("u", opGetConsent)
			if err != nil {
				t.Fatal(err)
			}

			if got := to.Under(base).String(); got != want {
				t.Errorf("%q joins to\n%s, want\n%s", tc.base, got, want)
			}
		}
	}
}

func TestBaseURL_refusedWithoutRepeatingTheValue(t *testing.T) {
	t.Parallel()

	for base, want := range map[string]string{
		"":                                    "is empty",
		"   ":                                 "is empty",
		"analytics.example.com":               "no scheme",
		"//analytics.example.com":             "no scheme",
		"ftp://analytics.example.com":         "scheme other than https",
		"http://analytics.example.com":        "plain http",
		"http://192.0.2.1":                    "plain http",
		"http://localhost.example.com":        "plain http",
		"https://user:canary@h.example.com":   "user information",
		"https://canary@h.example.com":        "user information",
		"https://h.example.com?canary=1":      "a query",
		"https://h.example.com?":              "a query",
		"https://h.example.com#canary":        "a fragment",
		"https://h.example.com#":              "a fragment",
		"https:h.example.com":                 "not of the form",
		"https://":                            "no host",
		"https:///canary":                     "no host",
		"https://h.example.com:0":             "port outside",
		"https://h.example.com:70000":         "port outside",
		"https://h.example.com:":              "no port",
		"https://h.example.com:canary":        "not a valid address",
		"https://h.example.com/a/../canary":   ". or .. segments",
		"https://h.example.com/%2e%2e/canary": ". or .. segments",
		"https://h.example.com/%zz":           "not a valid address",
		"https://h exa.example.com":           "not a valid address",
		"https://h.example.com/\x00canary":    "not a valid address",
	} {
		_, err := ParseBaseURL(base)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseBaseURL(%q) = %v, want an error with %q", base, err, want)
		}

		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("ParseBaseURL(%q) repeats the value: %v", base, err)
		}
	}
}
