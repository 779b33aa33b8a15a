// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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

// answered returns the answer of an endpoint with a header.
func answered(escaped string, header http.Header) transport.Answer {
	return transport.Answer{Exchange: transport.Exchange{To: transport.Endpoint{Escaped: escaped}}, Header: header}
}

// TestPages_whereTheNextPageIs has what an answer says of the next page of a day of events, and the
// query that asks for it, or the error.
func TestPages_whereTheNextPageIs(t *testing.T) {
	t.Parallel()

	const day = "kind=event&utcDate=2026-01-31"
	for _, c := range []struct {
		link, next, want string
		header           http.Header
	}{
		{},
		{next: `null`},
		{link: `<?page=2>; rel=prev`},
		{link: `</next>; rel="nextday", <x>; rev=next, <y>; anchor="next"; crossorigin`},
		{link: `</a,b;rel=next>; rel=style`},
		{link: `</x>; rel="prev`},
		{header: http.Header{"X-Next-Page": {""}, "X-Total-Count": {"0"}}},

		{link: `<https://h.example.com/base/v1/x%2Fy/export?` + day + `&page=2>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `<https://H.EXAMPLE.COM/base/v1/x%2fy/export?page=2>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `</base/v1/x%2Fy/%65xport?page=2&apiSecretToken=theirs&APISECRETTOKEN=x>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `<?page=2>; rel=next`, next: `"/base/v1/x%2Fy/export?page=2"`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{next: `"?cursor=a%2Bb%20c"`, want: "cursor=a%2Bb+c&" + day},

		{link: ` , <https://h.example.com/?page=1>; rel="prev", <?page=2>;; title=Page 2; REL="last NEXT";,`, want: "kind=event&page=2&utcDate=2026-01-31"},
		{link: `<?page=2>; title="a, b; rel=\"next\""; rel=next, <?page=2>; rel=next`, want: "kind=event&page=2&utcDate=2026-01-31"},

		{link: `<?page=2>; rel=next, <?page=3>; rel=next`, want: "more than one next page"},
		{link: `</x>; rel="next`, want: "cannot be read"},
		{link: `</2>; title="5" screens"; rel="next"`, want: "cannot be read"},
		{link: `</x> rel=next`, want: "cannot be read"},
		{link: `/x; rel=next`, want: "cannot be read"},
		{link: `<?page=2>; rel=next`, next: `"?page=3"`, want: "more than one next page"},
		{link: `<http://h.example.com/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `<//other.example.com/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `<https://u@h.example.com/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `<https://h.example.com:8443/base/v1/x%2Fy/export?page=2>; rel=next`, want: "another address"},
		{link: `</base/v1/x%2Fy/export/?page=2>; rel=next`, want: "another address"},
		{link: `<?utcDate=2026-02-01>; rel=next`, want: "another utcDate"},
		{link: `<?kind=person&page=2>; rel=next`, want: "another kind"},
		{link: `<?` + day + `>; rel=next`, want: "lead back to one that was read"},
		{link: `<?a=1;b=2>; rel=next`, want: "cannot be read"},
		{link: `<?page=2; rel=next`, want: "cannot be read"},
		{next: `2`, want: "another address"},
		{next: `{"href":"?page=2"}`, want: "is not an address"},
		{header: http.Header{"Content-Range": {"items 0-0/2"}}, want: "the header Content-Range says"},
		{next: `"https://h.example.com/%zz"`, want: "is not an address"},
		{header: http.Header{"X-Next-Page": {"2"}}, want: "the header X-Next-Page says"},
	} {
		own := url.Values{"utcDate": {"2026-01-31"}, "kind": {"event"}}
		p := &pages{base: "https://h.example.com/base", own: own, query: own.Encode()}
		header := http.Header{"Link": {c.link}}
		maps.Copy(header, c.header)

		more, err := p.follow(answered("/v1/x%2Fy/export", header), jsontext.Value(c.next), nil, 0)
		got := ""
		if err != nil {
			got = err.Error()
		} else if more {
			got = p.query
		}
		if got != c.want && (err == nil || c.want == "" || !strings.Contains(got, c.want)) || strings.Contains(got, "theirs") {
			t.Errorf("%s %s %v: %q, want %q", c.link, c.next, c.header, got, c.want)
		}
	}
}

// TestPages_everyRecordThatIsCounted has a page of two records and one of one, and what both count.
func TestPages_everyRecordThatIsCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, total, want string }{
		{"", "", "<nil>"},
		{"3", "", "<nil>"},
		{"", "3", "<nil>"},
		{"", `"2"`, "<nil>"},
		{"", "null", "<nil>"},
		{"4", "", "counts 4 records, and there are 3"},
		{"", `"7"`, "counts 7 records"},
		{"", `"many"`, "not a whole number"},
	} {
		p := &pages{base: "https://h.example.com"}
		header, total := http.Header{"X-Total-Count": {c.header}}, jsontext.Value(c.total)
		_, _ = p.follow(answered("", http.Header{"Link": {"<?page=2>; rel=next"}}), nil, total, 2)
		if _, err := p.follow(answered("", header), nil, total, 1); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestPages_areBounded(t *testing.T) {
	t.Parallel()
	p := &pages{base: "https://h.example.com"}

	for i := 2; ; i++ {
		more, err := p.follow(answered("", http.Header{"Link": {"<?page=" + strconv.Itoa(i) + ">; rel=next"}}), nil, nil, 0)
		if isLast := i == limitPages+1; more == isLast || (err != nil) != isLast {
			t.Fatalf("page %d: %t, %v", i, more, err)
		}
		if !more {
			return
		}
	}
}

func TestWire_problemsNameTheSettingAndNotItsValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                               "is not valid JSON",
		`{"lag":"3s"} {}`:                "is not valid JSON",
		`{"pendng_list_lag":"3s"}`:       "does not exist, or a value of another type than the setting has, at /pendng_list_lag",
		`{"pending":{"use":["canary"]}}`: "a value of another type than the setting has, at /pending/use",
		`["canary"]`:                     "a value of another type than the setting has, at the top",
		`{"canary@example.com":1}`:       "does not exist, or a value of another type than the setting has, at /…",

		`{"envelope":"canary"}`:                                  "wire.envelope must be a JSON Pointer",
		`{"ignored":{"took":"*"}}`:                               "wire.ignored has a key that is not a JSON Pointer",
		`{"result":{"success":["canary"]}}`:                      "wire.result needs both",
		`{"lag":"11m"}`:                                          "wire.lag must be a duration from 0s to 10m0s",
		`{"lag":"-1s"}`:                                          "wire.lag must be a duration",
		`{"absent":["json_404","canary"]}`:                       "wire.absent must be one of json_404, any_404",
		`{"pending":{"types":{"erasure":["erase"]}}}`:            "wire.pending.types has a key other than data_access",
		`{"pending":{"statuses":{"done":["x"],"failed":["x"]}}}`: `wire.pending.statuses holds a word twice`,
		`{"pending":{"statuses":{"done":[" "]}}}`:                "wire.pending.statuses holds an empty word",
		`{"export":{"record":{"events":"id"}}}`:                  "wire.export.record must be a JSON Pointer",
	} {
		w, err := ParseWire([]byte(text))
		problem := errors.Join(append(w.Problems(), err)...)
		if problem == nil || !strings.Contains(problem.Error(), want) || strings.Contains(problem.Error(), "canary") {
			t.Errorf("%s: %v", text, problem)
		}
	}
}
