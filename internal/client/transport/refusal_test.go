// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestComplaint_asServicesWordIt has bodies of answers that refuse, and what of them is shown.
func TestComplaint_asServicesWordIt(t *testing.T) {
	t.Parallel()

	about := func(field, message string) []FieldError { return []FieldError{{field, message}} }
	for body, want := range map[string]Error{
		`{"error":"invalid_grant","error_description":"m"}`:                          {Message: "m"},
		`{"error":{"code":7,"message":"m","fields":[{"field":"f","message":"fm"}]}}`: {Code: "7", Message: "m", Fields: about("f", "fm")},
		`{"message":"m","errors":{"f":["fm","x"],"g":"gm"}}`:                         {Message: "m", Fields: []FieldError{{"f", "fm"}, {"f", "x"}, {"g", "gm"}}},
		`{"errors":[{"path":"f","msg":"fm"}]}`:                                       {Message: "fm", Fields: about("f", "fm")},
		`{"errors":["m"]}`:                                                           {Message: "m", Fields: about("", "m")},
		`{"title":"m","type":"about:blank"}`:                                         {Code: "about:blank", Message: "m"},
		`{}`:                                                                         {},

		// RFC 9457, and the example of RFC 7807.
		`{"title":"t","detail":"m","errors":[{"detail":"fm","pointer":"#/a/f"}]}`: {Message: "m", Fields: about("f", "fm")},
		`{"title":"m","invalid-params":[{"name":"f","reason":"fm"}]}`:             {Message: "m", Fields: about("f", "fm")},
		// JSON:API
		`{"errors":[{"code":"7","title":"t","detail":"fm","source":{"pointer":"/data/attributes/f"}}]}`: {Message: "fm", Fields: about("f", "fm")},
		`{"errors":[{"title":"fm","source":{"parameter":"utcDate"}}]}`:                                  {Message: "fm", Fields: about("utcDate", "fm")},
		// FastAPI
		`{"detail":[{"type":"missing","loc":["body","f"],"msg":"fm"}]}`:   {Message: "fm", Fields: about("f", "fm")},
		`{"detail":[{"type":"missing","loc":["body","f",0],"msg":"fm"}]}`: {Message: "fm", Fields: about("f", "fm")},
		`{"detail":"m"}`: {Message: "m"},
		// Rails, Django REST framework
		`{"f":["fm"],"g":["gm"]}`:           {Message: "fm", Fields: []FieldError{{"f", "fm"}, {"g", "gm"}}},
		`{"f":["fm"],"count":1}`:            {},
		`{"errors":{"detail":"Not Found"}}`: {Message: "Not Found", Fields: about("detail", "Not Found")},
		// ASP.NET, Symfony, Spring
		`{"title":"m","errors":{"$.f":["fm"]},"traceId":"x"}`:                                  {Message: "m", Fields: about("$.f", "fm")},
		`{"title":"m","violations":[{"propertyPath":"f","title":"fm"}]}`:                       {Message: "m", Fields: about("f", "fm")},
		`{"error":"Bad Request","message":"m","errors":[{"field":"f","defaultMessage":"fm"}]}`: {Message: "m", Fields: about("f", "fm")},
		// AIP-193
		`{"error":{"code":400,"message":"m","details":[{"@type":"t","fieldViolations":[{"field":"f","description":"fm"}]}]}}`: {Code: "400", Message: "m", Fields: about("f", "fm")},
		// GraphQL
		`{"data":null,"errors":[{"message":"fm","path":["user","f"]}]}`: {Message: "fm", Fields: about("f", "fm")},
		// HAL, Azure, AWS
		`{"message":"m","_embedded":{"errors":[{"message":"fm"}]}}`: {Message: "m", Fields: about("", "fm")},
		`{"error":{"code":"Bad","target":"f","message":"m"}}`:       {Code: "Bad", Message: "m"},
		`{"__type":"ValidationException","message":"m"}`:            {Code: "ValidationException", Message: "m"},

		// What is private to the request is not shown.
		`{"errors":{"f":"not for jane@example.com"}}`: {Message: "not for [redacted]", Fields: about("f", "not for [redacted]")},
	} {
		conflict := Answer{Exchange: Exchange{Status: http.StatusConflict, Redact: &Redactor{Values: []string{"jane@example.com"}}}}
		got, err := (&call{}).refuse(conflict, strings.NewReader(body))
		if err != nil || got.Code != want.Code || got.Message != want.Message || !slices.Equal(got.Fields, want.Fields) {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}

	if e := Refusal(Answer{JSON: []byte(`[{"name":"Jane"}]`)}); strings.Contains(e.Error(), "Jane") { // which may be data
		t.Errorf("it says %v", e)
	}
}
