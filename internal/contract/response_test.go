// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

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
		"body with 204":         answered(getConsent, answer(204, "", "dropped by net/http")),
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
	e := answered(currentUser, answer(404, mediaJSON, "{}"), "response: does not match the OpenAPI document (section 4)")
	e.options = []Option{func(doc *openapi3.T) error {
		operationByID(doc, "getCurrentUser").Responses.Delete("default")
		return nil
	}}
	runExchanges(t, map[string]exchanged{"404": e})
}

func TestResponse_validatedByTheHeadersThatWereSent(t *testing.T) {
	t.Parallel()
	late := func(w http.ResponseWriter, r *http.Request) {
		answer(200, "text/html", "")(w, r)
		w.Header().Set("Content-Type", mediaJSON)
		w.Write([]byte("{}"))
	}
	runExchanges(t, map[string]exchanged{
		"content type too late": answered(getConsent, late, "response: its Content-Type is missing or not one that the operation declares (section 4)"),
	})
}
