// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"time"
)

// Methods of authentication (section 5), in Request.Auth.
const (
	AuthBearer = "bearer"
	AuthSecret = "secret"
)

// AddUser lets a user log in, or replaces the password (section 5, rule 1).
func (s *Server) AddUser(email, password string) { s.users.Store(email, password) }

// AddSecretKey makes an application-level secret key valid (section 5).
func (s *Server) AddSecretKey(key string) { s.keys.Store(key, true) }

// RevokeTokens makes every token issued so far invalid.
func (s *Server) RevokeTokens() { s.tokens.Clear() }

// login is POST /v1/auth/login/jwt (section 5, rule 1).
func (s *Server) login(c *Request) Response {
	sent := c.sentIn(s.Wire.Login.ParametersIn)
	email, _ := sent["email"].(string)
	given, _ := sent["password"].(string)
	if email == "" || given == "" {
		return invalid(map[string]string{"email": "is required", "password": "is required"})
	}

	if password, known := s.users.Load(email); !known || password != given {
		return failure(http.StatusUnauthorized, "invalid_credentials", "The email or the password is wrong.", nil)
	}

	return success(map[string]any{"token": s.IssueToken(email)})
}

// currentUser is GET /v1/user/self (section 5, rule 2).
func (s *Server) currentUser(c *Request) Response {
	held, _ := s.tokens.Load(c.Token)
	if g, ok := held.(grant); ok {
		return success(map[string]any{"id": "user:" + g.email, "email": g.email})
	}
	return success(map[string]any{"id": "application", "email": nil})
}

// authenticate reports whether the credentials of a request are valid; a token takes precedence over a key. Every
// operation but the login accepts either method.
func (s *Server) authenticate(c *Request) (ok bool) {
	if c.Auth != AuthBearer {
		_, ok = s.keys.Load(c.key)
		return ok
	}

	held, _ := s.tokens.Load(c.Token)
	g, ok := held.(grant)

	return ok && s.now().Before(g.expires)
}

// grant is the user and the expiry of a token. They do not depend on its claims.
type grant struct {
	email   string
	expires time.Time
}

// IssueToken returns a new token of an hour for a user, who need not exist (section 5, rule 1; section 8).
func (s *Server) IssueToken(email string) string {
	now := s.now()
	expires := now.Add(time.Hour)
	claims := map[string]any{"sub": email, "iat": now.Unix(), "exp": expires.Unix()}
	if s.Claims != nil {
		claims = s.Claims(now)
	}

	// A JWT (RFC 7519) whose signature is of no key and different each time.
	text := base64.RawURLEncoding.EncodeToString
	token := text([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + text(encode(claims)) + "." + text([]byte(rand.Text()))
	s.tokens.Store(token, grant{email: email, expires: expires})

	return token
}
