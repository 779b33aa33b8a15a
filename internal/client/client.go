// Package client is the analytics service as Go: authentication, transport, retries,
// and the endpoints. It knows nothing of Terraform's schemas and types.
//
// The service is known only by its interface description; the section numbers in
// the comments are that document's. Where it is silent the client is tolerant,
// where it speaks the client is exact.
//
// The names of the files show three groups, each of which uses only those below it:
//
//	consent*, profile, data, requests, export*, session
//	                one group of endpoints each; client.go builds a Client
//	answer_*        what the answers are, by package answer and package records
//	http_*          how a request gets to the service and its answer back; newSender
//	                in http_sender.go assembles the layers in their order
//
// Under all three is what they share: config*, endpoint, errors, locks, answers,
// text and time. TestGroups checks that nothing refers to a group above it.
package client

import (
	"time"
)

// Client calls the service for one origin with one set of credentials. Nothing
// is shared between clients: no token, no connection, no limit. It is safe for
// concurrent use.
type Client struct {
	sender *sender
	wire   Wire
	people keyedLocks
	now    func() time.Time
}

// New checks the configuration and returns a client. It contacts nothing: the login
// happens with the first request that needs it. Errors name the setting, and never its
// value.
func New(cfg Config) (*Client, error) {
	base, err := ParseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}

	cfg = cfg.withDefaults()
	s, err := newSender(cfg, base)
	if err != nil {
		return nil, err
	}

	return &Client{sender: s, wire: cfg.Wire, now: cfg.Now}, nil
}

// Close closes idle connections. Requests in flight go on.
func (c *Client) Close() { c.sender.pool.CloseIdleConnections() }

// Today returns the start of the current day in UTC, whatever zone the machine is in.
func (c *Client) Today() time.Time { return c.now().UTC().Truncate(24 * time.Hour) }

// ReadOnly reports whether every write fails before anything is sent.
func (c *Client) ReadOnly() bool { return c.sender.readOnly }

// Concurrency returns the largest number of requests that the client sends at a time.
func (c *Client) Concurrency() int { return c.sender.pool.MaxIdleConnsPerHost }

// Notices returns messages for the user although nothing failed, such as a clock that
// is far off. Each is returned once.
func (c *Client) Notices() []string { return c.sender.auth.takeNotices() }
