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
