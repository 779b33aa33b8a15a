// SPDX-License-Identifier: MPL-2.0

// Package client is the analytics service as Go: its endpoints, and the settings for what
// its interface leaves open. It knows nothing of Terraform's schemas and types.
//
// The section numbers in the comments are those of the interface description. Package transport gets a
// request to the service and its answer back; packages answer and records say what an answer is.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Client calls the service for one origin with one set of credentials. Clients share nothing: no token,
// no connection, no limit. It is safe for concurrent use.
type Client struct {
	sender *transport.Sender
	config Config
	// Updates of consent and submissions of requests about one person each take turns.
	consents, requests personLocks
}

// New returns a client, and contacts nothing: the login happens with the first request that needs it.
// Errors name the setting, and never its value.
func New(cfg Config) (*Client, error) {
	base, err := ParseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base_url %w", err)
	}
	if err := errors.Join(cfg.Credentials.Validate(), transport.ValidateHeaders(cfg.Headers), cfg.Wire.Validate()); err != nil {
		return nil, err
	}

	cfg = cfg.withDefaults()
	cfg.Base, cfg.LoginParametersIn, cfg.Envelope = base, cfg.Wire.Login.ParametersIn, cfg.Wire.Envelope
	s, err := transport.New(cfg.Config)
	if err != nil {
		return nil, err
	}

	return &Client{sender: s, config: cfg}, nil
}

// Close closes idle connections. Requests in flight go on.
func (c *Client) Close() { c.sender.Close() }

// Today returns the start of the current day in UTC, whatever zone the machine is in.
func (c *Client) Today() time.Time { return c.config.Now().UTC().Truncate(24 * time.Hour) }

// ReadOnly reports whether every write fails before anything is sent.
func (c *Client) ReadOnly() bool { return c.config.ReadOnly }

// Concurrency returns the largest number of requests that the client sends at a time.
func (c *Client) Concurrency() int { return c.config.MaxConcurrency }

// Notices returns messages for the user although nothing failed, such as a clock that
// is far off. Each is returned once.
func (c *Client) Notices() []string { return c.sender.TakeNotices() }

// ask sends a request about a person. Errors are *Error.
func (c *Client) ask(ctx context.Context, p Person, r transport.Request) (transport.Answer, error) {
	to, err := p.endpoint(r.Op)
	if err != nil {
		return transport.Answer{}, err
	}

	r.To, r.Private = to, append(r.Private, p.Identity)

	return c.do(ctx, r)
}

// do sends a request. A reading whose answer says, at wire.result.at, that the service did not do what
// it was asked for is an error. What changes something is decided by its effect. Errors are *Error.
func (c *Client) do(ctx context.Context, r transport.Request) (transport.Answer, error) {
	got, err := c.sender.Do(ctx, r)
	if err != nil || r.Op.Effect || c.config.Wire.Result.At == "" {
		return got, err
	}
	return got, answerError(got, c.config.Wire.Result.Says(got.JSON))
}

// answerError returns the *Error of an answer that is not what was asked for. err is of package
// answer.
func answerError(a transport.Answer, err error) error {
	p, ok := errors.AsType[*answer.Error](err)
	if !ok {
		return err
	}

	switch p.Outcome {
	case answer.Refused:
		return transport.Refusal(a)
	case answer.Absent:
		return transport.NewError(a.Exchange, transport.ClassNotFound, p.Error())
	case answer.Unrecognised:
	}

	e := transport.NewError(a.Exchange, transport.ClassPayload, a.Redact.Clean(p.Error()))
	e.Ambiguous = false

	return e
}

// streamError returns the *Error for what ended the reading of an answer while it came. What broke
// off may be whole when it is read again from the beginning. It shows nothing of the answer but the
// names of members.
func streamError(s transport.Answer, err error) *transport.Error {
	if lost := s.NetworkError(); lost != nil {
		e := transport.CauseError(s.Exchange, lost)
		e.Status = s.Status
		return e
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, records.ErrTruncated) {
		return transport.NewError(s.Exchange, transport.ClassTruncated, "the JSON ends in the middle, or nothing shows that the answer is complete")
	}

	class, detail := transport.ClassPayload, err.Error()
	refusal, isRefused := errors.AsType[*answer.Error](err)

	_, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	isSafe := func(known error) bool { return errors.Is(err, known) }
	switch {
	case errors.Is(err, records.ErrTooLarge):
		class = transport.ClassTooLarge
	case errors.Is(err, records.ErrUTF8):
		detail += "; wire.export.invalid_utf8 = \"replace\" replaces such bytes and counts the records"
	case isSyntax:
		detail = jsonvalue.DescribeSyntax(err)
	case !isRefused && !slices.ContainsFunc(safeErrors, isSafe):
		detail = transport.ErrCoding.Error()
	}

	e := transport.NewError(s.Exchange, class, detail+"; the answer is "+s.ShownType())
	if isRefused {
		e.Cause = refusal
	}

	return e
}

// safeErrors are those of a reading whose text shows nothing of the answer. Any other is that of
// a compression.
var safeErrors = []error{
	jsonvalue.ErrTrailing, transport.ErrNothing, records.ErrShape, records.ErrSyntax, records.ErrRepeatedName, records.ErrFollowed,
}

// personLocks is a lock for each person. The zero value is ready for use.
type personLocks struct {
	locks sync.Map // by Person, a channel that is closed when the lock is free again
}

// lock waits for the lock of a person, or until the context ends. The caller calls unlock once.
func (l *personLocks) lock(ctx context.Context, p Person) (unlock func(), err error) {
	free := make(chan struct{})
	unlock = func() {
		l.locks.Delete(p)
		close(free)
	}

	for {
		other, isLocked := l.locks.LoadOrStore(p, free)
		if !isLocked {
			return unlock, nil
		}

		waiting, _ := other.(chan struct{})
		select {
		case <-waiting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
