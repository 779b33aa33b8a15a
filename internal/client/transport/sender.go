// SPDX-License-Identifier: MPL-2.0

// Package transport gets requests to one origin and their answers back: credentials and
// tokens, TLS and proxies, the bounds of concurrency and rate, repetitions, the classes of
// failures, and what messages may show. It knows nothing of endpoints but the login.
//
// A request takes this way:
//
//	Do               builds it; go-retryablehttp repeats it, by the table in policy.go
//	call.RoundTrip   an attempt: waits for its turn, bounds the time until the end of the answer, and reads that
//	call.send        adds the token or key to a clone, for the configured origin alone, and sends that once
//	pool             connections, TLS, HTTP/2
//
// An admission takes turns for a comparison and the write that follows from it; under one, a request takes no
// other turn and is not repeated. Repeat takes such a sequence, or an export, from its beginning again, by the
// same table. Section numbers in the comments are those of the interface description.
package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"
	"golang.org/x/sync/semaphore"
)

// Config configures a sender. All limits are set.
type Config struct {
	Base              *url.URL
	Credentials       Credentials
	LoginParametersIn string           // InJSON, InForm or InQuery
	Envelope          jsontext.Pointer // of answers; the token may also be at the top
	ReadOnly          bool             // every write fails before anything is sent

	MaxConcurrency    int           // of requests in flight, and of connections
	RequestsPerSecond float64       // zero is unlimited
	RequestTimeout    time.Duration // of one attempt, with its answer
	MaxRetries        int           // of one request
	LogIsOff          bool          // leaves out log lines that nobody reads

	CACertPEM []byte            // certificates that are trusted in addition to the system's
	Headers   map[string]string // added to every request
	UserAgent string

	DialContext func(ctx context.Context, network, address string) (net.Conn, error) // replaces the dialer
	Around      func(pool http.RoundTripper) http.RoundTripper                       // returns what carries requests in place of the pool
}

// Sender sends requests to one origin with one set of credentials.
type Sender struct {
	cfg    Config
	gate   gate
	login  *login // nil where the credentials are not an e-mail and a password
	pool   *http.Transport
	around http.RoundTripper // the pool, or what is around it
	header http.Header       // of every request, and query: what is configured, and a key or token that was given (section 5)
	query  string
	hidden vocabulary // what no message may show

	Notice atomic.Pointer[string] // tells the user that a clock is far off, although nothing failed; nil without one

	mu     sync.Mutex
	newest atomic.Int64 // the latest Date of an answer, in seconds since 1970; mu is held to change it
}

// New returns a sender. It contacts nothing.
func New(cfg Config) (*Sender, error) {
	pool, err := newPool(cfg)
	if err != nil {
		return nil, err
	}

	s := &Sender{cfg: cfg, pool: pool, around: pool, header: http.Header{"User-Agent": {cfg.UserAgent}}}
	if cfg.Around != nil {
		s.around = cfg.Around(pool)
	}
	s.gate.until.Store(&time.Time{})
	s.gate.slots = semaphore.NewWeighted(int64(cfg.MaxConcurrency))
	if cfg.RequestsPerSecond > 0 {
		s.gate.interval = time.Duration(float64(time.Second) / cfg.RequestsPerSecond)
	}
	if cfg.Credentials.Email != "" {
		s.login = &login{sender: s}
	}

	c := cfg.Credentials
	s.hidden.add(c.Password, c.APISecretKey, c.Email)
	s.hidden.add(tokenSecrets(c.Token)...)
	if c.APISecretKey != "" {
		s.query = "&" + KeyParameter + "=" + url.QueryEscape(c.APISecretKey)
	}
	if c.Token != "" {
		s.header.Set("Authorization", "bearer "+c.Token)
	}
	for name, value := range cfg.Headers {
		s.header.Set(name, value)
		s.hidden.add(headerSecrets(value)...)
	}

	return s, nil
}

// newPool returns connections with TLS and proxies. It keeps as many idle ones as there may be requests, since
// everything goes to one host. HTTP/2 is that of golang.org/x/net instead of net/http's copy; see bodyAgain.
func newPool(cfg Config) (*http.Transport, error) {
	var trusted *x509.CertPool // nil is the system's, which takes a while to read
	if len(cfg.CACertPEM) > 0 {
		if trusted, _ = x509.SystemCertPool(); trusted == nil {
			trusted = x509.NewCertPool()
		}
		if !trusted.AppendCertsFromPEM(cfg.CACertPEM) {
			return nil, errors.New("ca_cert_file holds no certificate in PEM form")
		}
	}
	dial := cfg.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}

	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: checkProxy,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           cfg.MaxConcurrency,
		MaxIdleConnsPerHost:    cfg.MaxConcurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
	}

	//nolint:staticcheck // net/http's own HTTP/2 repeats a PATCH after a PROTOCOL_ERROR, which proves nothing; a test holds this.
	return t, http2.ConfigureTransport(t)
}

func checkProxy(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	e := &Error{Class: ClassUnreachable, Detail: "the proxy answered with status " + http.StatusText(resp.StatusCode)}
	if resp.StatusCode == http.StatusProxyAuthRequired {
		e.Class = ClassProxyAuth
	}

	return e
}

// KeyParameter is the parameter of a query that holds the secret key (section 5).
const KeyParameter = "apiSecretToken"

// accepted are the header fields by which a request says what it accepts, of a stream and of JSON. What
// the service shows decides about requests, so that no cache may answer.
var accepted = map[bool]http.Header{
	false: {"Cache-Control": {"no-cache"}, "Accept": {"application/json"}},
	true:  {"Cache-Control": {"no-cache"}, "Accept": {"application/json, application/x-ndjson, */*;q=0.1"}, "Accept-Encoding": {"zstd, gzip"}},
}

// Do sends a request and returns its answer, of a stream its beginning. It is repeated by the policy,
// except under an admission. Errors are *Error.
func (s *Sender) Do(ctx context.Context, r Request) (Answer, error) {
	c := &call{Request: r, sender: s, known: Exchange{Op: r.Op, To: r.To, absent: r.Absent, host: s.cfg.Base.Host}}
	c.known.Redact = &Redactor{Values: r.Private, secrets: &s.hidden}
	c.compared, _ = ctx.Value(admissionKey{}).(*time.Time)
	if s.cfg.ReadOnly && changes[r.Op.Kind] {
		return Answer{}, NewError(c.known, ClassReadOnly, "nothing was sent, because read_only is set")
	}

	var body any = r.Body // also an empty one, about which the HTTP stack asks before it repeats; see bodyAgain
	if !slices.Contains([]Kind{Writes, Queues, LogsIn}, r.Op.Kind) {
		body = nil
	}
	address := s.cfg.Base.String() + r.To.Escaped + "?" + r.Query
	req, err := retryablehttp.NewRequestWithContext(ctx, r.Op.Method, strings.TrimSuffix(address, "?"), body)
	if err != nil {
		return Answer{}, NewError(c.known, ClassInternal, "the request could not be built")
	}
	maps.Copy(req.Header, accepted[r.Op.Streams])
	maps.Copy(req.Header, r.Header)

	// A call has no CloseIdleConnections, which go-retryablehttp calls after a failure: it would cost the other
	// callers their connections.
	repeating := &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: c},
		RetryMax:     s.cfg.MaxRetries + 1, // checkRetry counts
		CheckRetry:   c.checkRetry,
		Backoff:      c.backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	_, err = repeating.Do(req) //nolint:bodyclose // RoundTrip has closed it, and the caller closes a stream
	if err != nil {
		return Answer{}, CauseError(c.known, err)
	}
	if c.refusal != nil {
		return Answer{}, c.refusal
	}

	return c.answer, nil
}

// Close closes idle connections. Requests in flight go on.
func (s *Sender) Close() { s.pool.CloseIdleConnections() }

// Credentials hold one of the ways to authenticate of section 5: e-mail and password for a
// login, a JWT obtained elsewhere, or an application-level key.
type Credentials struct {
	Email, Password string
	Token           string
	APISecretKey    string
}

// Validate returns an error for no or more than one way to authenticate, and for half a pair. It begins with
// the setting that it is about, and never holds a value.
func (c Credentials) Validate() error {
	switch c {
	case Credentials{}:
		return errors.New("email is not set, and neither is token or api_secret_key: no credentials are given")
	case Credentials{Password: c.Password}:
		return errors.New("email is missing or blank")
	case Credentials{Email: c.Email}:
		return errors.New("password is missing or blank")
	case Credentials{Email: c.Email, Password: c.Password}, Credentials{Token: c.Token}, Credentials{APISecretKey: c.APISecretKey}:
		return nil
	}

	setting := "api_secret_key"
	if c.Token != "" {
		setting = "token"
	}

	return errors.New(setting + " excludes the other credentials: give email and password, or token, or api_secret_key")
}

// refusedHeaders are set by the provider, mean something to the connection, or mark requests as the same
// one, which Go's HTTP transport then sends again, whatever the method is.
var refusedHeaders = []string{
	"Authorization", "Proxy-Authorization", "Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Connection",
	"Keep-Alive", "Upgrade", "Te", "Trailer", "Accept", "Accept-Encoding", "User-Agent", "Idempotency-Key", "X-Idempotency-Key",
}

// ValidateHeaders returns an error for invalid names and values, and for headers that must not be
// configured. It never repeats a value.
func ValidateHeaders(headers map[string]string) error {
	for name, value := range headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(canonical):
			return errors.New("headers has a name that is not a header name")
		case slices.Contains(refusedHeaders, canonical):
			return fmt.Errorf("headers must not contain %s: the provider sets it itself, or it would mark all requests as the same one", canonical)
		case !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("headers has a value for %s that a header cannot carry", canonical)
		}
	}

	return nil
}

// tokenSecrets returns a JSON Web Token, and its parts.
func tokenSecrets(token string) []string { return append(strings.Split(token, "."), token) }

// headerSecrets returns the value of a header, and the parts of it that may be a secret of their own: what follows a
// scheme such as Token, the password of Basic, and the values of cookies and parameters.
func headerSecrets(value string) []string {
	_, rest, _ := strings.Cut(value, " ")
	decoded, _ := base64.StdEncoding.DecodeString(rest)
	_, password, _ := strings.Cut(string(decoded), ":")
	found := []string{value, rest, string(decoded), password}
	for part := range strings.FieldsSeq(strings.NewReplacer(";", " ", ",", " ").Replace(value)) {
		_, assigned, _ := strings.Cut(part, "=")
		found = append(found, strings.Trim(assigned, `"`))
	}

	return found
}
