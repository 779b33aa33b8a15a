// SPDX-License-Identifier: MPL-2.0

// Package client is the analytics service as Go: its endpoints, and the settings for what
// its interface leaves open. It knows nothing of Terraform's schemas and types.
//
// The section numbers in the comments are those of the interface description. Package transport gets a
// request to the service and its answer back; packages decode and records say what an answer is.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Defaults and bounds of the settings. The service documents no rate limits
// (section 8), so these are our choice: moderate, and all of them can be set.
const (
	DefaultMaxConcurrency = 16
	LimitMaxConcurrency   = 256
	DefaultRequestTimeout = 30 * time.Second
	MinRequestTimeout     = time.Second
	LimitRequestTimeout   = 10 * time.Minute
	DefaultMaxRetries     = 4
	LimitMaxRetries       = 10
	LimitRequestsPerSec   = 10_000
)

// Config configures a Client. New sets Base, LoginParametersIn and Envelope of the embedded one. Limits
// that are zero take the defaults above, except MaxRetries: zero retries nothing.
type Config struct {
	transport.Config

	BaseURL string           // {base_url} of the interface; see ParseBaseURL for what is accepted
	Wire    Wire             // what the interface leaves open
	Now     func() time.Time // the current time, by which a day is over; nil is the system's clock
}

// Client calls the service for one origin with one set of credentials. Clients share nothing: no token,
// no connection, no limit. It is safe for concurrent use.
type Client struct {
	Settings

	// Consents are held while the consent of a person is updated, and Requests while a deferred request
	// about a person is submitted.
	Consents, Requests PersonLocks

	*transport.Sender // of all requests; callers of a Client use its Close, NewSessionToken and Notice

	base    string // of addresses
	now     func() time.Time
	wire    Wire
	consent decode.ConsentCall
}

// Settings are what the configuration of a client says to its callers.
type Settings struct {
	ReadOnly    bool           // every write fails before anything is sent
	Concurrency int            // of requests, at most
	Lag         time.Duration  // how long any reading may lag behind the service
	ListUse     string         // how the pending list is used: ListWhole, ListPartial or ListIgnored
	Keeping     choice.Keeping // how the service keeps consent records
	AllData     string         // the settings by which data are recognised, as JSON
}

// New returns a client, and contacts nothing: the login happens with the first request that needs it.
// Errors name the setting, and never its value.
func New(cfg Config) (*Client, error) {
	base, err := ParseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base_url %w", err)
	}
	if err := errors.Join(append(cfg.Wire.Problems(), cfg.Credentials.Validate(), transport.ValidateHeaders(cfg.Headers))...); err != nil {
		return nil, err
	}

	wire := cfg.Wire.withDefaults()
	cfg.Base, cfg.LoginParametersIn, cfg.Envelope = base, wire.Login.ParametersIn, wire.Envelope.At
	cfg.MaxConcurrency = cmp.Or(cfg.MaxConcurrency, DefaultMaxConcurrency)
	cfg.RequestTimeout = cmp.Or(cfg.RequestTimeout, DefaultRequestTimeout)
	s, err := transport.New(cfg.Config)
	if err != nil {
		return nil, err
	}

	c := &Client{Sender: s, base: base.String(), now: cfg.Now, wire: wire, consent: wire.consentCall(), Consents: PersonLocks{op: opUpdateConsent}}
	if c.now == nil {
		c.now = time.Now
	}
	lag, _ := time.ParseDuration(wire.Lag) // it was validated
	c.Settings = Settings{cfg.ReadOnly, cfg.MaxConcurrency, lag, wire.Pending.Use, wire.Consent.keeping(), string(Wire{AllData: wire.AllData}.settings().JSON())}

	return c, nil
}

// ParseBaseURL parses {base_url}: an absolute https address, with an optional port and sub-path. Plain http is
// accepted only for this machine, since credentials and personal data would be readable in the network. Errors
// complete a sentence about the setting, and never repeat the value.
func ParseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("is not a valid address; it is the address of the service, such as https://analytics.example.com")
	}

	port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16)
	segments := strings.Split(u.Path, "/")

	addr, _ := netip.ParseAddr(u.Hostname()) // zero beside an error
	isLocal := strings.EqualFold(u.Hostname(), "localhost") || addr.IsLoopback()
	switch {
	case !slices.Contains([]string{"https", "http"}, u.Scheme):
		return nil, errors.New("does not begin with https://")
	case u.Scheme == "http" && !isLocal:
		return nil, errors.New("uses plain http to another machine; credentials and personal data would be readable on the way, use https")
	case u.User != nil, strings.ContainsAny(raw, "?#"):
		return nil, errors.New("contains user information, a query or a fragment; give only scheme, host, port and path")
	case u.Hostname() == "":
		return nil, errors.New("has no host")
	case err != nil, port == 0, strings.HasSuffix(u.Host, ":"):
		return nil, errors.New("has a port outside 1 to 65535")
	case slices.Contains(segments, "."), slices.Contains(segments, ".."): // they would move every request to another path
		return nil, errors.New("has a path with . or .. segments")
	}

	path := strings.TrimRight(u.EscapedPath(), "/")
	decoded, _ := url.PathUnescape(path) // Parse has done so

	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: decoded, RawPath: path}, nil
}

// Today returns the start of the current day in UTC, whatever zone the machine is in.
func (c *Client) Today() time.Time { return c.now().UTC().Truncate(24 * time.Hour) }

var opCurrentUser = transport.Operation{Name: "Get current user", Method: http.MethodGet}

// CurrentUser is GET /v1/user/self (section 4). It returns the user of the credentials as
// JSON, since the interface says nothing else of the body. Errors are *Error.
func (c *Client) CurrentUser(ctx context.Context) ([]byte, error) {
	got, err := c.Do(ctx, transport.Request{Op: opCurrentUser, To: transport.Endpoint{Template: "/v1/user/self", Escaped: "/v1/user/self"}})
	if err != nil {
		return nil, err
	}

	return got.JSON, failure(got, cmp.Or(c.wire.Result.Says(got.JSON), decode.ReadUser(got.JSON)))
}

// ask sends a request about a person or a scope, and returns its answer. A reading that was refused, as
// wire.result says, is an error. A change is decided by its effect. Errors are *Error, of ClassNotFound for a person
// about whom there is nothing, as wire.absent says.
func (c *Client) ask(ctx context.Context, p Person, r transport.Request) (transport.Answer, error) {
	to, err := p.endpoint(r.Op.Path)
	if err != nil {
		return transport.Answer{}, transport.NewError(about(r.Op), transport.ClassInvalid, err.Error())
	}

	r.To, r.Private = to, append(r.Private, p.Identity)
	if p.Identity != "" {
		r.Absent = c.wire.Absent
	}
	got, err := c.Do(ctx, r)

	isJudged := c.wire.Result.At != "" && r.Op.Kind == transport.Reads
	if err == nil && isJudged {
		err = failure(got, c.wire.Result.Says(got.JSON))
	}

	return got, err
}

// failure returns the *Error of an answer that was not understood, or whose reading failed; nil if err is nil.
// It shows nothing of the answer but the names of members.
func failure(a transport.Answer, err error) error {
	judged, isJudged := errors.AsType[*decode.Error](err)
	class := transport.ClassPayload
	switch {
	case err == nil:
		return nil
	case a.Body != nil && a.Body.Failure != nil: // what came is a part
		return transport.CauseError(a.Exchange, a.Body.Failure)
	case !isJudged:
		return streamError(a, err)
	case judged.Outcome == decode.Refused:
		return transport.Refusal(a)
	case judged.Outcome == decode.Absent:
		class = transport.ClassNotFound
	}

	e := transport.NewError(a.Exchange, class, a.Redact.Clean(judged.Error()))
	e.Ambiguous = false

	return e
}

// streamError returns the *Error for what ended the reading of a stream. One that is not known is of a coding.
func streamError(s transport.Answer, err error) *transport.Error {
	class, detail := transport.ClassPayload, transport.ErrCoding.Error()
	_, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		class, detail = transport.ClassTruncated, "the JSON ends in the middle, or nothing shows that the answer is complete"
	case errors.Is(err, records.ErrTooLarge):
		class, detail = transport.ClassTooLarge, err.Error()
	case errors.Is(err, jsonvalue.ErrTrailing), errors.Is(err, records.ErrUTF8): // whose text shows nothing of the answer
		detail = err.Error()
	case isSyntax:
		detail = jsonvalue.DescribeSyntax(err)
	}

	return transport.NewError(s.Exchange, class, detail+"; the answer is "+s.ShownType())
}

// PersonLocks is a lock for each person. The zero value is ready for use.
type PersonLocks struct {
	op   transport.Operation // that needs a lock, as errors name it
	held sync.Map            // by Person, a channel that is closed when the lock is free again
}

// Hold waits for the lock of a person, or until the context ends. The caller calls release once. The
// error is an *Error of ClassCancelled.
func (l *PersonLocks) Hold(ctx context.Context, p Person) (release func(), err error) {
	free := make(chan struct{})
	for {
		other, isHeld := l.held.LoadOrStore(p, free)
		if !isHeld {
			return func() { l.held.Delete(p); close(free) }, nil
		}

		waiting, _ := other.(chan struct{})
		select {
		case <-waiting:
		case <-ctx.Done():
			return nil, transport.CauseError(about(l.op), ctx.Err())
		}
	}
}
