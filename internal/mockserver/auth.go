// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// AddUser lets a user log in (section 5, rule 1). For a known email it replaces the
// password.
func (s *Server) AddUser(email, password string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.users == nil {
		s.users = map[string]string{}
	}
	s.users[email] = password
}

// AddSecretKey makes an application-level secret key valid (section 5).
func (s *Server) AddSecretKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.keys == nil {
		s.keys = map[string]bool{}
	}
	s.keys[key] = true
}

// RevokeSecretKey makes a secret key invalid.
func (s *Server) RevokeSecretKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, key)
}

// login is POST /v1/auth/login/jwt (section 5, rule 1).
func (s *Server) login(c *call) Response {
	sent, ok := c.params.in(s.Wire.loginIn())
	if !ok {
		return malformed()
	}

	email, _ := sent["email"].(string)
	password, _ := sent["password"].(string)
	if missing := missingLogin(email, password); missing != nil {
		return invalid(missing)
	}

	if !s.hasUser(email, password) {
		return failure(http.StatusUnauthorized, "invalid_credentials", "The email or the password is wrong.")
	}

	return success(map[string]any{"token": s.IssueToken(email)})
}

// missingLogin returns an objection for each empty parameter of a login.
func missingLogin(email, password string) []FieldError {
	var missing []FieldError
	if email == "" {
		missing = append(missing, FieldError{Field: "email", Message: "is required and a text"})
	}
	if password == "" {
		missing = append(missing, FieldError{Field: "password", Message: "is required and a text"})
	}
	return missing
}

// hasUser reports whether a user with this password exists.
func (s *Server) hasUser(email, password string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	known, exists := s.users[email]
	return exists && known == password
}

// currentUser is GET /v1/user/self (section 5, rule 2). Its fields are not shown
// (section 2): id and email are an assumption.
func (s *Server) currentUser(c *call) Response {
	user := map[string]any{"id": "application", "email": nil}
	if c.email != "" {
		user = map[string]any{"id": "user:" + c.email, "email": c.email}
	}

	return success(user)
}

// credential returns how a request presents itself (section 5): one of the Auth
// constants, the token and the secret key. A token takes precedence over a key.
func credential(r *http.Request) (auth, token, key string) {
	query := r.URL.Query()
	key = query.Get(secretParameter)

	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "bearer "); ok {
		return AuthBearer, token, key
	}
	if query.Has(secretParameter) {
		return AuthSecret, "", key
	}

	return AuthNone, "", ""
}

// authenticate returns the refusal of a call without valid credentials, or nil. It
// accepts either method everywhere: which endpoint accepts which is not shown
// (section 5, rule 3). A stale or wrong credential is refused, no more; credentials
// that no client that follows section 5 would present are violations too.
func (s *Server) authenticate(c *call) *Response {
	s.checkPresentation(c)
	if s.Accepts != nil && !s.Accepts(c.route.operation, c.entry.Auth) {
		return unauthorized("wrong_method", "This method of authentication is not accepted here.")
	}

	switch c.entry.Auth {
	case AuthBearer:
		return s.authenticateToken(c)
	case AuthSecret:
		return s.authenticateKey(c)
	}

	return unauthorized("unauthenticated", "Credentials are required.")
}

func (s *Server) authenticateToken(c *call) *Response {
	now := s.clock().Now()
	s.mu.Lock()
	defer s.mu.Unlock()

	g, ok := s.tokens[c.entry.Token]
	if !ok || !now.Before(g.expires) {
		return unauthorized("invalid_token", "The token is not valid or has expired.")
	}

	c.email = g.email

	return nil
}

func (s *Server) authenticateKey(c *call) *Response {
	s.mu.Lock()
	defer s.mu.Unlock()

	if !s.keys[c.key] {
		return unauthorized("invalid_key", "The secret key is not valid.")
	}
	return nil
}

// checkPresentation records credentials that are missing or presented otherwise than
// section 5 says as violations.
func (s *Server) checkPresentation(c *call) {
	if c.entry.Auth == AuthBearer {
		if c.key != "" {
			s.violate("%s came with both a JWT and a secret key", c.name())
		}
		return
	}

	if c.entry.Header.Get("Authorization") != "" {
		s.violate("%s has an Authorization header that is not of the form: bearer <JWT>", c.name())
		return
	}

	if c.entry.Auth == AuthNone {
		s.violate("%s came without any credential", c.name())
	}
}

func unauthorized(code, message string) *Response {
	a := failure(http.StatusUnauthorized, code, message)
	return &a
}

func malformed() Response {
	return failure(http.StatusBadRequest, "malformed", "The parameters cannot be read.")
}

func invalid(fields []FieldError) Response {
	return failure(http.StatusBadRequest, "invalid_parameters", "Some parameters are missing or wrong.", fields...)
}

// tokenLifetime is the default of Server.TokenLifetime (section 8).
const tokenLifetime = time.Hour

// grant is the user and the expiry of a token. They do not depend on its claims.
type grant struct {
	email   string
	expires time.Time
}

// IssueToken returns a new token for a user, as a login does (section 5, rule 1). The
// user need not exist.
func (s *Server) IssueToken(email string) string {
	now := s.clock().Now()
	expires := now.Add(cmp.Or(s.TokenLifetime, tokenLifetime))
	claims := map[string]any{"sub": email, "iat": now.Unix(), "exp": expires.Unix()}
	if s.Claims != nil {
		claims = s.Claims(now)
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.signingKey == nil {
		s.signingKey = []byte(rand.Text())
	}
	s.issued++
	token := sign(s.signingKey, s.issued, claims)

	if s.tokens == nil {
		s.tokens = map[string]grant{}
	}
	s.tokens[token] = grant{email: email, expires: expires}

	return token
}

// RevokeTokens makes every token issued so far invalid.
func (s *Server) RevokeTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = nil
}

// sign returns a JWT (RFC 7519) signed with HS256. The serial number in its header
// makes every token unique, whatever its claims are.
func sign(key []byte, serial int, claims map[string]any) string {
	header := fmt.Sprintf(`{"alg":"HS256","kid":"%d","typ":"JWT"}`, serial)

	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(encode(claims))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))

	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
