// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	_, err := Person{Scope: s}.endpoint("")
	return err
}

// Person is an end user of a scope (section 2, identityId). It is comparable: two are equal if
// they are about the same record of the service.
type Person struct {
	Scope    Scope
	Identity string
}

// ValidateSegment returns an error for an identifier that cannot be exactly one path segment, or that looks
// like another one: with blanks around it, with characters that are invisible or change how the rest is shown,
// or not in NFC (ErrNotNFC). It is asked at plan and again here. The error completes a sentence about the
// identifier. It names a character and its place, counted in bytes from 0, and never the rest.
func ValidateSegment(s string) error {
	inside := strings.ReplaceAll(s, " ", "_") // where a plain space may stand
	at := strings.IndexFunc(inside, func(r rune) bool { return unicode.In(r, invisible...) })
	switch {
	case slices.Contains([]string{"", ".", ".."}, s):
		return errors.New(`is empty, "." or "..", which would change the path of the request`)
	case len(s) > LimitSegment:
		return fmt.Errorf("is longer than %d bytes", LimitSegment)
	case at >= 0:
		r, _ := utf8.DecodeRuneInString(s[at:])
		return fmt.Errorf("contains a character that cannot be seen, %U at byte %d", r, at)
	case strings.TrimSpace(s) != s:
		return errors.New("begins or ends with a space")
	case !norm.NFC.IsNormalString(s):
		return fmt.Errorf("%w, at byte %d", ErrNotNFC, norm.NFC.QuickSpanString(s))
	}

	return nil
}

// invisible are the characters without a shape of their own: control characters, spaces other than the
// plain one, separators of lines, formatting such as direction marks, soft hyphens and joiners, fillers,
// selectors of a variation, the blank of Braille, and what stands for bytes that are not UTF-8.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Z, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: utf8.RuneError, Hi: utf8.RuneError, Stride: 1}}},
}

// ErrNotNFC is why ValidateSegment refuses a value that Terraform would change into another
// one: a letter and a combining accent become one character.
var ErrNotNFC = errors.New("is not in the Unicode form NFC, the only one that Terraform keeps")

// ValidateSecret returns what is wrong with the value of the credential called name, without repeating it; nil
// where nothing is. A password may have any character but a control character; the others follow the rule of
// identifiers.
func ValidateSecret(name, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return errors.New("is missing or blank")
	case strings.ContainsFunc(value, unicode.IsControl):
		return errors.New("contains a control character, such as a line break at its end")
	case name == "token" && strings.Contains(value, " "):
		return errors.New(`contains a space; give the JWT alone, without "bearer" in front`)
	case name == "password":
		return nil
	}

	return ValidateSegment(value)
}

// endpoint returns where an operation with this path is in the path family of the person's scope (section 4).
// It is the one place where a person becomes the path of a request. Each identifier is one segment. Every byte
// outside the unreserved ones of RFC 3986 is percent-encoded, so that proxies and servers have nothing left to
// interpret. An operation about the whole scope needs no identity. Errors name the setting.
func (p Person) endpoint(path string) (to transport.Endpoint, _ error) {
	org, project, account := p.Scope.OrgID, p.Scope.ProjectID, p.Scope.AccountID
	hasOrg, hasAccount := org != "", account != ""
	if hasOrg != (project != "") || hasOrg == hasAccount {
		return to, errors.New("the scope is either org_id and project_id, or account_id alone, of the older path family")
	}
	to.Template = "/v1/org/{orgId}/project/{projectId}" + path
	if hasAccount {
		to.Template = "/v1/account/{accountId}" + path
	}

	ids := map[string]struct{ setting, id string }{
		"orgId": {"org_id", org}, "projectId": {"project_id", project}, "accountId": {"account_id", account}, "identityId": {"identity_id", p.Identity},
	}
	to.Escaped = to.Template
	for strings.Contains(to.Escaped, "{") {
		before, rest, _ := strings.Cut(to.Escaped, "{")
		name, after, _ := strings.Cut(rest, "}")
		if err := ValidateSegment(ids[name].id); err != nil {
			return to, fmt.Errorf("%s %w", ids[name].setting, err)
		}
		to.Escaped = before + strings.ReplaceAll(url.QueryEscape(ids[name].id), "+", "%20") + after
	}

	return to, nil
}

// about returns the exchange of an operation that was not sent.
func about(op transport.Operation) transport.Exchange {
	return transport.Exchange{Op: op, To: transport.Endpoint{Template: "…" + op.Path}}
}
