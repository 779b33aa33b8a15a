// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"
	"fmt"

	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// LimitSegment is the length of the longest identifier that is sent, in bytes. The interface gives no
// limit (section 8); common servers accept addresses with this one.
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

// String returns the scope as attributes and their values, for messages.
func (s Scope) String() string {
	if s.Account() {
		return fmt.Sprintf("account_id = %q", s.AccountID)
	}
	return fmt.Sprintf("org_id = %q, project_id = %q", s.OrgID, s.ProjectID)
}

// Validate returns an error for half a pair, both families at once, and identifiers that
// are not one path segment. Errors name the setting, not its value.
func (s Scope) Validate() error {
	if s == (Scope{}) {
		return errors.New("no scope: set org_id and project_id, or account_id for the older path family")
	}
	hasAccount := s.AccountID != ""
	if hasAccount && s.OrgID+s.ProjectID != "" {
		return errors.New("account_id excludes org_id and project_id: they belong to different path families")
	}
	if !hasAccount && s.OrgID == "" {
		return errors.New("project_id needs org_id beside it")
	}
	if !hasAccount && s.ProjectID == "" {
		return errors.New("org_id needs project_id beside it")
	}

	for _, id := range []struct{ name, value string }{{"account_id", s.AccountID}, {"org_id", s.OrgID}, {"project_id", s.ProjectID}} {
		if id.value == "" {
			continue
		}
		if err := ValidateSegment(id.value); err != nil {
			return fmt.Errorf("%s %w", id.name, err)
		}
	}

	return nil
}

// Person is an end user of a scope (section 2, identityId). It is comparable: two are equal if
// they are about the same record of the service.
type Person struct {
	Scope    Scope
	Identity string
}

// ValidateSegment returns an error for an identifier that cannot be exactly one path segment, that
// ValidateVisible refuses, or that is not in NFC (ErrNotNFC). It is asked at plan and again here. The
// error never holds the value.
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

	if err := transport.ValidateVisible(s); err != nil {
		return err
	}
	if !norm.NFC.IsNormalString(s) {
		return fmt.Errorf("%w, at byte %d", ErrNotNFC, norm.NFC.QuickSpanString(s))
	}

	return nil
}

// ErrNotNFC is why ValidateSegment refuses a value that Terraform would change into another
// one: a letter and a combining accent become one character.
var ErrNotNFC = errors.New("is not in the Unicode form NFC, the only one that Terraform keeps")

// endpoint returns where an operation is in the path family of the scope (section 4). more are the
// values of the names in the operation's own path. The error is an *Error of ClassInvalid.
func (s Scope) endpoint(op transport.Operation, more ...string) (transport.Endpoint, error) {
	if err := s.Validate(); err != nil {
		return transport.Endpoint{}, transport.Invalid(op, err)
	}

	if s.Account() {
		return transport.Expand("/v1/account/{accountId}"+op.Path, append([]string{s.AccountID}, more...)...), nil
	}

	return transport.Expand("/v1/org/{orgId}/project/{projectId}"+op.Path, append([]string{s.OrgID, s.ProjectID}, more...)...), nil
}

// endpoint returns where an operation about the person is (section 4). It is the one place where
// a person becomes the path of a request, and refuses an identity that is not one path segment.
// The error is an *Error of ClassInvalid.
func (p Person) endpoint(op transport.Operation) (transport.Endpoint, error) {
	if err := ValidateSegment(p.Identity); err != nil {
		return transport.Endpoint{}, transport.Invalid(op, fmt.Errorf("identity_id %w", err))
	}

	return p.Scope.endpoint(op, p.Identity)
}
