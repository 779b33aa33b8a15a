// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

const (
	clauses     = `"clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":false`
	clausesText = "clause_1_consent=true&clause_2_consent=false&clause_3_consent=true&clause_4_consent=true&clause_5_consent=false"

	inexact = ": is not percent-encoded exactly: the unreserved characters of RFC 3986 as they are, " +
		"every other byte in upper-case hexadecimal (section 2, Identifiers)"
	dots = `: is "." or "..", which a path does not keep (section 2, Identifiers)`

	updateConsent = "updateConsent: PATCH " + personPath + "/consent: "
	getConsent    = "getConsent: GET " + personPath + "/consent: "
	updateProfile = "updateProfile: PATCH " + personPath + "/profile: "
	exportRecords = "exportRecords: GET " + exportPath + ": "
	login         = "login: POST /v1/auth/login/jwt: "
	currentUser   = "getCurrentUser: GET /v1/user/self: "
)

func TestRequest_goodOnesAreNotReported(t *testing.T) {
	t.Parallel()

	cases := map[string]exchanged{
		"login with JSON":              {method: "POST", target: "/v1/auth/login/jwt", header: withBody(mediaJSON, http.Header{}), body: `{"email":"jo@example.com","password":"hunter2"}`},
		"login with a form":            {method: "POST", target: "/v1/auth/login/jwt", header: withBody(mediaForm, http.Header{}), body: "email=jo%40example.com&password=hunter2"},
		"login with the query":         {method: "POST", target: "/v1/auth/login/jwt?email=jo%40example.com&password=hunter2"},
		"current user with a token":    {method: "GET", target: "/v1/user/self", header: bearerHeader()},
		"current user with a key":      {method: "GET", target: "/v1/user/self?apiSecretToken=s3cret"},
		"export":                       {method: "GET", target: export + "?utcDate=2024-02-29", header: bearerHeader()},
		"export with a kind":           {method: "GET", target: export + "?utcDate=2024-02-29&kind=person", header: bearerHeader(), options: []Option{ExportKindParameter("kind")}},
		"identity with a slash":        {method: "GET", target: "/v1/org/a%2Fb/project/%C3%BC/compliance/user/..%2Fx/consent", header: bearerHeader()},
		"identity of unreserved":       {method: "GET", target: "/v1/account/a-._~Z9/compliance/user/.../consent", header: bearerHeader()},
		"content type with parameters": {method: "PATCH", target: person + "/profile", header: withBody("Application/JSON; charset=utf-8", bearerHeader()), body: `{"a":{"b":null}}`},
	}

	for family, user := range map[string]string{"": person, "account family,": oldPerson} {
		maps.Copy(cases, map[string]exchanged{
			family + " consent with JSON":    {method: "PATCH", target: user + "/consent", header: withBody(mediaJSON, bearerHeader()), body: `{` + clauses + `,"user_ipv6":"::ffff:192.0.2.1","agreement_time":1700000000000,"manual":true}`},
			family + " consent with a form":  {method: "PATCH", target: user + "/consent", header: withBody(mediaForm, bearerHeader()), body: clausesText + "&agreement_time=1700000000000&manual=false"},
			family + " consent in the query": {method: "PATCH", target: user + "/consent?" + clausesText + "&user_ipv6=2001%3Adb8%3A%3A1&agreement_time=2024-01-01T12%3A34%3A56Z&apiSecretToken=s3cret"},
			family + " get consent":          {method: "GET", target: user + "/consent", header: bearerHeader()},
			family + " get all data":         {method: "GET", target: user + "/all-data", header: bearerHeader()},
			family + " delete all data":      {method: "DELETE", target: user + "/all-data?apiSecretToken=s3cret"},
			family + " get profile":          {method: "GET", target: user + "/profile", header: bearerHeader()},
			family + " update profile":       {method: "PATCH", target: user + "/profile", header: withBody(mediaJSON, bearerHeader()), body: `{}`},
			family + " pending requests":     {method: "GET", target: strings.TrimSuffix(user, "/user/jo%40example.com") + "/pending-requests", header: bearerHeader()},
		})
	}

	runExchanges(t, cases)
}

func TestRequest_path(t *testing.T) {
	t.Parallel()

	const none = "no operation: section 4 has no operation with this path and method"
	get := func(target string, want ...string) exchanged {
		return exchanged{method: "GET", target: target, header: bearerHeader(), want: want}
	}

	runExchanges(t, map[string]exchanged{
		"unknown path":         get("/v1/org/acme/people/jo%40example.com", none),
		"without version":      get("/user/self", none),
		"trailing slash":       get("/v1/user/self/", none),
		"empty identity":       get("/v1/org/acme/project/web/compliance/user//consent", none),
		"account export":       get("/v1/account/4711/export?utcDate=2024-02-29", none),
		"unknown method":       {method: "PUT", target: person + "/consent", want: []string{none}},
		"head":                 {method: "HEAD", target: person + "/consent", want: []string{none}},
		"reserved raw":         get("/v1/org/acme/project/web/compliance/user/jo@example.com/consent", getConsent+"path {identityId}"+inexact),
		"lower-case hex":       get("/v1/org/a%2fb/project/web/compliance/user/x/consent", getConsent+"path {orgId}"+inexact),
		"needless encoding":    get("/v1/org/a/project/%41/compliance/user/x/consent", getConsent+"path {projectId}"+inexact),
		"quote raw":            get(`/v1/org/a/project/b/compliance/user/"/consent`, getConsent+"path"+inexact),
		"not ASCII":            get("/v1/org/a/project/b/compliance/user/\u00fc/consent", getConsent+"path"+inexact),
		"dot":                  get("/v1/org/a/project/b/compliance/user/./consent", getConsent+"path {identityId}"+dots),
		"dots":                 get("/v1/org/a/project/b/compliance/user/../consent", getConsent+"path {identityId}"+dots),
		"encoded dots":         get("/v1/org/%2E%2e/project/b/compliance/user/x/consent", getConsent+"path {orgId}"+dots),
		"dots in no operation": get("/v1/org/../self", "no operation: path segment 3"+dots, none),
	})
}

func TestRequest_credentials(t *testing.T) {
	t.Parallel()

	const (
		form = `header Authorization: is not exactly "bearer <JWT>" with the scheme in lower case (section 5)`
		many = "credentials: there is more than one, and one of two methods is accepted (section 5)"
	)

	self := func(target string, headers []string, want ...string) exchanged {
		for i := range want {
			want[i] = currentUser + want[i]
		}
		return exchanged{method: "GET", target: target, header: http.Header{"Authorization": headers}, want: want}
	}

	loginWith := func(target string, h http.Header) exchanged {
		return exchanged{
			method: "POST", target: target, header: withBody(mediaJSON, h), body: `{"email":"jo@example.com","password":"hunter2"}`,
			want: []string{login + "credentials: the operation takes none (section 5, rule 1)"},
		}
	}

	runExchanges(t, map[string]exchanged{
		"none":                self("/v1/user/self", nil, "credentials: there are none (section 5)"),
		"both":                self("/v1/user/self?apiSecretToken=s3cret", []string{"bearer " + token}, many),
		"two tokens":          self("/v1/user/self", []string{"bearer " + token, "bearer " + token}, many),
		"two keys":            self("/v1/user/self?apiSecretToken=s3cret&apiSecretToken=s3cret", nil, many),
		"upper case":          self("/v1/user/self", []string{"Bearer " + token}, form),
		"two spaces":          self("/v1/user/self", []string{"bearer  " + token}, form),
		"no token":            self("/v1/user/self", []string{"bearer "}, form),
		"other scheme":        self("/v1/user/self", []string{"Basic am86aHVudGVyMg=="}, form),
		"empty key":           self("/v1/user/self?apiSecretToken=", nil, "query parameter apiSecretToken: is empty (section 5)"),
		"token on login":      loginWith("/v1/auth/login/jwt", bearerHeader()),
		"key on login":        loginWith("/v1/auth/login/jwt?apiSecretToken=s3cret", http.Header{}),
		"none for compliance": {method: "GET", target: person + "/consent", want: []string{getConsent + "credentials: there are none (section 5)"}},
	})
}

func TestRequest_query(t *testing.T) {
	t.Parallel()

	get := func(target string, want ...string) exchanged {
		return exchanged{method: "GET", target: target, header: bearerHeader(), want: want}
	}

	const date = exportRecords + "query parameter utcDate: does not satisfy the schema's format (section 4)"
	runExchanges(t, map[string]exchanged{
		"undeclared":          get(person+"/consent?hunter2=1&s3cret=2", getConsent+"query: parameters that the operation does not declare: 2 (section 4)"),
		"pages":               get(pending+"?limit=1", "listPendingRequests: GET /v1/org/{orgId}/project/{projectId}/compliance/pending-requests: query: parameters that the operation does not declare: 1 (section 4)"),
		"kind without option": get(export+"?utcDate=2024-02-29&kind=person", exportRecords+"query: parameters that the operation does not declare: 1 (section 4)"),
		"empty kind":          {method: "GET", target: export + "?utcDate=2024-02-29&kind=", header: bearerHeader(), options: []Option{ExportKindParameter("kind")}, want: []string{exportRecords + "query parameter kind: does not satisfy the schema's minLength (section 4)"}},
		"not well-formed":     get(person+"/consent?%zz", getConsent+"query: is not well-formed (section 4)"),
		"semicolon":           get(export+"?utcDate=2024-02-29;x", exportRecords+"query: is not well-formed (section 4)", exportRecords+"query parameter utcDate: is required and missing (section 4)"),
		"no date":             get(export, exportRecords+"query parameter utcDate: is required and missing (section 4)"),
		"empty date":          get(export+"?utcDate=", date),
		"time":                get(export+"?utcDate=2024-02-29T12:34:56Z", date),
		"short date":          get(export+"?utcDate=2024-2-29", date),
		"no such day":         get(export+"?utcDate=2023-02-29", date),
		"two dates":           get(export+"?utcDate=2024-02-29&utcDate=2024-03-01", exportRecords+"query parameter utcDate: is there more than once (section 4)"),
	})
}

func TestRequest_body(t *testing.T) {
	t.Parallel()

	const (
		media   = "body: its Content-Type is not one that the operation declares (section 4)"
		notJSON = "body: is not one valid JSON value without repeated names (section 4)"
	)

	profile := func(contentType, body, want string) exchanged {
		return exchanged{method: "PATCH", target: person + "/profile", header: withBody(contentType, bearerHeader()), body: body, want: []string{updateProfile + want}}
	}

	runExchanges(t, map[string]exchanged{
		"get":                   {method: "GET", target: person + "/consent", header: bearerHeader(), body: "{}", want: []string{getConsent + "body: the operation takes none (section 4)"}},
		"delete":                {method: "DELETE", target: person + "/all-data", header: bearerHeader(), body: "{}", want: []string{"deleteAllData: DELETE " + personPath + "/all-data: body: the operation takes none (section 4)"}},
		"no profile":            profile(mediaJSON, "", "body: is required and missing (section 4)"),
		"profile list":          profile(mediaJSON, `["hunter2"]`, "body: does not satisfy the schema's type (section 4)"),
		"profile form":          profile(mediaForm, "a=hunter2", media),
		"no content type":       profile("", "{}", media),
		"bad content type":      profile("application/json; hunter2", "{}", media),
		"cut JSON":              profile(mediaJSON, `{"a":"hunter2"`, notJSON),
		"two values":            profile(mediaJSON, `{}{}`, notJSON),
		"repeated name":         profile(mediaJSON, `{"hunter2":1,"hunter2":2}`, notJSON),
		"not UTF-8":             profile(mediaJSON, "{\"a\":\"\xff\"}", notJSON),
		"login with more":       {method: "POST", target: "/v1/auth/login/jwt", header: withBody(mediaJSON, http.Header{}), body: `{"email":"jo@example.com","password":"hunter2","hunter2":1}`, want: []string{login + "body: has a name that the schema does not declare (section 4)"}},
		"login with empty text": {method: "POST", target: "/v1/auth/login/jwt?email=&password=", want: []string{login + "query parameter email: does not satisfy the schema's minLength (section 2)", login + "query parameter password: does not satisfy the schema's minLength (section 2)"}},
		"login without one":     {method: "POST", target: "/v1/auth/login/jwt", header: withBody(mediaJSON, http.Header{}), body: `{"email":"jo@example.com"}`, want: []string{login + "body: password: is required and missing (section 4)"}},
	})
}

func TestRequest_parametersInBodyOrQuery(t *testing.T) {
	t.Parallel()

	consent := func(query, contentType, body string, want ...string) exchanged {
		h := bearerHeader()
		if contentType != "" {
			h.Set("Content-Type", contentType)
		}

		for i := range want {
			want[i] = updateConsent + want[i]
		}

		return exchanged{method: "PATCH", target: person + "/consent?" + query, header: h, body: body, want: want}
	}

	const (
		both = "parameters: some are in the body and some in the query (section 4, gaps; section 5, rule 4)"
		none = "parameters: there are none, in the body or in the query (section 2)"
	)

	fourText := strings.TrimSuffix(clausesText, "&clause_5_consent=false")
	runExchanges(t, map[string]exchanged{
		"none":                    consent("", "", "", none),
		"none for login":          {method: "POST", target: "/v1/auth/login/jwt", want: []string{login + none}},
		"both":                    consent("manual=true", mediaJSON, "{"+clauses+"}", both),
		"both for login":          {method: "POST", target: "/v1/auth/login/jwt?password=hunter2", header: withBody(mediaForm, http.Header{}), body: "email=jo%40example.com", want: []string{login + both}},
		"other content type":      consent("", "text/plain", clausesText, "body: its Content-Type is not one that the operation declares (section 4)"),
		"JSON without a clause":   consent("", mediaJSON, strings.Replace("{"+clauses+"}", `,"clause_5_consent":false`, "", 1), "body: clause_5_consent: is required and missing (section 4)"),
		"JSON with a text clause": consent("", mediaJSON, strings.Replace("{"+clauses+"}", "true", `"true"`, 1), "body: clause_1_consent: does not satisfy the schema's type (section 4)"),
		"JSON with a new field":   consent("", mediaJSON, "{"+clauses+`,"hunter2":1}`, "body: has a name that the schema does not declare (section 4)"),
		"JSON with IPv4":          consent("", mediaJSON, "{"+clauses+`,"user_ipv6":"192.0.2.1"}`, "body: user_ipv6: does not satisfy the schema's format (section 4)"),
		"JSON with a time object": consent("", mediaJSON, "{"+clauses+`,"agreement_time":{}}`, "body: agreement_time: does not satisfy the schema's anyOf (section 4)"),
		"form without a clause":   consent("", mediaForm, fourText, "form field clause_5_consent: is required and missing (section 2)"),
		"form with 1":             consent("", mediaForm, fourText+"&clause_5_consent=1", "form field clause_5_consent: does not satisfy the schema's type (section 2)"),
		"form with True":          consent("", mediaForm, clausesText+"&manual=True", "form field manual: does not satisfy the schema's type (section 2)"),
		"form with a new field":   consent("", mediaForm, clausesText+"&hunter2=1", "form field has a name that the schema does not declare (section 2)"),
		"form with two of one":    consent("", mediaForm, clausesText+"&clause_1_consent=true", "form field clause_1_consent: is there more than once (section 4)"),
		"JSON with an empty time": consent("", mediaJSON, "{"+clauses+`,"agreement_time":""}`, "body: agreement_time: does not satisfy the schema's anyOf (section 4)"),
		"form not well-formed":    consent("", mediaForm, "%zz", "body: is not a well-formed form (section 4)"),
		"query without a clause":  consent(fourText, "", "", "query parameter clause_5_consent: is required and missing (section 2)"),
		"query with t":            consent(fourText+"&clause_5_consent=t", "", "", "query parameter clause_5_consent: does not satisfy the schema's type (section 2)"),
		"query with a zone":       consent(clausesText+"&user_ipv6=2001:db8::1%25eth0", "", "", "query parameter user_ipv6: does not satisfy the schema's format (section 2)"),
		"query with two of one":   consent(clausesText+"&manual=true&manual=false", "", "", "query parameter manual: is there more than once (section 4)"),
	})
}
