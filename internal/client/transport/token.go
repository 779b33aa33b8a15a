// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// token is a JSON Web Token (JWT) with the times that it states; zero where it states none.
// They are not verified: the service does that, and nothing is granted here because of them.
type token struct {
	text              string
	issuedAt, expires time.Time
}

// lifetime returns the difference of the times, in which no clock plays a part, or
// tokenLifetime if they are missing or not between 0 and 24 hours apart.
func (t token) lifetime() time.Duration {
	d := t.expires.Sub(t.issuedAt)
	if t.issuedAt.IsZero() || t.expires.IsZero() || d <= 0 || d > 24*time.Hour {
		return tokenLifetime
	}
	return d
}

// readToken returns the token of a login's answer (section 2): an object with the member
// token, a string that is a JWT. It reports false for any other answer.
func readToken(got Answer) (token, bool) {
	text, err := answer.ReadToken(got.JSON)
	parts := strings.Split(text, ".")
	if err != nil || len(parts) != 3 {
		return token{}, false
	}

	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(part); err != nil || part == "" {
			return token{}, false
		}
	}

	if v, err := jsonvalue.Parse(decoded[0]); err != nil || v.Kind() != '{' {
		return token{}, false
	}

	claims, _ := jsonvalue.Parse(decoded[1])
	m := jsonvalue.Members(claims)

	return token{text: text, issuedAt: numericDate(m["iat"]), expires: numericDate(m["exp"])}, true
}

// numericDate returns the time that a JWT writes as seconds since 1970; zero where v is
// none.
func numericDate(v jsontext.Value) time.Time {
	seconds, err := strconv.ParseFloat(string(v), 64)
	if err != nil || seconds <= 0 || seconds > math.MaxInt32*100 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
