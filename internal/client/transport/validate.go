// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"fmt"
	"net/http"
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

// CredentialError is an error about one setting. It never holds a value.
type CredentialError struct {
	Setting string
	Problem string
}

func (e *CredentialError) Error() string { return e.Setting + " " + e.Problem }

// IsZero reports whether no credential is given.
func (c Credentials) IsZero() bool { return c == Credentials{} }

// Validate returns an error for more than one way to authenticate, half a pair, blanks, and
// characters that a header or an address cannot carry. The error is a *CredentialError.
func (c Credentials) Validate() error {
	const excludes = "excludes the other credentials: give email and password, or token, or api_secret_key"
	switch login := c.Email + c.Password; {
	case c.IsZero():
		return &CredentialError{"email", "is not set, and neither is token or api_secret_key: no credentials are given"}
	case c.Token != "" && login+c.APISecretKey != "":
		return &CredentialError{"token", excludes}
	case c.APISecretKey != "" && login != "":
		return &CredentialError{"api_secret_key", excludes}
	case c.Email != "" && c.Password == "":
		return &CredentialError{"password", "is missing beside email"}
	case c.Password != "" && c.Email == "":
		return &CredentialError{"email", "is missing beside password"}
	}

	for _, s := range []struct{ name, value string }{{"email", c.Email}, {"password", c.Password}, {"token", c.Token}, {"api_secret_key", c.APISecretKey}} {
		if problem := ValidateSecret(s.name, s.value); s.value != "" && problem != "" {
			return &CredentialError{s.name, problem}
		}
	}

	return nil
}

// ValidateSecret returns what is wrong with the value of the credential called name,
// without repeating it; empty where nothing is. A password may begin or end with a blank,
// and have any visible or invisible character; the others follow the rule of identifiers.
func ValidateSecret(name, value string) string {
	err := ValidateVisible(value)
	switch {
	case strings.TrimSpace(value) == "":
		return "is blank"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "contains a control character, such as a line break at its end"
	case name == "password":
		return ""
	case err != nil:
		return err.Error()
	case name == "token" && strings.Contains(value, " "):
		return `contains a space; give the JWT alone, without "bearer" in front`
	case name == "token" && !httpguts.ValidHeaderFieldValue(value):
		return "contains characters that a header cannot carry"
	}

	return ""
}

// ownHeaders are set by the client or mean something to the connection.
var ownHeaders = []string{
	"Authorization", "Proxy-Authorization", "Host", "Content-Length", "Content-Type", "Content-Encoding",
	"Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Te", "Trailer", "Accept", "Accept-Encoding", "User-Agent",
}

// ValidateHeaders returns an error for invalid names and values, for headers that the provider sets
// itself, such as Authorization, and for those that let a deletion be sent twice. It never repeats a
// value.
func ValidateHeaders(headers map[string]string) error {
	seen := map[string]bool{}
	for name, value := range headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		shown := escapeText(canonical, 60)

		switch {
		case !httpguts.ValidHeaderFieldName(canonical):
			return errors.New("headers has a name that is not a header name")
		case slices.Contains(ownHeaders, canonical):
			return fmt.Errorf("headers must not contain %s: the provider sets it itself", canonical)
		case canonical == "Idempotency-Key", canonical == "X-Idempotency-Key": // with one, Go's HTTP transport sends a request of any method again
			return fmt.Errorf("headers must not contain %s: one value for all requests marks them as the same request, and a broken connection would repeat them", canonical)
		case seen[canonical]:
			return fmt.Errorf("headers contains %s twice, in different spellings", shown)
		case !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("headers has a value for %s that a header cannot carry", shown)
		}
		seen[canonical] = true
	}

	return nil
}

// tokenSecrets returns a JSON Web Token, and the parts of it that identify it: its payload
// and its signature.
func tokenSecrets(token string) []string {
	parts := append(strings.Split(token, "."), "", "", "")
	return []string{token, parts[1], parts[2]}
}

// headerSecrets returns the value of a header, and the parts of it that may be a secret of
// their own: what follows a scheme such as Token, the password of Basic, and the values of
// cookies and parameters.
func headerSecrets(value string) []string {
	found := []string{value}
	scheme, rest, ok := strings.Cut(value, " ")
	if ok && !strings.ContainsAny(scheme, "=;,") {
		found = append(found, rest)
	}

	if user, password, ok := (&http.Request{Header: http.Header{"Authorization": {value}}}).BasicAuth(); ok {
		found = append(found, user+":"+password, password)
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(";, ", r) }) {
		_, assigned, _ := strings.Cut(part, "=")
		found = append(found, strings.Trim(assigned, `"`))
	}

	return found
}

// ValidateVisible returns an error for text that differs from what people see, since two identifiers
// that look alike would be two people: blanks around it, and characters that are invisible or change how
// the rest is shown. The error completes a sentence about the value. It names the character and its
// place, counted in bytes from 0, and never the rest of the value.
func ValidateVisible(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	if strings.TrimSpace(s) == "" {
		return errors.New("consists of spaces only")
	}

	for i, r := range s {
		if '!' <= r && r <= '~' { // most of what is sent, and always visible
			continue
		}

		var problem string
		atEdge := i == 0 || i+utf8.RuneLen(r) == len(s)
		switch {
		case unicode.IsControl(r):
			problem = "contains the control character"
		case atEdge && unicode.IsSpace(r):
			problem = "begins or ends with a space,"
		case r != ' ' && unicode.In(r, invisible...):
			problem = "contains a character that cannot be seen,"
		default:
			continue
		}

		return fmt.Errorf("%s %U at byte %d", problem, r, i)
	}

	return nil
}

// invisible are the characters without a shape of their own: spaces other than the plain
// one, separators of lines, formatting such as direction marks, soft hyphens and joiners,
// fillers, and selectors of a variation.
var invisible = []*unicode.RangeTable{
	unicode.Z, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}, // the blank of Braille
}
