package mockserver

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
)

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
