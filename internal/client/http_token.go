package client

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// claims are what a JWT says of its time. They are not verified: the service does
// that, and nothing here is granted because of them.
type claims struct {
	issuedAt, expires time.Time
}

// lifetime is what the token's own claims say, as a difference, so that clocks
// play no part; one hour, as documented, where they say nothing usable.
func (c claims) lifetime() time.Duration {
	if d := c.expires.Sub(c.issuedAt); !c.issuedAt.IsZero() && !c.expires.IsZero() && d > 0 && d <= 24*time.Hour {
		return d
	}
	return tokenLifetime
}

// readToken finds the token of a login's answer (section 2): an object with the
// field token, a string that is a JWT.
func readToken(got answer) (string, claims, bool) {
	token := jsonvalue.Text(jsonvalue.Members(got.json)["token"])
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", claims{}, false
	}
	for _, part := range parts {
		if _, err := base64.RawURLEncoding.DecodeString(part); err != nil || part == "" {
			return "", claims{}, false
		}
	}
	header, _ := base64.RawURLEncoding.DecodeString(parts[0])
	if v, err := jsonvalue.Parse(header); err != nil || v.Kind() != '{' {
		return "", claims{}, false
	}
	return token, readClaims(parts[1]), true
}

func readClaims(part string) claims {
	body, _ := base64.RawURLEncoding.DecodeString(part)
	v, err := jsonvalue.Parse(body)
	if err != nil {
		return claims{}
	}
	m := jsonvalue.Members(v)
	return claims{issuedAt: numericDate(m["iat"]), expires: numericDate(m["exp"])}
}

func numericDate(v jsontext.Value) time.Time {
	seconds, err := strconv.ParseFloat(string(v), 64)
	if err != nil || seconds <= 0 || seconds > math.MaxInt32*100 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
