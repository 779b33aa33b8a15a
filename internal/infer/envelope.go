// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"regexp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The roles of the leaves of an envelope: what they say of the content. Others have the role "".
const (
	roleSuccess  = "success"  // by a code, that all is well
	roleFailure  = "failure"  // by another code, that it is not
	rolePages    = "pages"    // how many pages there are
	roleMore     = "more"     // whether there is a next page
	roleLast     = "last"     // whether there is none
	rolePart     = "part"     // that there is a next page
	roleHarmless = "harmless" // nothing
	roleFlag     = "flag"     // whether all is well, or something else that counts
	roleJob      = "job"      // that it is being made
	roleNext     = "next"     // where the next page is
	roleTotal    = "total"    // how many elements there are on all pages
)

// roles are what the names of leaves are like. The first that fits counts.
var roles = []meaning{
	{roleFailure, "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode"},
	{rolePages, "pages totalpages lastpage pagecount numpages"},
	{roleMore, "hasmore hasnext hasnextpage istruncated truncated more incomplete partial"},
	{roleLast, "last final islast complete done"},
	{roleHarmless, "previous prev first self empty"},
	{roleFlag, "success ok status result"},
	{roleJob, "jobid taskid percent progress"},
	{roleNext, "marker *next* *cursor* *after* *continuation*"},
	{roleTotal, "numfound *total* *count*"},
}

// successCode matches codes of success. Their signs and digits count: -1 and 0001 are others.
var successCode = regexp.MustCompile(`^(?i:0+|1|20\d0*|ok|success|succeeded)$`)

func (p place) role() string {
	name := p.name
	if isLike(name, "href url") {
		name = p.around
	}

	role := meaningOf(name, roles)
	switch {
	case role == roleFailure && successCode.MatchString(p.text):
		return roleSuccess
	case role == roleFailure && !p.isFilled():
		return roleFlag
	case role == roleMore && p.text == "true", role == roleLast && p.text == "false":
		return rolePart
	}

	return role
}

// number returns the number that a leaf has; -1 if it has none.
func (p place) number() int {
	if n, err := strconv.Atoi(p.text); err == nil {
		return n
	}
	return -1
}

// leavesAround returns the leaves of an answer outside of its content.
func leavesAround(v jsontext.Value, content ...jsontext.Pointer) (leaves []place) {
	for _, p := range places(v)[1:] {
		isWrapper := p.value.Kind() == '{' && !jsonvalue.IsZero(p.value)
		if !isWrapper && !p.isInside(content) {
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
	leaves := leavesAround(v, content...)
	said := map[string]place{}
	for _, leaf := range leaves {
		role := leaf.role()
		isOfPage := role == roleTotal && leaf.number() < max(count, said[role].number())
		if !isOfPage {
			said[role] = leaf
		}
	}

	next, total := said[roleNext], said[roleTotal]
	isPart := said[rolePart].at != "" || total.number() > count
	isLost := isPart && jsonvalue.IsZero(next.value)
	if isLost || said[roleFailure].at+said[roleJob].at != "" {
		return false
	}

	s.set(group+"/next", next.at)
	s.set(group+"/total", total.at)
	for _, leaf := range leaves {
		if leaf.at != next.at && leaf.at != total.at {
			s.ignore(leaf, next.at, total.at)
		}
	}

	return true
}

// ignore adds that a leaf of an envelope is ignored. It may have any value if its role says nothing of the content that
// the next page and a total do not say. Otherwise it may have only the value seen, so that another one is noticed. A code
// of success is the result and not ignored.
func (s Settings) ignore(leaf place, next, total jsontext.Pointer) {
	role := leaf.role()
	if role == roleSuccess {
		s.set("/result/at", leaf.at)
		s.add("/result/success", leaf.text)
		return
	}

	isKnown := next != "" && total != "" // the last page says the opposite of the others
	hasText := leaf.isFilled() || isLinks(leaf.value)
	isFree := map[string]bool{
		"": hasText, roleTotal: hasText, roleHarmless: leaf.value.Kind() != '[', rolePages: next+total != "",
		roleMore: isKnown, roleLast: isKnown, rolePart: isKnown,
	}
	value := leaf.text
	if isFree[role] {
		value = decode.AnyValue
	}
	s[jsontext.Pointer("/ignored").AppendToken(string(leaf.at))] = value
}

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func isLinks(v jsontext.Value) bool {
	first := jsonvalue.At(v, "/0")
	return jsonvalue.At(first, "/url") != nil && jsonvalue.At(first, "/label") != nil
}
