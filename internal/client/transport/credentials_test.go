// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"strings"
	"testing"
)

func TestCredentials_exactlyOneWhole(t *testing.T) {
	t.Parallel()

	type row struct {
		c       Credentials
		setting string // that the error is about; empty is none
	}
	rows := []row{
		{Credentials{Email: "a@example.com", Password: "p"}, ""},
		{Credentials{}, "email"},
		{Credentials{Email: "a@example.com"}, "password"},
		{Credentials{Password: "canary"}, "email"},
		{Credentials{Email: "a@example.com", Password: "canary", Token: "t"}, "token"},
		{Credentials{Token: "t", APISecretKey: "canary"}, "token"},
		{Credentials{Email: "a@example.com", APISecretKey: "canary"}, "api_secret_key"},
		{Credentials{APISecretKey: "canary\n"}, "api_secret_key"},
		{Credentials{Email: "a@example.com", Password: "can\x00ary"}, "password"},
		{Credentials{Email: "  ", Password: "canary"}, "email"},
		{Credentials{Email: "canary@example.com", Password: "  "}, "password"},
		{Credentials{Token: "bearer canary"}, "token"},
		{Credentials{Email: "a@example.com", Password: " canary "}, ""},
		{Credentials{Email: "a@example.com", Password: "can\u00a0ary"}, ""},
	}
	for _, value := range []string{" canary", "canary ", "can\u00a0ary", "can\u200bary", "canary\u00ad"} {
		rows = append(rows, row{Credentials{Email: value, Password: "p"}, "email"}, row{Credentials{Token: value}, "token"}, row{Credentials{APISecretKey: value}, "api_secret_key"})
	}

	for _, tc := range rows {
		err := tc.c.Validate()
		var e *CredentialError

		switch {
		case tc.setting == "" && err != nil:
			t.Errorf("%+v: %v", tc.c, err)
		case tc.setting == "":
		case !errors.As(err, &e) || e.Setting != tc.setting:
			t.Errorf("%+v: %v, want an error about %s", tc.c, err, tc.setting)
		case strings.Contains(err.Error(), "canary"), strings.Contains(err.Error(), "can\u00a0"):
			t.Errorf("%v repeats a secret", err)
		}
	}
}

func TestHeaders_reservedAndMalformedAreRefused(t *testing.T) {
	t.Parallel()

	for _, headers := range []map[string]string{
		{"Authorization": "canary"},
		{"authorization": "canary"},
		{"HOST": "canary"},
		{"user-agent": "canary"},
		{"Idempotency-Key": "canary"},
		{"x-idempotency-key": "canary"},
		{"X Y": "canary"},
		{"": "canary"},
		{"X-Y": "canary\r\nX-Z: 1"},
		{"X-Y": "1", "x-y": "canary"},
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
