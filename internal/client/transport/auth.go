// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// credential is one way to authenticate (section 5).
type credential interface {
	// present adds the credential to req, which is a clone. The generation tells one token
	// from another.
	present(ctx context.Context, req *http.Request) (generation int, err error)
	// renew is called after a 401 to a request with that generation. It reports whether
	// the request is worth sending again.
	renew(ctx context.Context, generation int) bool
}

// authTransport is the layer next to the network. It adds credentials and the user's
// headers to a clone of each request, and only for the configured origin: the layers that
// retry, log and describe requests never see them.
type authTransport struct {
	next       http.RoundTripper
	base       *url.URL
	host       string // of base, for messages
	credential credential
	headers    map[string]string
	userAgent  string

	secrets vocabulary // what no message may show

	mu      sync.Mutex
	notices []string
}

// hostOf returns the part of an address that may be shown: the host, without user, path
// and query.
func hostOf(u *url.URL) string {
	if host, port, err := net.SplitHostPort(u.Host); err == nil {
		return net.JoinHostPort(escapeText(host, 100), escapeText(port, 10))
	}
	return escapeText(u.Host, 100)
}

func newAuthTransport(cfg Config, next http.RoundTripper) *authTransport {
	c := cfg.Credentials
	t := &authTransport{
		next:      next,
		base:      cfg.Base,
		host:      hostOf(cfg.Base),
		headers:   cfg.Headers,
		userAgent: cfg.UserAgent,
	}
	t.secrets.add(c.Password, c.APISecretKey, c.Email)
	t.secrets.add(tokenSecrets(c.Token)...)
	for _, value := range cfg.Headers {
		t.secrets.add(headerSecrets(value)...)
	}

	switch {
	case c.APISecretKey != "":
		t.credential = secretKey(c.APISecretKey)
	case c.Token != "":
		t.credential = givenToken(c.Token)
	default:
		t.credential = &login{
			email:        c.Email,
			password:     c.Password,
			parametersIn: cfg.LoginParametersIn,
			timeout:      cfg.RequestTimeout,
			retries:      min(loginRetries, cfg.MaxRetries),
			transport:    t,
			turn:         make(chan struct{}, 1),
		}
	}

	return t
}

// RoundTrip sends with credentials, and once more after a 401 where the credential could be
// renewed. Whether a call that is sent once is repeated decides its caller.
func (t *authTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != t.base.Scheme || req.URL.Host != t.base.Host {
		return nil, &Error{Class: ClassInternal, Detail: "a request was about to leave the configured origin"}
	}

	resp, generation, err := t.send(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}

	k := callFrom(req.Context())
	k.renewed = t.credential.renew(req.Context(), generation)
	if !k.renewed || k.once {
		return resp, nil
	}

	again, err := rewind(req)
	if err != nil {
		return resp, nil //nolint:nilerr // the 401 is the better answer
	}

	resp.Body.Close()
	resp, _, err = t.send(again)

	return resp, err
}

// rewind returns a clone of a request that was sent, with its body from the beginning.
func rewind(req *http.Request) (*http.Request, error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		again.Body = body
		return again, err
	}

	if req.Body != nil && req.Body != http.NoBody {
		return nil, errors.New("the body cannot be sent again")
	}

	return again, nil
}

// send sends a clone with credentials, and returns the generation of the credential.
func (t *authTransport) send(req *http.Request) (*http.Response, int, error) {
	k := callFrom(req.Context())
	sealed := k.sealed(req)
	t.addHeaders(sealed)
	generation, err := t.credential.present(req.Context(), sealed)
	if err != nil {
		return nil, 0, err
	}

	if k.follows() && time.Since(k.compared) > staleAfter {
		return nil, 0, k.outdated()
	}

	resp, err := t.next.RoundTrip(sealed)
	if err != nil {
		return nil, generation, err
	}

	// The request that the answer refers to is the one without credentials.
	resp.Request = req

	return resp, generation, nil
}

// addHeaders adds the headers that every request to the service carries.
func (t *authTransport) addHeaders(req *http.Request) {
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", t.userAgent)
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

// secretKey is the application-level key, a query parameter of every request.
type secretKey string

func (s secretKey) present(_ context.Context, req *http.Request) (int, error) {
	parameter := "apiSecretToken=" + url.QueryEscape(string(s))
	if req.URL.RawQuery != "" {
		parameter = req.URL.RawQuery + "&" + parameter
	}
	req.URL.RawQuery = parameter
	return 0, nil
}

func (secretKey) renew(context.Context, int) bool { return false }

// givenToken is a JWT from the configuration. It cannot be renewed.
type givenToken string

func (s givenToken) present(_ context.Context, req *http.Request) (int, error) {
	req.Header.Set("Authorization", "bearer "+string(s))
	return 0, nil
}

func (givenToken) renew(context.Context, int) bool { return false }
