package client

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// LimitSegment is the longest identifier that is sent, in bytes. The interface
// gives no limit (section 8); this one keeps the address of a request below what
// common servers accept as a header.
const LimitSegment = 8192

// Scope is the part of the service that a request is about: an organization and project, or an
// account of the older path family (section 2, identifiers; section 9).
type Scope struct {
	OrgID, ProjectID string
	AccountID        string
}

// IsZero reports whether no scope is given.
func (s Scope) IsZero() bool { return s == Scope{} }

// Account reports whether the older account path family is used.
func (s Scope) Account() bool { return s.AccountID != "" }

// Validate refuses half a pair, both families at once, and identifiers that are
// not one path segment. Errors name the setting, not its value.
func (s Scope) Validate() error {
	switch {
	case s.IsZero():
		return errors.New("no scope: set org_id and project_id, or account_id for the older path family")
	case s.AccountID != "" && (s.OrgID != "" || s.ProjectID != ""):
		return errors.New("account_id excludes org_id and project_id: they belong to different path families")
	case s.AccountID != "":
		return named("account_id", ValidateSegment(s.AccountID))
	case s.OrgID == "":
		return errors.New("project_id needs org_id beside it")
	case s.ProjectID == "":
		return errors.New("org_id needs project_id beside it")
	}
	return errors.Join(named("org_id", ValidateSegment(s.OrgID)), named("project_id", ValidateSegment(s.ProjectID)))
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", name, err)
}

// ValidateSegment refuses what cannot be exactly one path segment and what ValidateVisible
// refuses: empty values, "." and "..", blanks around, invisible characters anywhere,
// invalid UTF-8, and more than LimitSegment bytes. It is the rule for every identifier, at
// plan and again here. The error never holds the value.
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

	return ValidateVisible(s)
}

// EscapeSegment percent-encodes every byte that is not unreserved in RFC 3986, so that
// proxies and servers have nothing left to interpret.
func EscapeSegment(s string) string {
	const hex = "0123456789ABCDEF"

	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// endpoint is where a request goes: the template is what people read, the path
// what is sent.
type endpoint struct {
	template string
	escaped  string
	decoded  string
}

// accountFamily is the prefix of the older path family.
const accountFamily = "/v1/account/{accountId}"

// family is the prefix of the scope's path family, as a template and its values.
func (s Scope) family() (template string, values []string) {
	if s.Account() {
		return accountFamily, []string{s.AccountID}
	}
	return "/v1/org/{orgId}/project/{projectId}", []string{s.OrgID, s.ProjectID}
}

// pending addresses the list of pending actions in either path family (section 4).
func (s Scope) pending() (endpoint, error) {
	if err := s.Validate(); err != nil {
		return endpoint{}, err
	}
	family, ids := s.family()
	return expand(family+"/compliance/pending-requests", ids...), nil
}

// errNoExport: the export exists in one of the two families only (section 4).
var errNoExport = errors.New("the export does not exist in the account path family; set org_id and project_id, here or in the provider block")

// export addresses the bulk export (section 4).
func (s Scope) export() (endpoint, error) {
	if err := s.Validate(); err != nil {
		return endpoint{}, err
	}
	if s.Account() {
		return endpoint{}, errNoExport
	}
	family, ids := s.family()
	return expand(family+"/export", ids...), nil
}

// ofPerson addresses a compliance operation of one person in either path family
// (section 4).
func (s Scope) ofPerson(identity string, op operation) (endpoint, error) {
	if err := s.Validate(); err != nil {
		return endpoint{}, err
	}
	if err := named("identity_id", ValidateSegment(identity)); err != nil {
		return endpoint{}, err
	}
	family, ids := s.family()
	return expand(family+"/compliance/user/{identityId}"+op.suffix, append(ids, identity)...), nil
}

// expand puts values in the place of the template's {names}, in order.
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

// under joins the endpoint to the base address without cleaning anything.
func (e endpoint) under(base *url.URL) *url.URL {
	u := *base
	u.Path = base.Path + e.decoded
	u.RawPath = base.EscapedPath() + e.escaped
	return &u
}
