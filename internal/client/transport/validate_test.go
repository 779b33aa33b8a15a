// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"fmt"
	"strings"
	"testing"
)

func TestCredentials_exactlyOneWhole(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		c       Credentials
		setting string // that the error is about; empty if there is none
	}{
		{Credentials{Email: "a@example.com", Password: "p"}, ""},
		{Credentials{}, "email"},
		{Credentials{Email: "a@example.com"}, "password"},
		{Credentials{Password: "canary"}, "email"},
		{Credentials{Email: "a@example.com", Password: "canary", Token: "t"}, "token"},
		{Credentials{Token: "t", APISecretKey: "canary"}, "token"},
		{Credentials{Email: "a@example.com", APISecretKey: "canary"}, "api_secret_key"},
	} {
		err := tc.c.Validate()
		if isRefused := tc.setting != ""; (err != nil) != isRefused || isRefused && !strings.HasPrefix(err.Error(), tc.setting+" ") || strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%+v: %v, want an error about %q", tc.c, err, tc.setting)
		}
	}
}

func TestValidateSecret_whatCannotBeSent(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, value string
		isRefused   bool
	}{
		{"password", "can\x00ary", true},
		{"email", "  ", true},
		{"password", "  ", true},
		{"token", "bearer canary", true},
		{"password", " canary ", false},
		{"password", "can\u00a0ary", false},
		{"email", "can\u200bary", true},
		{"token", "canary\u00ad", true},
		{"api_secret_key", " canary", true},
		{"api_secret_key", "canary+/=&%#@", false},
	} {
		err := ValidateSecret(tc.name, tc.value)
		if (err != nil) != tc.isRefused || strings.Contains(fmt.Sprint(err), "canary") {
			t.Errorf("%s %q: %v", tc.name, tc.value, err)
		}
	}
}

func TestHeaders_reservedAndMalformedAreRefused(t *testing.T) {
	t.Parallel()

	for _, headers := range []map[string]string{
		{"Authorization": "canary"},
		{"HOST": "canary"},
		{"Idempotency-Key": "canary"},
		{"x-idempotency-key": "canary"},
		{"X Y": "canary"},
		{"": "canary"},
		{"X-Y": "canary\r\nX-Z: 1"},
	} {
		err := ValidateHeaders(headers)
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v: %v", headers, err)
		}
	}

	if err := ValidateHeaders(map[string]string{"X-Tenant": "t 1", "Cf-Access-Client-Id": "x"}); err != nil {
		t.Error(err)
	}
}

func TestValidateVisible_refusedWithThePlace(t *testing.T) {
	t.Parallel()

	for value, want := range map[string]string{
		" jane":          "begins or ends with a space",
		"jané\u2003":     "cannot be seen, U+2003 at byte 5",
		"ja\nne":         "cannot be seen, U+000A at byte 2",
		"ja\u00a0ne":     "cannot be seen, U+00A0 at byte 2",
		"ja\u3164ne":     "cannot be seen, U+3164 at byte 2",
		"ja\u2800ne":     "cannot be seen, U+2800 at byte 2",
		"ja\ufe0fne":     "cannot be seen, U+FE0F at byte 2",
		"ja\U000e0041ne": "cannot be seen, U+E0041 at byte 2",
		"ja\uffffne":     "cannot be seen, U+FFFF at byte 2",
		"\u200bjane":     "cannot be seen, U+200B at byte 0",
	} {
		err := ValidateVisible(value)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "jan") {
			t.Errorf("%q: %v, want %q", value, err, want)
		}
	}

	for _, value := range []string{"jane doe", "e\u0301", "日本 太郎"} {
		if err := ValidateVisible(value); err != nil {
			t.Errorf("%q: %v", value, err)
		}
	}
}
