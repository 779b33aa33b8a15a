// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	clauses     = `"clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":false`
	clausesText = "clause_1_consent=true&clause_2_consent=false&clause_3_consent=true&clause_4_consent=true&clause_5_consent=false"

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

func TestRequest_operation(t *testing.T) {
	t.Parallel()

	const none = "no operation: section 4 has no operation with this path and method"
	cases := map[string]exchanged{}
	for name, request := range map[string]string{
		"unknown path":    "GET /v1/org/acme/people/jo%40example.com",
		"without version": "GET /user/self",
		"trailing slash":  "GET /v1/user/self/",
		"empty identity":  "GET /v1/org/acme/project/web/compliance/user//consent",
		"account export":  "GET /v1/account/4711/export?utcDate=2024-02-29",
		"unknown method":  "PUT " + person + "/consent",
	} {
		method, target, _ := strings.Cut(request, " ")
		cases[name] = exchanged{method: method, target: target, want: []string{none}}
	}

	runExchanges(t, cases)
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

// answered returns an exchange with a good request for an operation.
func answered(operation string, handler http.HandlerFunc, want ...string) exchanged {
	for i := range want {
		want[i] = operation + want[i]
	}

	e := exchanged{method: "GET", header: bearerHeader(), handler: handler, want: want}
	switch operation {
	case login:
		e.method, e.target = "POST", "/v1/auth/login/jwt?email=jo%40example.com&password=hunter2"
		e.header = nil
	case currentUser:
		e.target = "/v1/user/self"
	case getConsent:
		e.target = person + "/consent"
	case exportRecords:
		e.target = export + "?utcDate=2024-02-29"
	}

	return e
}

func TestResponse_goodOnesAreNotReported(t *testing.T) {
	t.Parallel()

	runExchanges(t, map[string]exchanged{
		"token and more":        answered(login, answer(200, mediaJSON, `{"token":"`+token+`","x":1}`)),
		"login refused":         answered(login, answer(401, mediaJSON, `{"error":{"code":"x","message":"y"}}`)),
		"user":                  answered(currentUser, answer(200, "application/json; charset=utf-8", `{"id":1}`)),
		"user refused":          answered(currentUser, answer(401, "", "")),
		"consent":               answered(getConsent, answer(200, mediaJSON, "{}")),
		"consent null":          answered(getConsent, answer(299, mediaJSON, "null")),
		"empty consent":         answered(getConsent, answer(204, "", "")),
		"no handler output":     answered(getConsent, func(http.ResponseWriter, *http.Request) {}),
		"redirect":              answered(getConsent, answer(302, "", "")),
		"export JSON":           answered(exportRecords, answer(200, mediaJSON, "[]")),
		"export lines":          answered(exportRecords, answer(200, "application/x-ndjson", "{}\n{}\n")),
		"empty export":          answered(exportRecords, answer(204, "", "")),
		"export without a type": answered(exportRecords, answer(200, "", "{}")),
		"large JSON":            answered(exportRecords, answer(200, mediaJSON, strings.Repeat("x", LimitBody+1))),
		"compressed":            answered(getConsent, compressed),
		"outside the contract":  {method: "GET", target: "/", handler: answer(404, "text/plain", "no"), want: []string{"no operation: section 4 has no operation with this path and method"}},
	})
}

func compressed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	answer(200, mediaJSON, "\x1f\x8b")(w, r)
}

func TestResponse_badOnesAreReported(t *testing.T) {
	t.Parallel()

	const (
		empty   = "response: has no body, and one is shown (sections 2 and 4)"
		media   = "response: its Content-Type is missing or not one that the operation declares (section 4)"
		notJSON = "response: is not one valid JSON value without repeated names (section 4)"
	)

	runExchanges(t, map[string]exchanged{
		"login without a body":    answered(login, answer(204, "", ""), empty),
		"login without a token":   answered(login, answer(200, mediaJSON, `{"jwt":"`+token+`"}`), "response: token: is required and missing (section 4)"),
		"login with a null token": answered(login, answer(201, mediaJSON, `{"token":null}`), "response: token: does not satisfy the schema's nullable (section 4)"),
		"login with no token":     answered(login, answer(200, mediaJSON, `{"token":""}`), "response: token: does not satisfy the schema's minLength (section 4)"),
		"login with text":         answered(login, answer(200, mediaJSON, `"`+token+`"`), "response: does not satisfy the schema's type (section 4)"),
		"user without a body":     answered(currentUser, answer(200, mediaJSON, ""), empty),
		"page":                    answered(getConsent, answer(502, "text/html", "<html>"), media),
		"no content type":         answered(getConsent, answer(200, "", "{}"), media),
		"bad content type":        answered(getConsent, answer(200, "application/json; hunter2", "{}"), media),
		"large page":              answered(getConsent, answer(200, "text/html", strings.Repeat("x", LimitBody+1)), media),
		"cut JSON":                answered(getConsent, answer(200, mediaJSON, `{"a":"hunter2"`), notJSON),
		"two values":              answered(getConsent, answer(200, mediaJSON, "{}\n{}"), notJSON),
		"repeated name":           answered(getConsent, answer(200, mediaJSON, `{"hunter2":1,"hunter2":2}`), notJSON),
		"export of cut JSON":      answered(exportRecords, answer(200, mediaJSON, "["), notJSON),
	})
}

func TestResponse_undeclaredStatusIsReported(t *testing.T) {
	t.Parallel()
	e := answered(currentUser, answer(404, mediaJSON, "{}"), "response: its status is not declared (section 4)")
	e.options = []Option{func(doc *openapi3.T) error {
		operationByID(doc, "getCurrentUser").Responses.Delete("default")
		return nil
	}}
	runExchanges(t, map[string]exchanged{"404": e})
}
