// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// role is what a leaf of an envelope says of the content.
type role int

const (
	roleOther    role = iota
	roleSuccess       // by a code, that all is well
	roleFailure       // by another code, that it is not
	rolePages         // how many pages there are
	roleMore          // whether there is a next page
	roleLast          // whether there is none
	roleHarmless      // nothing
	roleFlag          // whether all is well, or something else that counts
	roleJob           // that it is being made
	roleNext          // where the next page is
	roleTotal         // how many elements there are on all pages
)

// roles are the patterns of the names of leaves in a role, and the kinds of their values. The first that fits
// counts.
var roles = []struct {
	role     role
	kinds    string // of jsontext.Kind
	patterns string
}{
	{roleFailure, `"0`, codes},
	{rolePages, `"0`, "last pages totalpages lastpage pagecount numpages"},
	{roleMore, `"ntf`, "hasmore hasnext hasnextpage istruncated truncated more incomplete partial"},
	{roleLast, `ntf`, "last final islast lastpage complete done"},
	{roleHarmless, `"0ntf`, "previous prev first self empty"},
	{roleFlag, `"0ntf`, "success ok status result"},
	{roleJob, `"0ntf`, "jobid taskid percent progress"},
	{roleNext, `"n`, "marker *next* *cursor* *after* *continuation*"},
	{roleTotal, `"0`, "numfound *total* *count*"},
}

// codes are the names of the codes of results.
const codes = "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode"

// successCode matches codes of success. Their signs and digits count: -1 and 0001 are others.
var successCode = regexp.MustCompile(`^(?i:0+|1|20\d0*|ok|success|succeeded)$`)

// role returns the role of a leaf. One with the name of a role, and a value of another kind, may say anything, as a flag
// does.
func (p place) role() role {
	name := p.name
	if isLike(name, "href url") {
		name = p.around
	}

	if isLike(name, codes) && successCode.MatchString(p.text) {
		return roleSuccess
	}
	found := roleOther
	for _, row := range roles {
		if !isLike(name, row.patterns) {
			continue
		}
		if strings.ContainsRune(row.kinds, rune(p.value.Kind())) {
			return row.role
		}
		found = roleFlag
	}

	return found
}

// saysMore reports whether a leaf says that there is another page.
func (p place) saysMore() bool {
	switch p.role() {
	case roleMore:
		return p.text == "true"
	case roleLast:
		return p.text == "false"
	}
	return false
}

// leavesAround returns the leaves of an answer outside of its content.
func leavesAround(v jsontext.Value, content ...jsontext.Pointer) (leaves []place) {
	for _, p := range places(v) {
		isWrapper := p.value.Kind() == '{' && !p.isEmpty()
		if !isWrapper && !p.isInside(content) {
			leaves = append(leaves, p)
		}
	}
	return leaves
}

// isInside reports whether a place is one of others, or inside one.
func (p place) isInside(others []jsontext.Pointer) bool {
	return slices.ContainsFunc(others, func(at jsontext.Pointer) bool { return at.Contains(p.at) })
}

// pagesOf returns where leaves lead to the next page, and where they say how many elements all pages have; each empty if
// they do not. It reports false if they say that the service has failed or is not done, or that these are not all
// elements and nothing leads to the others.
func pagesOf(leaves []place, count int) (next, total jsontext.Pointer, isWhole bool) {
	most := count
	var hal jsontext.Pointer // HAL omits next on the last page
	for _, leaf := range leaves {
		switch leaf.role() {
		case roleFailure, roleJob:
			return "", "", false
		case roleNext:
			next = leaf.at
		case roleTotal:
			if number, err := strconv.Atoi(leaf.text); err == nil && number >= most {
				total, most = leaf.at, number
			}
		}
		if links := leaf.at.Parent().Parent(); links.LastToken() == "_links" {
			hal = links + "/next/href"
		}
	}

	next = cmp.Or(next, hal)
	isPart := most > count || slices.ContainsFunc(leaves, place.saysMore)

	return next, total, next != "" || !isPart
}

// envelope adds settings for the leaves around the content of an answer: the next page, the total, and
// what is ignored. group is the pointer to the settings of the endpoint, and count is how many elements
// the content has. It reports false for what is not a whole answer.
func (s Settings) envelope(group jsontext.Pointer, v jsontext.Value, count int, content ...jsontext.Pointer) (isWhole bool) {
	leaves := leavesAround(v, content...)
	next, total, isWhole := pagesOf(leaves, count)
	if !isWhole {
		return false
	}

	s.set(group+"/next", next)
	s.set(group+"/total", total)
	for _, leaf := range leaves {
		if leaf.at != next && leaf.at != total {
			s.ignore(leaf, next, total)
		}
	}

	return true
}

// ignore adds that a leaf of an envelope is ignored. It may have any value if its role says nothing of the content that
// the next page and a total do not say. Otherwise it may have only the value seen, so that another one is noticed. A code
// of success is the result and not ignored.
func (s Settings) ignore(leaf place, next, total jsontext.Pointer) {
	if leaf.role() == roleSuccess {
		s.set("/result/at", leaf.at)
		s.add("/result/success", leaf.text)
		return
	}

	isKnown := next != "" && total != "" // the last page says the opposite of the others
	hasText := leaf.isFilled() || isLinks(leaf.value)
	isFree := map[role]bool{
		roleHarmless: true, roleOther: hasText, roleTotal: hasText,
		rolePages: next+total != "", roleMore: isKnown, roleLast: isKnown,
	}
	value := leaf.text
	if isFree[leaf.role()] {
		value = decode.AnyValue
	}
	s[jsontext.Pointer("/ignored").AppendToken(string(leaf.at))] = value
}

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func isLinks(v jsontext.Value) bool {
	first := jsonvalue.At(v, "/0")
	return jsonvalue.At(first, "/url") != nil && jsonvalue.At(first, "/label") != nil
}
