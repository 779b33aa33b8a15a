package client

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// LimitSegment is the length of the longest identifier that is sent, in bytes. The
// interface gives no limit (section 8); this one keeps the address of a request below what
// common servers accept.
const LimitSegment = 8192

// Scope is the part of the service that a request is about: an organization and a project,
// or an account of the older path family (section 2, identifiers; section 9).
type Scope struct {
	OrgID, ProjectID string
	AccountID        string
}

// IsZero reports whether no scope is given.
func (s Scope) IsZero() bool { return s == Scope{} }

// Account reports whether the older account path family is used.
func (s Scope) Account() bool { return s.AccountID != "" }

// Validate returns an error for half a pair, both families at once, and identifiers that
// are not one path segment. Errors name the setting, not its value.
func (s Scope) Validate() error {
	if s.IsZero() {
		return errors.New("no scope: set org_id and project_id, or account_id for the older path family")
	}
	if s.Account() {
		return s.validateAccount()
	}

	if s.OrgID == "" {
		return errors.New("project_id needs org_id beside it")
	}
	if s.ProjectID == "" {
		return errors.New("org_id needs project_id beside it")
	}

	return errors.Join(named("org_id", ValidateSegment(s.OrgID)), named("project_id", ValidateSegment(s.ProjectID)))
}

func (s Scope) validateAccount() error {
	if s.OrgID != "" || s.ProjectID != "" {
		return errors.New("account_id excludes org_id and project_id: they belong to different path families")
	}
	return named("account_id", ValidateSegment(s.AccountID))
}

// named returns err with the name of a setting in front; nil where err is nil.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", name, err)
}

// ValidateSegment returns an error for what cannot be exactly one path segment, and what
// ValidateVisible refuses: empty values, "." and "..", blanks around, invisible characters
// anywhere, invalid UTF-8, and more than LimitSegment bytes. It also refuses what is not in
// NFC, with an error that is ErrNotNFC. It is the rule for every
// identifier, at plan and again here. The error never holds the value.
func ValidateSegment(s string) error {
	if s == "" {
		return errors.New("is empty")
	}
	if s == "." || s == ".." {
		return errors.New(`is "." or "..", which would change the path of the request`)
	}
	if len(s) > LimitSegment {
		return fmt.Errorf("is longer than %d bytes", LimitSegment)
	}

	if err := ValidateVisible(s); err != nil {
		return err
	}
	if at := firstUncomposed(s); at >= 0 {
		return fmt.Errorf("%w, at byte %d", ErrNotNFC, at)
	}

	return nil
}

// ErrNotNFC is why ValidateSegment refuses a value that Terraform would change into another
// one: a letter and a combining accent become one character.
var ErrNotNFC = errors.New("is not in the Unicode form NFC, the only one that Terraform keeps")

// firstUncomposed returns the first byte in which a text differs from its NFC; -1 if it is
// in NFC.
func firstUncomposed(s string) int {
	if norm.NFC.IsNormalString(s) {
		return -1
	}

	composed := norm.NFC.String(s)
	for i := range s {
		if i >= len(composed) || s[i] != composed[i] {
			return i
		}
	}

	return len(s)
}

// operation describes an endpoint of section 4 for all calls of it.
type operation struct {
	name   string // for messages and logs
	method string
	// path is the template of the path behind that of the scope; empty for an operation
	// outside of the path families.
	path string
	// effect: the service changes something. read_only refuses the operation, and a lost
	// answer leaves open whether it was carried out.
	effect bool
	// queues: each request that arrives is another one in the service's queue. Messages
	// warn of repeating it.
	queues bool
	// streams: the answer may be larger than memory and is read while it comes.
	// request_timeout bounds each of its silences and not the whole.
	streams bool
	// lingers: where the run is interrupted, an attempt that was sent goes on for
	// InterruptGrace, because its outcome could not be found out otherwise.
	lingers bool
	// fresh: what the service shows decides about requests, so that no cache must answer.
	fresh bool
}

// endpoint is the path of a request below the base address.
type endpoint struct {
	template string // for messages and logs, such as /v1/org/{orgId}/…
	escaped  string // as it is sent
	decoded  string
}

// expand returns the endpoint of a template with values in place of its {names}, in their
// order.
func expand(template string, values ...string) endpoint {
	var escaped, decoded strings.Builder
	rest := template
	for _, v := range values {
		before, after, _ := strings.Cut(rest, "{")
		_, after, _ = strings.Cut(after, "}")
		escaped.WriteString(before + EscapeSegment(v))
		decoded.WriteString(before + v)
		rest = after
	}

	return endpoint{template: template, escaped: escaped.String() + rest, decoded: decoded.String() + rest}
}

// EscapeSegment percent-encodes every byte that is not unreserved in RFC 3986, so that
// proxies and servers have nothing left to interpret.
func EscapeSegment(s string) string {
	const hex = "0123456789ABCDEF"

	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		if c := s[i]; isUnreserved(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}

	return b.String()
}

// isUnreserved reports whether RFC 3986 calls the character unreserved.
func isUnreserved(c byte) bool {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	return strings.IndexByte(unreserved, c) >= 0
}

// under returns the address of the endpoint below base. It cleans nothing.
func (e endpoint) under(base *url.URL) *url.URL {
	u := *base
	u.Path = base.Path + e.decoded
	u.RawPath = base.EscapedPath() + e.escaped
	return &u
}

// family returns the template of the path of the scope, and the values of its {names}.
func (s Scope) family() (template string, values []string) {
	if s.Account() {
		return "/v1/account/{accountId}", []string{s.AccountID}
	}
	return "/v1/org/{orgId}/project/{projectId}", []string{s.OrgID, s.ProjectID}
}

// endpoint returns where an operation is in the path family of the scope (section 4).
// The error is an *Error of ClassInvalid.
func (s Scope) endpoint(op operation) (endpoint, error) {
	if err := s.Validate(); err != nil {
		return endpoint{}, invalid(op, err)
	}

	family, values := s.family()
	return expand(family+op.path, values...), nil
}

// ofPerson returns where an operation about a person is in the path family of the scope
// (section 4). The error is an *Error of ClassInvalid.
func (s Scope) ofPerson(identity string, op operation) (endpoint, error) {
	if err := s.Validate(); err != nil {
		return endpoint{}, invalid(op, err)
	}
	if err := named("identity_id", ValidateSegment(identity)); err != nil {
		return endpoint{}, invalid(op, err)
	}

	family, values := s.family()

	return expand(family+op.path, append(values, identity)...), nil
}
