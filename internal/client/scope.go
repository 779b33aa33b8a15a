package client

import (
	"errors"
	"fmt"
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
// anywhere, invalid UTF-8, and more than LimitSegment bytes. It is the rule for every
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

	return ValidateVisible(s)
}
