// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// send sends the request with credentials, and once more after a 401 where they could be
// renewed. Whether a call that is sent once is repeated decides its caller.
func (k *Call) send(req *http.Request) (*http.Response, error) {
	resp, generation, err := k.sendClone(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || k.Op.Anonymous || k.sender.cfg.Credentials.Email == "" {
		return resp, err
	}

	k.renewed = k.sender.login.renew(req.Context(), k, generation)
	if !k.renewed || k.once {
		return resp, nil
	}

	resp.Body.Close()
	resp, _, err = k.sendClone(req)

	return resp, err
}

// sendClone sends a clone with credentials and the user's headers, and only to the
// configured origin: the layers that retry, log and describe requests never see them. The
// generation is that of the token.
func (k *Call) sendClone(req *http.Request) (resp *http.Response, generation int, err error) {
	cfg := k.sender.cfg
	if req.URL.Scheme != cfg.Base.Scheme || req.URL.Host != cfg.Base.Host {
		return nil, 0, k.Fail(ClassInternal, 0, "a request was about to leave the configured origin")
	}

	clone, err := k.sealed(req)
	if err != nil {
		return nil, 0, err
	}
	for name, value := range cfg.Headers {
		clone.Header.Set(name, value)
	}
	clone.Header.Set("User-Agent", cfg.UserAgent)
	if generation, err = k.authorize(req.Context(), clone); err != nil {
		return nil, 0, err
	}

	// Nothing that follows from a comparison waits, from here back to its answer.
	if k.follows() && (time.Since(k.Compared) > staleAfter || k.sender.Gate.remaining() > 0) {
		return nil, 0, k.outdated()
	}

	resp, err = k.sender.pool.RoundTrip(clone)
	if err != nil {
		return nil, generation, err
	}

	resp.Request = req // and not the one with credentials
	if cfg.Observer != nil {
		cfg.Observer(Head{Operation: k.Op.Name, Status: resp.StatusCode})
	}

	return resp, generation, nil
}

// authorize adds the credential to a request (section 5): the application-level key, the JWT
// from the configuration, or the token of a login, whose generation it returns.
func (k *Call) authorize(ctx context.Context, req *http.Request) (generation int, err error) {
	c := k.sender.cfg.Credentials
	token := c.Token

	switch {
	case k.Op.Anonymous:
		return 0, nil
	case c.APISecretKey != "":
		parameter := "apiSecretToken=" + url.QueryEscape(c.APISecretKey)
		if req.URL.RawQuery != "" {
			parameter = req.URL.RawQuery + "&" + parameter
		}
		req.URL.RawQuery = parameter
		return 0, nil
	case token == "":
		if token, generation, err = k.sender.login.present(ctx, k); err != nil {
			return 0, err
		}
	}

	req.Header.Set("Authorization", "bearer "+token)

	return generation, nil
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
