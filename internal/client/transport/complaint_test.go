// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

func TestComplaint_foundInUsualPlaces(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]complaint{
		`{"code":"E1","message":"m"}`:                       {code: "E1", message: "m"},
		`{"error":"m"}`:                                     {message: "m"},
		`{"error":"invalid_grant","error_description":"m"}`: {message: "m"},
		`{"error":{"code":7,"message":"m","fields":[{"field":"f","message":"fm"}]}}`: {code: "7", message: "m", fields: []FieldError{{"f", "fm"}}},
		`{"message":"m","errors":{"f":["fm","x"],"g":"gm"}}`:                         {message: "m", fields: []FieldError{{"f", "fm"}, {"g", "gm"}}},
		`{"errors":[{"path":"f","msg":"fm"}]}`:                                       {message: "fm", fields: []FieldError{{"f", "fm"}}},
		`{"errors":["m"]}`:                                                           {message: "m", fields: []FieldError{{"", "m"}}},
		`{"title":"m","type":"about:blank"}`:                                         {code: "about:blank", message: "m"},
		`{}`:                                                                         {},
	} {
		got := readComplaint(jsonvalue.Members(jsontext.Value(body)))
		if got.code != want.code || got.message != want.message || len(got.fields) != len(want.fields) {
			t.Errorf("%s: %+v, want %+v", body, got, want)
			continue
		}

		for i := range want.fields {
			if got.fields[i] != want.fields[i] {
				t.Errorf("%s: field %+v, want %+v", body, got.fields[i], want.fields[i])
			}
		}
	}
}
