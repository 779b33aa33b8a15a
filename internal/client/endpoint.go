// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
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
// like another one. It is asked at plan and again here. The error completes a sentence about the identifier. It
// names a character and its place, counted in bytes from 0, and never the rest.
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

// invisible are the characters without a shape of their own, down to the blank of Braille, and what stands for bytes
// that are not UTF-8.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Z, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: utf8.RuneError, Hi: utf8.RuneError, Stride: 1}}},
}

// ErrNotNFC is why ValidateSegment refuses a value that Terraform would change into another
// one: a letter and a combining accent become one character.
var ErrNotNFC = errors.New("is not in the Unicode form NFC, the only one that Terraform keeps")

// ValidateSecret returns an error for a value that the credential called name cannot have, without repeating it. A
// password may have any character but a control character; the others follow the rule of identifiers.
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

// endpoint returns where an operation with this path is in the path family of the person's scope (section 4). Each
// identifier is one segment. Every byte outside the unreserved ones of RFC 3986 is percent-encoded, so that proxies and
// servers have nothing left to interpret. Errors name the setting.
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

// limitPages is how many pages are read at most of one answer.
const limitPages = 1000

// nextFields say that the answer is a part, or that there is another page, beside Link. totalFields say how
// many records there are. Other header fields do not count.
var (
	nextFields  = []string{"Content-Range", "X-Next-Page", "X-Next", "X-Next-Cursor", "X-Next-Page-Token", "X-Continuation-Token"}
	totalFields = []string{"X-Total-Count", "X-Total", "X-Total-Records", "Total-Count"}
)

// pages follows the pages of an answer (section 8), which have one address and differ by their queries.
// Its errors are clauses that show nothing of an address.
type pages struct {
	base  string     // of addresses
	own   url.Values // parameters of each page, which a link must not change
	query string     // of the page to ask for
	seen  []string   // the queries of those before

	records, total int64
}

// follow notes a page that was read whole, and turns to the next one, if there is one. next and total are what the
// settings for them point to. It is an error if there are fewer records than an answer has counted.
func (p *pages) follow(read transport.Answer, next, total jsontext.Value, records int64) (more bool, err error) {
	p.records += records
	for _, name := range totalFields {
		n, _ := strconv.ParseInt(read.Header.Get(name), 10, 64) // zero where it is not a number
		p.total = max(p.total, n)
	}
	if !jsonvalue.IsZero(total) {
		n, err := strconv.ParseInt(textOf(total), 10, 64)
		if err != nil {
			return false, errors.New("the total of the records is not a whole number")
		}
		p.total = max(p.total, n)
	}

	links, err := nextLinks(read.Header, next)
	switch {
	case len(links) > 0:
		err = p.turn(read.To, links)
		return err == nil, err
	case p.records < p.total:
		err = fmt.Errorf("the answer counts %d records, and there are %d", p.total, p.records)
	}

	return false, err
}

// oneLink is a link of a Link header (RFC 8288, section 3) with its parameters, of which a value may be
// quoted or missing, and a whole one may be missing.
var oneLink = regexp.MustCompile(`<([^>]*)>((?:\s*;\s*(?:[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?)?)*)`)

// relNext are parameters with the relation next among others.
var relNext = regexp.MustCompile(`(?i);\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))`)

// nextLinks returns the addresses of the next page, as an answer spells them, which are not safe to print; none after
// the last one. It is an error if a header cannot be read and may name one, or if the answer is a part.
func nextLinks(h http.Header, next jsontext.Value) (links []string, _ error) {
	field := strings.Join(h.Values("Link"), ", ")
	if others := oneLink.ReplaceAllString(field, ""); strings.Contains(strings.ToLower(others), "next") {
		return nil, errors.New("a Link header cannot be read, so that it may name a next page")
	}
	for _, found := range oneLink.FindAllStringSubmatch(field, -1) {
		if relNext.MatchString(found[2]) {
			links = append(links, found[1])
		}
	}
	if !jsonvalue.IsZero(next) {
		links = append(links, textOf(next))
	}

	for _, name := range nextFields {
		isNext := strings.Trim(h.Get(name), " 0") != ""
		if isNext && len(links) == 0 {
			return nil, errors.New("the header " + name + " says that there is more, and nothing leads to it")
		}
	}

	return links, nil
}

// textOf returns the text that a value is, and another value as it is spelled.
func textOf(v jsontext.Value) string { return cmp.Or(jsonvalue.Text(v), string(v)) }

// turn sets the query to that of the next page, to which all links lead; an answer may have several.
func (p *pages) turn(of transport.Endpoint, links []string) error {
	var queries []string
	for _, link := range links {
		query, err := p.queryOf(of, link)
		if err != nil {
			return err
		}
		queries = append(queries, query)
	}

	p.seen = append(p.seen, p.query)
	p.query = queries[0]
	switch {
	case len(slices.Compact(queries)) > 1:
		return errors.New("the answer leads to more than one next page")
	case slices.Contains(p.seen, p.query):
		return errors.New("the pages lead back to one that was read")
	case len(p.seen) == limitPages:
		return fmt.Errorf("there are more than %d pages", limitPages)
	}

	return nil
}

// queryOf returns the query of the page that a link leads to. It has our own parameters, which the link
// may repeat, and no key: the chain adds ours.
func (p *pages) queryOf(of transport.Endpoint, link string) (string, error) {
	own, _ := url.Parse(p.base + of.Escaped) // it was asked
	to, err := own.Parse(link)
	if err != nil {
		return "", errors.New("what leads to the next page is not an address")
	}
	page := url.URL{Scheme: to.Scheme, User: to.User, Host: strings.ToLower(to.Host), Path: to.Path}
	if page != (url.URL{Scheme: own.Scheme, Host: own.Host, Path: own.Path}) {
		return "", errors.New("the next page is at another address than this one, by its origin or its path")
	}
	query, err := url.ParseQuery(to.RawQuery)
	if err != nil {
		return "", errors.New("the query of the next page cannot be read")
	}

	maps.DeleteFunc(query, func(name string, _ []string) bool { return strings.EqualFold(name, transport.KeyParameter) })
	for name := range p.own {
		repeated := strings.Join(query[name], " ")
		if !slices.Contains([]string{"", p.own.Get(name)}, repeated) {
			return "", errors.New("the next page has another " + name)
		}
	}
	maps.Copy(query, p.own)

	return query.Encode(), nil
}
