// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
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
	address *url.URL   // without a query
	own     url.Values // parameters of each page, which a link must not change
	seen    []string   // the queries of the pages that were asked for

	records, total int64
}

// pagesOf returns the pages of an endpoint, the first of which is asked for with these parameters.
func (c *Client) pagesOf(to transport.Endpoint, own url.Values) *pages {
	return &pages{address: to.Under(c.config.Base), own: own, seen: []string{own.Encode()}}
}

// query returns that of the page to ask for.
func (p *pages) query() string { return p.seen[len(p.seen)-1] }

// page is what an answer says of its page and of the others.
type page struct {
	header  http.Header
	next    jsontext.Value // what the setting for it points to; nil if there is nothing
	total   jsontext.Value // likewise
	records int64
}

// follow notes a page that was read whole, and reports whether there is another one, which query
// then asks for. After the last page, it is an error if there are fewer records than an answer has
// counted.
func (p *pages) follow(read page) (more bool, _ error) {
	p.records += read.records
	total, err := totalOf(read)
	if err != nil {
		return false, err
	}
	p.total = max(p.total, total)

	targets, err := nextTargets(read)
	if err != nil {
		return false, err
	}
	if len(targets) == 0 && p.records < p.total {
		return false, fmt.Errorf("the answer counts %d records, and there are %d", p.total, p.records)
	}
	if len(targets) == 0 {
		return false, nil
	}

	query := ""
	for i, target := range targets { // an answer may name it more than once
		other, err := p.queryOf(target)
		if err != nil {
			return false, err
		}
		if i > 0 && other != query {
			return false, errors.New("the answer leads to more than one next page")
		}
		query = other
	}

	if slices.Contains(p.seen, query) {
		return false, errors.New("the pages lead back to one that was read")
	}
	if len(p.seen) == LimitPages {
		return false, fmt.Errorf("there are more than %d pages", LimitPages)
	}
	p.seen = append(p.seen, query)

	return true, nil
}

// totalOf returns how many records there are in all, as the header or the body of a page says; 0 if
// neither does.
func totalOf(read page) (total int64, err error) {
	for _, name := range totalFields {
		if n, err := strconv.ParseInt(read.header.Get(name), 10, 64); err == nil {
			total = max(total, n)
		}
	}
	if len(read.total) == 0 || read.total.Kind() == 'n' {
		return total, nil
	}

	n, err := strconv.ParseInt(cmp.Or(jsonvalue.Text(read.total), string(read.total)), 10, 64)
	if err != nil {
		return 0, errors.New("the total of the records is not a whole number")
	}

	return max(total, n), nil
}

// nextTargets returns the addresses of the next page, as an answer spells them; none after the last
// one.
func nextTargets(read page) ([]string, error) {
	targets, err := transport.NextLinks(read.header)
	if err != nil {
		return nil, err
	}

	switch v := read.next; v.Kind() {
	case '"':
		if text := strings.TrimSpace(jsonvalue.Text(v)); text != "" {
			targets = append(targets, text)
		}
	case jsontext.KindInvalid, 'n', 'f':
	default:
		return nil, errors.New("what leads to the next page is " + jsonvalue.KindName(v.Kind()) + " and not an address")
	}

	for _, name := range nextFields {
		value := strings.TrimSpace(read.header.Get(name))
		if len(targets) == 0 && value != "" && value != "0" {
			return nil, errors.New("the header " + name + " says that there is a next page, and nothing leads to it")
		}
	}

	return targets, nil
}

// queryOf returns the query of a page at an address. It has our own parameters, which the address
// may repeat, and no key: the chain adds ours.
func (p *pages) queryOf(address string) (string, error) {
	to, err := p.address.Parse(address)
	if err != nil {
		return "", errors.New("what leads to the next page is not an address")
	}
	if to.User != nil || originOf(to) != originOf(p.address) {
		return "", errors.New("the next page is at another origin than base_url")
	}
	if !slices.Equal(segments(to), segments(p.address)) {
		return "", errors.New("the next page is at another path")
	}

	query, err := url.ParseQuery(to.RawQuery)
	if err != nil {
		return "", errors.New("the query of the next page cannot be read")
	}
	for name := range query {
		if strings.EqualFold(name, transport.KeyParameter) {
			query.Del(name)
		}
	}
	for name, value := range p.own {
		if had, has := query[name]; has && !slices.Equal(had, value) {
			return "", errors.New("the next page has another " + name)
		}
		query[name] = value
	}

	return query.Encode(), nil
}

// originOf returns scheme, host and port of an address.
func originOf(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// segments returns the parts of a path between slashes, each decoded on its own.
func segments(u *url.URL) []string {
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		parts[i], _ = url.PathUnescape(part) // it was parsed
	}
	return parts
}
