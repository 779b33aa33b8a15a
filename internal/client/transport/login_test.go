// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"testing"
	"time"
)

// TestToken_isRenewedByItsLife has what tokens state of their life, and how long they are used.
func TestToken_isRenewedByItsLife(t *testing.T) {
	t.Parallel()

	for claims, want := range map[string]time.Duration{
		`{"iat":1000,"exp":1001}`:                   tokenFloor,
		`{"iat":1000,"exp":2800}`:                   27 * time.Minute,
		`{"iat":1000,"exp":4600}`:                   55 * time.Minute,
		`{"iat":1000,"exp":173801}`:                 55 * time.Minute, // more than a day
		`{"iat":1000,"exp":999}`:                    55 * time.Minute,
		`{"iat":"now","exp":true}`:                  55 * time.Minute,
		`{}`:                                        55 * time.Minute,
		`{"iat":1767225600000,"exp":1767225601000}`: 55 * time.Minute, // milliseconds
	} {
		encode := base64.RawURLEncoding.EncodeToString
		got, ok := parseToken(encode([]byte("{}")) + "." + encode([]byte(claims)) + ".c2ln")
		if !ok || got.life() != want {
			t.Errorf("%s is used for %v, want %v", claims, got.life(), want)
		}
	}
}
