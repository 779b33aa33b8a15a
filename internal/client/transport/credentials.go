// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// KeyParameter is the parameter of a query that holds the secret key (section 5).
const KeyParameter = "apiSecretToken"

// credentialsLink sends a clone with credentials and the user's headers, and only to the configured
// origin: the links above, which repeat, log and describe requests, never see them. What a redirect
// leads to is cut to its origin here, since its path and query may repeat what was sent.
type credentialsLink struct {
	next   http.RoundTripper
	sender *Sender
}

func (l credentialsLink) RoundTrip(req *http.Request) (*http.Response, error) {
	c, cfg := callOf(req.Context()), l.sender.cfg
	if req.URL.Scheme != cfg.Base.Scheme || req.URL.Host != cfg.Base.Host {
		return nil, NewError(c.exchange(), ClassInternal, "a request was about to be sent to another address than base_url")
	}

	clone := req.Clone(req.Context())
	for name, value := range cfg.Headers {
		clone.Header.Set(name, value)
	}
	clone.Header.Set("User-Agent", cfg.UserAgent)
	token, err := l.authorize(c, clone)
	if err != nil {
		return nil, err
	}

	// Nothing that follows from a comparison waits, from here back to its answer.
	if c.admission != nil && c.admission.isOutdated() {
		return nil, c.outdated()
	}
	if c.admission != nil {
		c.admission.unused--
	}

	began := time.Now()
	resp, err := l.next.RoundTrip(clone)
	if err != nil {
		return nil, err
	}

	resp.Request = req // and not the one with credentials
	if resp.StatusCode == http.StatusUnauthorized && token != "" {
		c.renewal = l.sender.login.giveUp(token, began)
	}
	if location := resp.Header.Get("Location"); location != "" {
		resp.Header.Set("Location", originOf(cfg.Base, location))
	}

	return resp, nil
}

// authorize adds the credential to a request (section 5): the application-level key, the JWT from
// the configuration, or the token of a login, which it returns.
func (l credentialsLink) authorize(c *call, req *http.Request) (token string, err error) {
	credentials := l.sender.cfg.Credentials
	if c.Op.Anonymous {
		return "", nil
	}
	if credentials.APISecretKey != "" {
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+KeyParameter+"="+url.QueryEscape(credentials.APISecretKey), "&")
		return "", nil
	}
	if credentials.Token != "" {
		req.Header.Set("Authorization", "bearer "+credentials.Token)
		return "", nil
	}

	token = l.sender.login.current()
	if token == "" {
		if c.admission != nil && !c.admission.compared.IsZero() {
			return "", c.outdated()
		}
		if token, err = l.sender.login.present(req.Context()); err != nil {
			return "", err
		}
	}
	req.Header.Set("Authorization", "bearer "+token)

	return token, nil
}

// originOf returns scheme and host of a redirect's target; empty if it has none that can be read.
func originOf(base *url.URL, location string) string {
	to, err := base.Parse(location)
	if err != nil {
		return ""
	}

	origin := (&url.URL{Scheme: to.Scheme, Host: to.Host}).String()
	if _, err := url.Parse(origin); err != nil {
		return ""
	}

	return origin
}
