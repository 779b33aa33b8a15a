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

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

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

// follow notes a page that was read whole, and turns to the next one. It reports whether there is one. next and total
// are what the settings for them point to. After the last page, it is an error if there are fewer records than an
// answer has counted.
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

// nextLinks returns the addresses of the next page, as an answer spells them in its Link headers and in what the
// settings point to; none after the last one. They are not safe to print. It is an error if a header cannot be read and
// may name one, or if the answer is a part.
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
