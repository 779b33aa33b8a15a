// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// spelled returns the spellings in which a service or a gateway may quote a value.
func spelled(v string) []string {
	forms := []string{
		v, strings.ToUpper(v), strings.ToLower(v), strings.ToLower(url.QueryEscape(v)), url.QueryEscape(url.QueryEscape(v)),
		html.EscapeString(v), strings.ReplaceAll(v, "/", `\/`), hex.EncodeToString([]byte(v)),
	}
	for _, around := range []string{"", "x", "xy"} {
		forms = append(forms, base64.StdEncoding.EncodeToString([]byte(around+v)), base64.RawURLEncoding.EncodeToString([]byte(v+around)))
	}

	return forms
}

// QuotedBack returns the body of an error that repeats values in every spelling, and others as they are.
func QuotedBack(tb testing.TB, values []string, others ...string) []byte {
	tb.Helper()
	var fields []map[string]string
	for _, v := range values {
		for i, form := range spelled(v) {
			fields = append(fields, map[string]string{"field": fmt.Sprintf("f%d", i), "message": "no " + form + " is known"})
		}
	}
	body, err := json.Marshal(map[string]any{"error": map[string]any{"code": "E1", "message": "no " + strings.Join(append(others, values...), " ")}, "errors": fields})
	if err != nil {
		tb.Fatal(err)
	}

	return body
}

// WantNoCanary fails the test if an output holds a value in any spelling in which it could
// appear there.
func WantNoCanary(tb testing.TB, where, written string, values ...string) {
	tb.Helper()
	for _, v := range values {
		quoted := strings.Trim(strconv.Quote(v), `"`)
		segment := strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
		inJSON, _ := json.Marshal(v) // with & as \u0026, in states and plans too
		forms := append(spelled(v), quoted, strings.Trim(strconv.Quote(quoted), `"`), string(inJSON[1:len(inJSON)-1]),
			url.QueryEscape(v), url.PathEscape(v), segment, strings.ToLower(segment))
		for shift := range 3 { // base64 of text around the value shows it in one of three ways
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				encoded := encoding.EncodeToString([]byte(strings.Repeat("x", shift) + v))
				forms = append(forms, encoded[4:len(encoded)-4])
			}
		}

		for _, form := range forms {
			if i := strings.Index(written, form); i >= 0 {
				soak.Add(soak.Secrets, 1)
				tb.Errorf("%s holds a canary, behind %q", where, written[max(0, i-80):i])
			}
		}
	}
}
