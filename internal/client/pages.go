// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// LimitPages is how many pages are read at most of one answer.
const LimitPages = 1000

// Header fields that say that there is a page after this one, other than Link, and how many records
// there are. Others are not looked at.
var (
	nextFields  = []string{"X-Next-Page", "X-Next", "X-Next-Cursor", "X-Next-Page-Token", "X-Continuation-Token"}
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

// page is an answer, and what its content says of its page and of the others.
type page struct {
	transport.Answer

	next, total jsontext.Value // what the settings for them point to; nil if there is nothing
	records     int64
}

// follow notes a page that was read whole, and reports whether there is another one, which is the one
// to ask for then. After the last page, it is an error if there are fewer records than an answer has
// counted.
func (p *pages) follow(read page) (more bool, _ error) {
	total, err := totalOf(read)
	if err != nil {
		return false, err
	}
	targets, err := nextTargets(read)
	if err != nil {
		return false, err
	}

	p.records, p.total = p.records+read.records, max(p.total, total)
	if len(targets) == 0 {
		if p.records < p.total {
			err = fmt.Errorf("the answer counts %d records, and there are %d", p.total, p.records)
		}
		return false, err
	}

	p.seen = append(p.seen, p.query)
	if p.query, err = p.nextQuery(read.To, targets); err != nil {
		return false, err
	}
	if slices.Contains(p.seen, p.query) {
		return false, errors.New("the pages lead back to one that was read")
	}
	if len(p.seen) == LimitPages {
		return false, fmt.Errorf("there are more than %d pages", LimitPages)
	}

	return true, nil
}

// totalOf returns how many records there are in all, as the header or the body of a page says; 0 if
// neither does.
func totalOf(read page) (total int64, err error) {
	if text := cmp.Or(jsonvalue.Text(read.total), string(read.total)); text != "" && text != "null" {
		if total, err = strconv.ParseInt(text, 10, 64); err != nil {
			return 0, errors.New("the total of the records is not a whole number")
		}
	}
	for _, name := range totalFields {
		if n, err := strconv.ParseInt(read.Header.Get(name), 10, 64); err == nil {
			total = max(total, n)
		}
	}

	return total, nil
}

// nextTargets returns the addresses of the next page, as an answer spells them; none after the last
// one.
func nextTargets(read page) ([]string, error) {
	targets, err := transport.NextLinks(read.Header)
	if err != nil {
		return nil, err
	}

	switch v := read.next; v.Kind() {
	case '"':
		targets = append(targets, strings.Fields(jsonvalue.Text(v))...) // of which an empty text has none
	case jsontext.KindInvalid, 'n', 'f':
	default:
		return nil, errors.New("what leads to the next page is " + jsonvalue.KindName(v.Kind()) + " and not an address")
	}
	if len(targets) > 0 {
		return targets, nil
	}

	for _, name := range nextFields {
		if value := read.Header.Get(name); strings.Trim(value, " 0") != "" {
			return nil, errors.New("the header " + name + " says that there is a next page, and nothing leads to it")
		}
	}

	return nil, nil
}

// nextQuery returns the query of the page to which all links lead: an answer may name it more than once.
func (p *pages) nextQuery(of transport.Endpoint, targets []string) (query string, err error) {
	for i, target := range targets {
		before := query
		if query, err = p.queryOf(of, target); err != nil {
			return "", err
		}
		if i > 0 && query != before {
			return "", errors.New("the answer leads to more than one next page")
		}
	}

	return query, nil
}

// queryOf returns the query of the page that a link leads to. It has our own parameters, which the link
// may repeat, and no key: the chain adds ours.
func (p *pages) queryOf(of transport.Endpoint, target string) (string, error) {
	own, _ := url.Parse(p.base + of.Escaped) // it was asked
	to, err := own.Parse(target)
	if err != nil {
		return "", errors.New("what leads to the next page is not an address")
	}
	if originOf(to) != originOf(own) {
		return "", errors.New("the next page is at another origin than base_url")
	}
	query, err := url.ParseQuery(to.RawQuery)
	if err != nil {
		return "", errors.New("the query of the next page cannot be read")
	}
	if to.Path != own.Path {
		return "", errors.New("the next page is at another path")
	}

	maps.DeleteFunc(query, func(name string, _ []string) bool { return strings.EqualFold(name, transport.KeyParameter) })
	for name, value := range p.own {
		if had, has := query[name]; has && !slices.Equal(had, value) {
			return "", errors.New("the next page has another " + name)
		}
	}
	maps.Copy(query, p.own)

	return query.Encode(), nil
}

// originOf returns scheme, host and port of an address; nothing of one with a user, which ours never has.
func originOf(u *url.URL) string {
	if u.User != nil {
		return ""
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
