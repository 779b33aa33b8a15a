package mockserver

import (
	"net/http"
	"strings"
)

// AddUser lets a user log in; for a known email it changes the password.
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

// RevokeSecretKey makes a secret key worthless.
func (s *Server) RevokeSecretKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, key)
}

// login is POST /v1/auth/login/jwt (section 5, rule 1).
func (s *Server) login(c *call) answer {
	sent, ok := c.params.in(s.Wire.loginIn())
	if !ok {
		return malformed()
	}
	email, _ := sent["email"].(string)
	password, _ := sent["password"].(string)
	var wrong []FieldError
	for _, f := range []struct{ name, value string }{{"email", email}, {"password", password}} {
		if f.value == "" {
			wrong = append(wrong, FieldError{Field: f.name, Message: "is required and a text"})
		}
	}
	if wrong != nil {
		return invalid(wrong)
	}
	s.mu.Lock()
	known, exists := s.users[email]
	s.mu.Unlock()
	if !exists || known != password {
		return failure(http.StatusUnauthorized, "invalid_credentials", "The email or the password is wrong.")
	}
	token := s.IssueToken(email)
	if s.LoginAnswer != nil {
		return success(s.LoginAnswer(token))
	}
	return success(map[string]any{"token": token})
}

// currentUser is GET /v1/user/self (section 5, rule 2). Its fields are not shown
// (section 2): id and email are an assumption.
func (s *Server) currentUser(c *call) answer {
	if c.email == "" {
		return success(map[string]any{"id": "application", "email": nil})
	}
	return success(map[string]any{"id": "user:" + c.email, "email": c.email})
}

// credential reads how a request presents itself (section 5). Of two credentials
// the header counts.
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

// authenticate accepts either method everywhere; which endpoint accepts which is
// not shown (section 5, rule 3). One with a stale or wrong credential is a day's
// work; what cannot come from a client that knows section 5 is a violation.
func (s *Server) authenticate(c *call) (answer, bool) {
	s.checkPresentation(c)
	now := s.clock().Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c.entry.Auth {
	case AuthNone:
		return failure(http.StatusUnauthorized, "unauthenticated", "Credentials are required."), false
	case AuthSecret:
		if s.keys[c.key] {
			return answer{}, true
		}
		return failure(http.StatusUnauthorized, "invalid_key", "The secret key is not valid."), false
	}
	g, ok := s.tokens[c.entry.Token]
	if !ok || !now.Before(g.expires) {
		return failure(http.StatusUnauthorized, "invalid_token", "The token is not valid or has expired."), false
	}
	c.email = g.email
	return answer{}, true
}

func (s *Server) checkPresentation(c *call) {
	header := c.entry.Header.Get("Authorization")
	switch {
	case c.entry.Auth != AuthBearer && header != "":
		s.violate("%s has an Authorization header that is not of the form: bearer <JWT>", c.name())
	case c.entry.Auth == AuthNone:
		s.violate("%s came without any credential", c.name())
	case c.entry.Auth == AuthBearer && c.key != "":
		s.violate("%s came with both a JWT and a secret key", c.name())
	}
}

func malformed() answer {
	return failure(http.StatusBadRequest, "malformed", "The parameters cannot be read.")
}

func invalid(fields []FieldError) answer {
	return failure(http.StatusBadRequest, "invalid_parameters", "Some parameters are missing or wrong.", fields...)
}
