// SPDX-License-Identifier: MPL-2.0

package jsonvalue_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

func TestOutline_hasNamesAndNeverValues(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		about, document string
		want            []string
	}{
		{"an object", `{"id":"secret","at":"2026-01-02T03:04:05Z","n":1}`, []string{"$ {", "$.id \"", "$.at \"", "$.n 0"}},
		{"elements share their places", `[{"id":1},{"id":2,"ok":false},{"ok":true}]`, []string{"$ [", "$[] {", "$[].id 0", "$[].ok t"}},
		{"names that may be people", `{"jane@example.com":1,"user-1001":2,"Jane Doe":3,"Zoë":4,"42":5,"` + strings.Repeat("x", 41) + `":6}`, []string{"$ {", "$.{} 0"}},
		{"a map of people", `{"jane":{"plan":"a"},"john":{"plan":"b"}}`, []string{"$ {", "$.{} {", "$.{}.plan \""}},
		{"names of fields", `{"clause_1_consent":true,"user_ipv6":null,"@id":"a","$ref":"b"}`, []string{"$ {", "$.clause_1_consent t", "$.user_ipv6 n", "$.@id \"", "$.$ref \""}},
		{"a hidden name", `{"hush":1}`, []string{"$ {", "$.{} 0"}},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()

			var got []string
			for _, p := range jsonvalue.Outline(jsontext.Value(tc.document), func(name string) bool { return name == "hush" }) {
				got = append(got, p.Path+" "+string(rune(p.Kind)))
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOutline_isBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50)
	var wide strings.Builder
	wide.WriteString(`{"x":0`)
	for i := range 1000 {
		wide.WriteString(`,"` + strings.Repeat("a", i%26+1) + string(rune('a'+i/26)) + `":0`)
	}
	wide.WriteString("}")

	for _, document := range []string{deep, wide.String()} {
		if n := len(jsonvalue.Outline(jsontext.Value(document), nil)); n > 300 {
			t.Errorf("the outline has %d places", n)
		}
	}
}
