// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// ValidateSecret returns what is wrong with the value of the credential called name,
// without repeating it; nil where nothing is. A password may begin or end with a blank,
// and have any visible or invisible character; the others follow the rule of identifiers.
func ValidateSecret(name, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return errors.New("is missing or blank")
	case strings.ContainsFunc(value, unicode.IsControl):
		return errors.New("contains a control character, such as a line break at its end")
	case name == "token" && strings.Contains(value, " "):
		return errors.New(`contains a space; give the JWT alone, without "bearer" in front`)
	case name == "password":
		return nil
	}

	return ValidateVisible(value)
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

// ValidateVisible returns an error for text that differs from what people see, since two identifiers
// that look alike would be two people: blanks around it, and characters that are invisible or change how
// the rest is shown. The error completes a sentence about the value. It names a character inside and its
// place, counted in bytes from 0, and never the rest of the value.
func ValidateVisible(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	at := strings.IndexFunc(s, func(r rune) bool { return r != ' ' && unicode.In(r, invisible...) })
	if at >= 0 {
		r, _ := utf8.DecodeRuneInString(s[at:])
		return fmt.Errorf("contains a character that cannot be seen, %U at byte %d", r, at)
	}
	if strings.TrimSpace(s) != s {
		return errors.New("begins or ends with a space")
	}

	return nil
}

// invisible are the characters without a shape of their own: control characters, spaces other than the
// plain one, separators of lines, formatting such as direction marks, soft hyphens and joiners,
// fillers, and selectors of a variation.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Z, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}, // the blank of Braille
}
