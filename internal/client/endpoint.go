// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// LimitSegment is the length of the longest identifier that is sent, in bytes. The interface gives no
// limit (section 8); common servers accept addresses with this one.
const LimitSegment = 8192

// Scope is the part of the service that a request is about: an organization and a project,
// or an account of the older path family (section 2, identifiers; section 9).
type Scope struct {
	OrgID     string `json:"org_id"`
	ProjectID string `json:"project_id"`
	AccountID string `json:"account_id"`
}

// String returns the scope as attributes and their values, for messages.
func (s Scope) String() string {
	if s.AccountID != "" {
		return fmt.Sprintf("account_id = %q", s.AccountID)
	}
	return fmt.Sprintf("org_id = %q, project_id = %q", s.OrgID, s.ProjectID)
}

// Validate returns an error for what is not exactly one path family, and for identifiers that are not one
// path segment. Errors name the setting, not its value.
func (s Scope) Validate() error {
	hasOrg, hasProject, hasAccount := s.OrgID != "", s.ProjectID != "", s.AccountID != ""
	if hasOrg != hasProject || hasOrg == hasAccount {
		return errors.New("it is either org_id and project_id, or account_id alone, of the older path family")
	}

	for _, id := range []struct{ name, value string }{{"account_id", s.AccountID}, {"org_id", s.OrgID}, {"project_id", s.ProjectID}} {
		if err := ValidateSegment(id.value); id.value != "" && err != nil {
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
	err := transport.ValidateVisible(s)
	switch {
	case s == "":
		return errors.New("is empty")
	case s == ".", s == "..":
		return errors.New(`is "." or "..", which would change the path of the request`)
	case len(s) > LimitSegment:
		return fmt.Errorf("is longer than %d bytes", LimitSegment)
	case err == nil && !norm.NFC.IsNormalString(s):
		return fmt.Errorf("%w, at byte %d", ErrNotNFC, norm.NFC.QuickSpanString(s))
	}

	return err
}

// ErrNotNFC is why ValidateSegment refuses a value that Terraform would change into another
// one: a letter and a combining accent become one character.
var ErrNotNFC = errors.New("is not in the Unicode form NFC, the only one that Terraform keeps")

// endpoint returns where an operation is in the path family of the person's scope (section 4). It is the
// one place where a person becomes the path of a request, and refuses what is not one path segment. An
// operation about the whole scope needs no identity. The error is an *Error of ClassInvalid.
func (p Person) endpoint(op transport.Operation) (transport.Endpoint, error) {
	template, ids := "/v1/org/{orgId}/project/{projectId}", []string{p.Scope.OrgID, p.Scope.ProjectID}
	if p.Scope.AccountID != "" {
		template, ids = "/v1/account/{accountId}", []string{p.Scope.AccountID}
	}
	if strings.Contains(op.Path, "{identityId}") {
		ids = append(ids, p.Identity)
	}

	for _, id := range ids {
		if err := ValidateSegment(id); err != nil {
			return transport.Endpoint{}, transport.NewError(about(op), transport.ClassInvalid, "an identifier in the path "+err.Error())
		}
	}

	return transport.Expand(template+op.Path, ids...), nil
}

// about returns the exchange of an operation that was not sent.
func about(op transport.Operation) transport.Exchange {
	return transport.Exchange{Op: op, To: transport.Endpoint{Template: "…" + op.Path}}
}
