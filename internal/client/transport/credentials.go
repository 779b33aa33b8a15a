// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// KeyParameter is the parameter of a query that holds the secret key (section 5).
const KeyParameter = "apiSecretToken"

// credentialsLink sends a clone with credentials and the user's headers, and only to the configured
// origin: the links above, which repeat, log and describe requests, never see them.
type credentialsLink struct {
	next  http.RoundTripper
	base  *url.URL
	login *login // nil where the credentials are not an e-mail and a password

	header http.Header // of every request: the user's, and a token that was given (section 5)
	query  string      // of every request: a secret key (section 5)
}

func newCredentialsLink(next http.RoundTripper, s *Sender) credentialsLink {
	l := credentialsLink{next: next, base: s.cfg.Base, login: s.login, header: http.Header{}}
	for name, value := range s.cfg.Headers {
		l.header.Set(name, value)
	}
	l.header.Set("User-Agent", s.cfg.UserAgent)
	if token := s.cfg.Credentials.Token; token != "" {
		l.header.Set("Authorization", "bearer "+token)
	}
	if key := s.cfg.Credentials.APISecretKey; key != "" {
		l.query = "&" + KeyParameter + "=" + url.QueryEscape(key)
	}

	return l
}

func (l credentialsLink) RoundTrip(req *http.Request) (*http.Response, error) {
	c, _ := req.Context().Value(callKey{}).(*call)
	if req.URL.Scheme+req.URL.Host != l.base.Scheme+l.base.Host {
		return nil, NewError(c.known, ClassInternal, "a request was about to be sent to another address than base_url")
	}

	clone := req.Clone(req.Context())
	maps.Copy(clone.Header, l.header)
	clone.URL.RawQuery = strings.TrimPrefix(clone.URL.RawQuery+l.query, "&")
	token := ""
	if l.login != nil && c.Op.Kind != LogsIn {
		var err error
		if token, err = l.login.present(req.Context(), c); err != nil {
			return nil, err
		}
		clone.Header.Set("Authorization", "bearer "+token)
	}

	began := time.Now()
	resp, err := l.next.RoundTrip(clone)
	if err != nil {
		return nil, err
	}

	if resp.StatusCode == http.StatusUnauthorized && token != "" {
		c.rejection = l.login.giveUp(token, began)
	}

	return resp, nil
}
