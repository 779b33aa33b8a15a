// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"maps"
	"net/http"
	"strings"
	"time"
)

// KeyParameter is the parameter of a query that holds the secret key (section 5).
const KeyParameter = "apiSecretToken"

// credentialsLink sends a clone with credentials and the user's headers, and only to the configured
// origin: the links above, which repeat, log and describe requests, never see them.
type credentialsLink struct{ next http.RoundTripper }

func (l credentialsLink) RoundTrip(req *http.Request) (*http.Response, error) {
	c, _ := req.Context().Value(callKey{}).(*call)
	if base := c.sender.cfg.Base; req.URL.Scheme+req.URL.Host != base.Scheme+base.Host {
		return nil, NewError(c.known, ClassInternal, "a request was about to be sent to another address than base_url")
	}
	token, err := c.token(req.Context())
	if err != nil {
		return nil, err
	}

	clone := req.Clone(req.Context())
	maps.Copy(clone.Header, c.sender.header)
	clone.URL.RawQuery = strings.TrimPrefix(clone.URL.RawQuery+c.sender.query, "&")
	if token != "" {
		clone.Header.Set("Authorization", "bearer "+token)
	}

	began := time.Now()
	resp, err := l.next.RoundTrip(clone)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		c.rejection = c.sender.login.giveUp(token, began)
	}

	return resp, err
}
