// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// roles are what the leaves of an envelope say of the content, and what their names are like. The first that fits counts.
var roles = []meaning{
	{"failure", "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode"}, // success by some codes
	{"pages", "pages totalpages lastpage pagecount numpages"},                                         // how many there are
	{"more", "hasmore hasnext hasnextpage istruncated truncated more incomplete partial"},             // whether there is a next page
	{"last", "last final islast complete done"},                                                       // whether there is none
	{"harmless", "previous prev first self empty"},
	{"flag", "success ok status result"},                               // whether all is well, or something else that counts
	{"job", "jobid taskid percent progress"},                           // that it is being made
	{"next", "marker *next* *cursor* *after* *continuation* *scroll*"}, // where the next page is
	{"total", "numfound *total* *count*"},                              // how many elements there are on all pages
}

// rolesByValue are the roles of leaves that say more by their value: success, and part, that there is another page.
var rolesByValue = map[string]string{
	"failure yes": "success", "failure null": "flag", "failure ": "flag",
	"flag other": "job", "more yes": "part", "more other": "part", "pages other": "part", "last false": "part",
}

// yes matches words and codes of success. Their signs and digits count: -1 and 0001 are others.
var yes = regexp.MustCompile(`^(?i:0+|1|20\d0*|true|ok|success|succeeded|done|completed?)$`)

// role returns the role of a leaf: one of roles or of rolesByValue, or empty.
func (p place) role() string {
	name, value := p.name, p.text
	if isLike(name, "href url") {
		name = p.around
	}

	switch {
	case yes.MatchString(value):
		value = "yes"
	case p.isFilled() && value != "false":
		value = "other"
	}

	role := meaningOf(name, roles)

	return cmp.Or(rolesByValue[role+" "+value], role)
}

// leavesAround returns the leaves of an answer outside of its content.
func leavesAround(v jsontext.Value, content ...jsontext.Pointer) (leaves []place) {
	for _, p := range places(v)[1:] {
		isWrapper := p.value.Kind() == '{' && !jsonvalue.IsZero(p.value)
		isContent := slices.ContainsFunc(content, func(at jsontext.Pointer) bool { return at.Contains(p.at) })
		if !isWrapper && !isContent {
			leaves = append(leaves, p)
		}
	}
	return leaves
}

// envelope adds settings for the leaves around the content of an answer: the next page, the total, and
// what is ignored. group is the pointer to the settings of the endpoint, and count is how many elements
// the content has. It reports false if the leaves say that the service has failed or is not done, or that these are not
// all elements and nothing leads to the others.
func (s Settings) envelope(group jsontext.Pointer, v jsontext.Value, count int, content ...jsontext.Pointer) (isWhole bool) {
	leaves, said := leavesAround(v, content...), map[string]place{}
	for _, leaf := range leaves {
		role := leaf.role()
		if jsonvalue.IsZero(said[role].value) { // the first that says something
			said[role] = leaf
		}
	}

	next := said["next"]
	total, most := totalOf(leaves, count)
	isLost := said["part"].at != "" || most > count
	if !jsonvalue.IsZero(next.value) {
		isLost = next.value.Kind() == '0' // which is no address
	}
	if isLost || said["failure"].at+said["job"].at != "" {
		return false
	}

	for _, leaf := range leaves {
		s.ignore(leaf, next.at, total.at)
	}
	delete(s, ignored(next.at))
	delete(s, ignored(total.at))
	s.set(group+"/next", next.at)
	s.set(group+"/total", total.at)

	return true
}

// totalOf returns the leaf that states the largest number of elements, of at least count, and the number; count if there
// is none.
func totalOf(leaves []place, count int) (total place, most int) {
	most = count
	for _, leaf := range leaves {
		number, err := strconv.Atoi(leaf.text)
		if leaf.role() == "total" && err == nil && number >= most {
			total, most = leaf, number
		}
	}
	return total, most
}

// ignored returns the setting by which a leaf is ignored.
func ignored(at jsontext.Pointer) jsontext.Pointer {
	return jsontext.Pointer("/ignored").AppendToken(string(at))
}

// ignore adds that a leaf of an envelope is ignored, other than a list with something in it. It may have any value if its
// role says nothing of the content that the next page and a total do not say. Otherwise it may have only the value seen,
// so that another one is noticed. A code of success is the result and not ignored.
func (s Settings) ignore(leaf place, next, total jsontext.Pointer) {
	isKnown := next != "" && total != "" // the last page says the opposite of the others
	hasText := leaf.isFilled() || isLinks(leaf.value)
	isList := len(jsonvalue.Elements(leaf.value)) > 0

	isFree := map[string]bool{
		"": hasText, "total": hasText, "harmless": !isList, "pages": next+total != "",
		"more": isKnown, "last": isKnown, "part": isKnown,
	}
	role := leaf.role()
	switch {
	case role == "success":
		s.set("/result/at", leaf.at)
		s.add("/result/success", leaf.text)
	case isFree[role]:
		s[ignored(leaf.at)] = decode.AnyValue
	case !isList:
		s[ignored(leaf.at)] = leaf.text
	}
}

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func isLinks(v jsontext.Value) bool {
	first := jsonvalue.At(v, "/0")
	return jsonvalue.At(first, "/url") != nil && jsonvalue.At(first, "/label") != nil
}
