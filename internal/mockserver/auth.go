// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Methods of authentication (section 5), in Request.Auth.
const (
	AuthNone   = "none"
	AuthBearer = "bearer"
	AuthSecret = "secret"
)

// AddUser lets a user log in (section 5, rule 1). For a known email it replaces the
// password.
func (s *Server) AddUser(email, password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.users, email, password)
}

// AddSecretKey makes an application-level secret key valid (section 5).
func (s *Server) AddSecretKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.keys, key, true)
}

// RevokeSecretKey makes a secret key invalid.
func (s *Server) RevokeSecretKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, key)
}

// put sets a value of a map, which it makes if there is none.
func put[M ~map[K]V, K comparable, V any](m *M, key K, value V) {
	if *m == nil {
		*m = M{}
	}
	(*m)[key] = value
}

// login is POST /v1/auth/login/jwt (section 5, rule 1).
func (s *Server) login(c *call) Response {
	sent, refused := c.sentIn(s.Wire.LoginParametersIn)
	if refused != nil {
		return *refused
	}

	values := map[string]string{}
	var missing []fieldError
	for _, name := range []string{"email", "password"} {
		if values[name], _ = sent[name].(string); values[name] == "" {
			missing = append(missing, fieldError{name, "is required and a text"})
		}
	}
	if len(missing) > 0 {
		return invalid(missing...)
	}

	s.mu.Lock()
	password, known := s.users[values["email"]]
	s.mu.Unlock()

	if !known || password != values["password"] {
		return failure(http.StatusUnauthorized, "invalid_credentials", "The email or the password is wrong.")
	}

	return success(map[string]any{"token": s.IssueToken(values["email"])})
}

// currentUser is GET /v1/user/self (section 5, rule 2). Its fields are not shown
// (section 2): id and email are an assumption.
func (s *Server) currentUser(c *call) Response {
	if c.email == "" {
		return success(map[string]any{"id": "application", "email": nil})
	}
	return success(map[string]any{"id": "user:" + c.email, "email": c.email})
}

// bearer matches an Authorization header as in RFC 6750, with the scheme in lower case,
// as section 5 shows it: a service may compare it literally.
var bearer = regexp.MustCompile(`^bearer [A-Za-z0-9\-._~+/]+=*$`)

// checkCredentials makes violations of credentials that no client that follows section 5
// would present: exactly one of the two methods is accepted, and none by the login.
func (s *Server) checkCredentials(c *call, r *http.Request) {
	headers, keys := r.Header.Values("Authorization"), r.URL.Query()[secretParameter]
	want := 1
	if c.route.operation == OpLogin {
		want = 0
	}
	if n := len(headers) + len(keys); n != want {
		s.violate("%s came with %d credentials, not %d (section 5)", c.route.operation, n, want)
	}

	for _, header := range headers {
		if !bearer.MatchString(header) {
			s.violate("%s has an Authorization header that is not exactly: bearer <JWT>, with the scheme in lower case (section 5)", c.route.operation)
		}
	}
	for _, key := range keys {
		if key == "" {
			s.violate("%s has an empty secret key (section 5)", c.route.operation)
		}
	}
}

// authenticate reports whether a call has valid credentials; a token takes precedence over
// a key. Every operation but the login accepts either method: which accepts which is not
// shown (section 5, rule 3).
func (s *Server) authenticate(c *call) bool {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()

	if c.entry.Auth != AuthBearer {
		return s.keys[c.key]
	}

	g, ok := s.tokens[c.entry.Token]
	c.email = g.email

	return ok && now.Before(g.expires)
}

// grant is the user and the expiry of a token. They do not depend on its claims.
type grant struct {
	email   string
	expires time.Time
}

// IssueToken returns a new token for a user, as a login does (section 5, rule 1). The
// user need not exist. It lasts one hour unless Server.TokenLifetime says otherwise
// (section 8).
func (s *Server) IssueToken(email string) string {
	now := s.now()
	expires := now.Add(cmp.Or(s.TokenLifetime, time.Hour))
	claims := map[string]any{"sub": email, "iat": now.Unix(), "exp": expires.Unix()}
	if s.Claims != nil {
		claims = s.Claims(now)
	}

	// A JWT (RFC 7519) whose signature is of no key and different each time.
	var parts []string
	for _, part := range []string{`{"alg":"HS256","typ":"JWT"}`, string(encode(claims)), rand.Text()} {
		parts = append(parts, base64.RawURLEncoding.EncodeToString([]byte(part)))
	}
	token := strings.Join(parts, ".")

	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.tokens, token, grant{email: email, expires: expires})

	return token
}

// RevokeTokens makes every token issued so far invalid.
func (s *Server) RevokeTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = nil
}
