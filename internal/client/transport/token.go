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

// token is a JSON Web Token (JWT).
type token struct {
	text   string
	claims claims
}

// claims are the times that a token states. They are not verified: the service does
// that, and nothing is granted here because of them.
type claims struct {
	issuedAt, expires time.Time
}

// lifetime returns the difference of the times, in which no clock plays a part, or
// tokenLifetime if they are missing or not between 0 and 24 hours apart.
func (c claims) lifetime() time.Duration {
	if c.issuedAt.IsZero() || c.expires.IsZero() {
		return tokenLifetime
	}

	if d := c.expires.Sub(c.issuedAt); d > 0 && d <= 24*time.Hour {
		return d
	}
	return tokenLifetime
}

// readToken returns the token of a login's answer (section 2): an object with the member
// token, a string that is a JWT. It reports false for any other answer.
func readToken(got Answer) (token, bool) {
	text, err := answer.ReadToken(got.JSON)
	if err != nil {
		return token{}, false
	}

	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return token{}, false
	}

	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(part); err != nil || part == "" {
			return token{}, false
		}
	}

	header, body := decoded[0], decoded[1]
	if v, err := jsonvalue.Parse(header); err != nil || v.Kind() != '{' {
		return token{}, false
	}

	return token{text, readClaims(body)}, true
}

// readClaims returns the times that the body of a token states; zero where it states none.
func readClaims(body []byte) claims {
	v, err := jsonvalue.Parse(body)
	if err != nil {
		return claims{}
	}

	m := jsonvalue.Members(v)
	return claims{issuedAt: numericDate(m["iat"]), expires: numericDate(m["exp"])}
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
