// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Requests that tests use.
const (
	person     = "/v1/org/acme/project/web/compliance/user/jo%40example.com"
	getConsent = "GET " + person + "/consent"
	patch      = "PATCH " + person + "/consent"
	profile    = "PATCH " + person + "/profile"
	login      = "POST /v1/auth/login/jwt"
	export     = "GET /v1/org/acme/project/web/export"

	clauses     = `"clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":false`
	clausesText = "clause_1_consent=true&clause_2_consent=false&clause_3_consent=true&clause_4_consent=true&clause_5_consent=false"
	loginText   = "email=jo%40example.com&password=secret"

	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// exchanged is a request and its response, and words of the violation that is expected, if there is one.
type exchanged struct {
	request     string // method and target
	media, body string
	answer      string // status, media type and body, separated by spaces; empty: one that every operation allows
	bare        bool   // without a credential, which only the login has
	want        string
}

func TestViolations_areThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	const (
		undeclared = "does not declare the parameter"
		media      = "header Content-Type has unexpected value"
		exactly    = "percent-encoded exactly"
		operation  = "no operation: section 4 has no operation with this path and method"
	)
	fourText := strings.TrimSuffix(clausesText, "&clause_5_consent=false")
	for name, e := range map[string]exchanged{
		"login with JSON":       {request: login, media: mediaJSON, body: `{"email":"jo@example.com","password":"secret"}`},
		"login with the query":  {request: login + "?" + loginText},
		"export with a kind":    {request: export + "?utcDate=2024-02-29&kind=person"},
		"identity with a slash": {request: "GET /v1/org/a%2Fb/project/%C3%BC/compliance/user/..%2Fx/consent"},
		"consent with JSON":     {request: patch, media: mediaJSON, body: `{` + clauses + `,"user_ipv6":"::ffff:192.0.2.1","agreement_time":1700000000000,"manual":true}`},
		"consent in the query":  {request: patch + "?" + clausesText + "&user_ipv6=2001%3Adb8%3A%3A1&agreement_time=2024-01-01T12%3A34%3A56Z"},

		"no credentials":     {request: getConsent, bare: true, want: "there are 0 credentials, not 1"},
		"two keys":           {request: getConsent + "?apiSecretToken=key", want: "there are 2 credentials, not 1"},
		"a key at the login": {request: login + "?apiSecretToken=key&" + loginText, want: "there are 1 credentials, not 0"},
		"reserved raw":       {request: "GET /v1/org/acme/project/web/compliance/user/jo@example.com/consent", want: "jo@example.com of the path is not percent-encoded exactly"},
		"lower-case hex":     {request: "GET /v1/org/a%2fb/project/web/compliance/user/x/consent", want: exactly},
		"needless encoding":  {request: "GET /v1/org/a/project/%41/compliance/user/x/consent", want: exactly},
		"dots":               {request: "GET /v1/org/a/project/b/compliance/user/../consent", want: exactly},
		"encoded dots":       {request: "GET /v1/org/%2E%2E/project/b/compliance/user/x/consent", want: exactly},
		"not ASCII":          {request: "GET /v1/org/a/project/b/compliance/user/\u00fc/consent", want: exactly},

		"an undeclared one":     {request: getConsent + "?a=1", want: "getConsent: GET /v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}/consent: the operation " + undeclared + " a"},
		"kind of no export":     {request: getConsent + "?kind=person", want: undeclared},
		"body of a GET":         {request: getConsent, body: "{}", want: "request body not allowed"},
		"no profile":            {request: profile, media: mediaJSON, want: "value is required but missing"},
		"profile form":          {request: profile, media: mediaForm, body: "a=1", want: media},
		"cut JSON":              {request: profile, media: mediaJSON, body: `{"a":"b"`, want: "failed to decode request body"},
		"login with more":       {request: login, media: mediaJSON, body: `{"email":"jo@example.com","password":"p","a":1}`, want: `property "a" is unsupported`},
		"JSON without a clause": {request: patch, media: mediaJSON, body: strings.Replace("{"+clauses+"}", `,"clause_5_consent":false`, "", 1), want: `property "clause_5_consent" is missing`},
		"form with yes":         {request: patch, media: mediaForm, body: fourText + "&clause_5_consent=yes", want: "clause_5_consent"},

		"empty consent": {request: getConsent, answer: "204"},
		"consent null":  {request: getConsent, answer: "299 application/json null"},

		"login without a token": {request: login + "?" + loginText, answer: `200 application/json {"jwt":"t"}`, want: `property "token" is missing`},
		"user without a body":   {request: "GET /v1/user/self", answer: "200 application/json", want: "failed to decode response body"},
		"page":                  {request: getConsent, answer: "502 text/html <html>", want: media},

		"a slash at the end":       {request: "GET /v1/user/self/", want: operation},
		"another method":           {request: "PUT " + person + "/consent", want: operation},
		"nobody":                   {request: "GET /v1/org/acme/project/web/compliance/user//consent", want: operation},
		"an export of the account": {request: "GET /v1/account/4711/export?utcDate=2024-02-29", want: operation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method, target, _ := strings.Cut(e.request, " ")
			r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(e.body))
			if e.media != "" {
				r.Header.Set("Content-Type", e.media)
			}
			if !e.bare && !strings.HasPrefix(e.request, login) {
				r.Header.Set("Authorization", "bearer t")
			}
			code, content, _ := strings.Cut(cmp.Or(e.answer, `200 application/json {"token":"t"}`), " ")
			status, _ := strconv.Atoi(code)
			media, body, _ := strings.Cut(content, " ")
			header := http.Header{}
			if media != "" {
				header.Set("Content-Type", media)
			}

			got := Violations(&http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, "kind")
			if (len(got) == 1) != (e.want != "") || !strings.Contains(strings.Join(got, ""), e.want) {
				t.Errorf("violations:\n%s\nwant:\n%s", strings.Join(got, "\n"), e.want)
			}
		})
	}
}

func TestDocument_hasEveryOperationOfTheInterface(t *testing.T) {
	t.Parallel()
	want := []string{login, "GET /v1/user/self", "GET /v1/org/{orgId}/project/{projectId}/export"}
	for _, prefix := range []string{"/v1/org/{orgId}/project/{projectId}/compliance", "/v1/account/{accountId}/compliance"} {
		user := prefix + "/user/{identityId}"
		want = append(want, "GET "+prefix+"/pending-requests", "PATCH "+user+"/consent", "GET "+user+"/consent",
			"GET "+user+"/all-data", "DELETE "+user+"/all-data", "GET "+user+"/profile", "PATCH "+user+"/profile")
	}

	var got []string
	doc, err := openapi3.NewLoader().LoadFromData(document)
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			got = append(got, method+" "+path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("the operations are %v, not %v: %v", got, want, err)
	}
}
