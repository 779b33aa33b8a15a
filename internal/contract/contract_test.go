// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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

// exchanged is a request and its response, and words of the violation that is expected, if
// any. The zero answer is one that every operation allows.
type exchanged struct {
	request       string // method and target
	media, body   string
	answer        answer
	kindParameter string
	bare          bool // without a credential, which only the login has
	want          string
}

type answer struct {
	status      int
	media, body string
}

func TestViolations_areThoseOfTheDocument(t *testing.T) {
	t.Parallel()

	const (
		undeclared = "does not declare the parameter"
		format     = "string doesn't match the format"
		noBody     = "request body not allowed"
		media      = "header Content-Type has unexpected value"
		notJSON    = "failed to decode response body"
		user       = "GET /v1/user/self"
		day        = export + "?utcDate=2024-02-29"
		operation  = "no operation: section 4 has no operation with this path and method"
	)

	fourText := strings.TrimSuffix(clausesText, "&clause_5_consent=false")
	cases := map[string]exchanged{
		"login with JSON":       {request: login, media: mediaJSON, body: `{"email":"jo@example.com","password":"secret"}`},
		"login with the query":  {request: login + "?" + loginText},
		"export with a kind":    {request: export + "?utcDate=2024-02-29&kind=person", kindParameter: "kind"},
		"identity with a slash": {request: "GET /v1/org/a%2Fb/project/%C3%BC/compliance/user/..%2Fx/consent"},
		"consent with JSON":     {request: patch, media: mediaJSON, body: `{` + clauses + `,"user_ipv6":"::ffff:192.0.2.1","agreement_time":1700000000000,"manual":true}`},
		"consent in the query":  {request: patch + "?" + clausesText + "&user_ipv6=2001%3Adb8%3A%3A1&agreement_time=2024-01-01T12%3A34%3A56Z"},

		"no credentials":     {request: getConsent, bare: true, want: "there are 0 credentials, not 1"},
		"two keys":           {request: getConsent + "?apiSecretToken=key", want: "there are 2 credentials, not 1"},
		"a key at the login": {request: login + "?apiSecretToken=key&" + loginText, want: "there are 1 credentials, not 0"},
		"reserved raw":       {request: "GET /v1/org/acme/project/web/compliance/user/jo@example.com/consent", want: "jo@example.com of the path is not percent-encoded exactly"},
		"lower-case hex":     {request: "GET /v1/org/a%2fb/project/web/compliance/user/x/consent", want: "percent-encoded exactly"},
		"needless encoding":  {request: "GET /v1/org/a/project/%41/compliance/user/x/consent", want: "percent-encoded exactly"},
		"dots":               {request: "GET /v1/org/a/project/b/compliance/user/../consent", want: "percent-encoded exactly"},
		"encoded dots":       {request: "GET /v1/org/%2E%2E/project/b/compliance/user/x/consent", want: "percent-encoded exactly"},
		"not ASCII":          {request: "GET /v1/org/a/project/b/compliance/user/\u00fc/consent", want: "percent-encoded exactly"},

		"an undeclared one":     {request: getConsent + "?a=1", want: "getConsent: GET /v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}/consent: the operation " + undeclared + " a"},
		"kind of no export":     {request: getConsent + "?kind=person", kindParameter: "kind", want: undeclared},
		"body of a GET":         {request: getConsent, body: "{}", want: noBody},
		"no profile":            {request: profile, media: mediaJSON, want: "value is required but missing"},
		"profile form":          {request: profile, media: mediaForm, body: "a=1", want: media},
		"cut JSON":              {request: profile, media: mediaJSON, body: `{"a":"b"`, want: "failed to decode request body"},
		"login with more":       {request: login, media: mediaJSON, body: `{"email":"jo@example.com","password":"p","a":1}`, want: `property "a" is unsupported`},
		"JSON without a clause": {request: patch, media: mediaJSON, body: strings.Replace("{"+clauses+"}", `,"clause_5_consent":false`, "", 1), want: `property "clause_5_consent" is missing`},
		"form with yes":         {request: patch, media: mediaForm, body: fourText + "&clause_5_consent=yes", want: "clause_5_consent"},

		"empty consent": {request: getConsent, answer: answer{204, "", ""}},
		"consent null":  {request: getConsent, answer: answer{299, mediaJSON, "null"}},

		"login without a token": {request: login + "?" + loginText, answer: answer{200, mediaJSON, `{"jwt":"t"}`}, want: `property "token" is missing`},
		"user without a body":   {request: user, answer: answer{200, mediaJSON, ""}, want: notJSON},
		"page":                  {request: getConsent, answer: answer{502, "text/html", "<html>"}, want: media},
	}

	for _, request := range []string{
		"GET /v1/user/self/", "PUT " + person + "/consent", "GET /v1/org/acme/project/web/compliance/user//consent", "GET /v1/account/4711/export?utcDate=2024-02-29",
	} {
		cases[request] = exchanged{request: request, want: operation}
	}
	for name, e := range cases {
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
			a := cmp.Or(e.answer, answer{http.StatusOK, mediaJSON, `{"token":"t"}`})
			header := http.Header{}
			if a.media != "" {
				header.Set("Content-Type", a.media)
			}

			got := Violations(&http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, e.kindParameter)
			if (len(got) == 1) != (e.want != "") || !strings.Contains(strings.Join(got, ""), e.want) {
				t.Errorf("violations:\n%s\nwant:\n%s", strings.Join(got, "\n"), e.want)
			}
		})
	}
}

func TestDocument_hasEveryOperationOfTheInterface(t *testing.T) {
	t.Parallel()

	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			got = append(got, method+" "+path)
			if !strings.HasPrefix(operation.Description, "Section 4, ") {
				t.Errorf("the description of %s does not point to its section", operation.OperationID)
			}
		}
	}

	want := []string{"POST /v1/auth/login/jwt", "GET /v1/user/self", "GET /v1/org/{orgId}/project/{projectId}/export"}
	for _, scope := range []string{"/v1/org/{orgId}/project/{projectId}/compliance", "/v1/account/{accountId}/compliance"} {
		for _, operation := range []string{
			"PATCH %s/user/{identityId}/consent", "GET %s/user/{identityId}/consent", "GET %s/user/{identityId}/all-data", "DELETE %s/user/{identityId}/all-data",
			"GET %s/user/{identityId}/profile", "PATCH %s/user/{identityId}/profile", "GET %s/pending-requests",
		} {
			want = append(want, fmt.Sprintf(operation, scope))
		}
	}

	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("operations:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
