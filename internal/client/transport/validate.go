// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Credentials hold one of the ways to authenticate of section 5: e-mail and password for a
// login, a JWT obtained elsewhere, or an application-level key.
type Credentials struct {
	Email, Password string
	Token           string
	APISecretKey    string
}

// Validate returns an error for no or more than one way to authenticate, and for half a pair. It begins with
// the setting that it is about, and never holds a value.
func (c Credentials) Validate() error {
	switch c {
	case Credentials{}:
		return errors.New("email is not set, and neither is token or api_secret_key: no credentials are given")
	case Credentials{Password: c.Password}:
		return errors.New("email is missing or blank")
	case Credentials{Email: c.Email}:
		return errors.New("password is missing or blank")
	case Credentials{Email: c.Email, Password: c.Password}, Credentials{Token: c.Token}, Credentials{APISecretKey: c.APISecretKey}:
		return nil
	}

	setting := "api_secret_key"
	if c.Token != "" {
		setting = "token"
	}

	return errors.New(setting + " excludes the other credentials: give email and password, or token, or api_secret_key")
}

// refusedHeaders are set by the provider, mean something to the connection, or mark requests as the same
// one, which Go's HTTP transport then sends again, whatever the method is.
var refusedHeaders = []string{
	"Authorization", "Proxy-Authorization", "Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Connection",
	"Keep-Alive", "Upgrade", "Te", "Trailer", "Accept", "Accept-Encoding", "User-Agent", "Idempotency-Key", "X-Idempotency-Key",
}

// ValidateHeaders returns an error for invalid names and values, and for headers that must not be
// configured. It never repeats a value.
func ValidateHeaders(headers map[string]string) error {
	for name, value := range headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(canonical):
			return errors.New("headers has a name that is not a header name")
		case slices.Contains(refusedHeaders, canonical):
			return fmt.Errorf("headers must not contain %s: the provider sets it itself, or it would mark all requests as the same one", canonical)
		case !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("headers has a value for %s that a header cannot carry", canonical)
		}
	}

	return nil
}

// tokenSecrets returns a JSON Web Token, and its parts.
func tokenSecrets(token string) []string { return append(strings.Split(token, "."), token) }

// headerSecrets returns the value of a header, and the parts of it that may be a secret of
// their own: what follows a scheme such as Token, the password of Basic, and the values of
// cookies and parameters.
func headerSecrets(value string) []string {
	_, rest, _ := strings.Cut(value, " ")
	decoded, _ := base64.StdEncoding.DecodeString(rest)
	_, password, _ := strings.Cut(string(decoded), ":")
	found := []string{value, rest, string(decoded), password}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(";, ", r) }) {
		_, assigned, _ := strings.Cut(part, "=")
		found = append(found, strings.Trim(assigned, `"`))
	}

	return found
}
