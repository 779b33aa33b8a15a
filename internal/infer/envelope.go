// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// role is what a leaf of an envelope says of the content.
type role int

const (
	roleOther    role = iota
	roleNext          // where the next page is
	roleSuccess       // by a code, that all is well
	roleFailure       // by another code, that it is not
	roleTotal         // how many elements there are on all pages
	rolePages         // how many pages there are
	roleMore          // whether there is a next page
	roleLast          // whether there is none
	roleHarmless      // nothing
	roleFlag          // whether all is well, or something else that counts
	roleJob           // that it is being made
)

// roles are what the folded names of the leaves in a role look like, and the kinds of their values. A whole name
// counts before a part of one.
var roles = []struct {
	role  role
	kinds string // of jsontext.Kind
	like  *regexp.Regexp
}{
	{roleFailure, `"0`, regexp.MustCompile(`^(` + strings.ReplaceAll(codes, " ", "|") + `)$`)},
	{rolePages, `"0`, regexp.MustCompile(`^(last|pages|totalpages|lastpage|pagecount|numpages)$`)},
	{roleMore, `"ntf`, regexp.MustCompile(`^(hasmore|hasnext|hasnextpage|istruncated|truncated|more|incomplete|partial)$`)},
	{roleLast, `ntf`, regexp.MustCompile(`^(last|final|islast|lastpage|complete|done)$`)},
	{roleHarmless, `"0ntf`, regexp.MustCompile(`^(previous|prev|first|self|empty)$`)},
	{roleFlag, `"0ntf`, regexp.MustCompile(`^(success|ok|status|result)$`)},
	{roleJob, `"0ntf`, regexp.MustCompile(`^(jobid|taskid|percent|progress)$`)},
	{roleNext, `"n`, regexp.MustCompile(`^marker$|next|cursor|after|continuation`)},
	{roleTotal, `"0`, regexp.MustCompile(`^numfound$|total|count`)},
}

// codes are the folded names of the codes of results.
const codes = "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode"

// successCode matches what codes of success look like: 0, 00000, 1, 200, 20000 and words.
var successCode = regexp.MustCompile(`^(?i:0+|1|20\d0*|ok|success|succeeded)$`)

// role returns the role of a name with a value of this kind. A value of another kind counts as a flag.
func (p place) role() role {
	name := p.name
	if name == "href" || name == "url" {
		name = p.around
	}

	if isCode := isNamed(name, codes); isCode && successCode.MatchString(p.text) {
		return roleSuccess
	}
	found := roleOther
	for _, row := range roles {
		if !row.like.MatchString(name) {
			continue
		}
		if strings.ContainsRune(row.kinds, rune(p.value.Kind())) {
			return row.role
		}
		found = roleFlag
	}

	return found
}

// leaf is a value around the content of an answer, with its role.
type leaf struct {
	place

	role role
}

// envelopeLeaves returns the leaves of an answer outside of its content.
func envelopeLeaves(v jsontext.Value, content ...jsontext.Pointer) (leaves []leaf) {
	for _, p := range places(v) {
		isPart := func(at jsontext.Pointer) bool { return at.Contains(p.at) || p.at.Contains(at) }
		isWrapper := p.value.Kind() == '{' && !jsonvalue.IsZero(p.value)
		if !isWrapper && !slices.ContainsFunc(content, isPart) {
			leaves = append(leaves, leaf{p, p.role()})
		}
	}
	return leaves
}

// pages are what an envelope says of the pages of its content.
type pages struct {
	next, total jsontext.Pointer // where it says it; empty if it does not
	isPart      bool
}

// pagesIn returns what leaves say of the pages. count is how many elements the content has.
func pagesIn(leaves []leaf, count int) (found pages) {
	var hal jsontext.Pointer // HAL omits next on the last page
	most := count
	for _, l := range leaves {
		number, err := strconv.Atoi(l.text)
		isCount := l.role == roleTotal && err == nil
		if isCount && number >= most {
			found.total, most = l.at, number
		}
		if l.role == roleNext {
			found.next = l.at
		}
		if links := l.at.Parent().Parent(); links.LastToken() == "_links" {
			hal = links + "/next/href"
		}
	}
	found.next = cmp.Or(found.next, hal)
	found.isPart = most > count || slices.ContainsFunc(leaves, leaf.saysMore)

	return found
}

func (l leaf) saysMore() bool {
	when, isOfPages := map[role]string{roleMore: "true", roleLast: "false"}[l.role]
	return isOfPages && l.text == when
}

// isAlarm reports whether a leaf says that the service has failed or is not done.
func (l leaf) isAlarm() bool {
	return l.role == roleFailure || l.role == roleJob
}

// envelope adds settings for the leaves around the content of an answer: the next page, the total, and
// what is ignored. group is the pointer to the settings of the endpoint, and count is how many elements
// the content has. It reports false if a leaf says that the service has failed or is not done, or that the
// content is a part and nothing leads to the rest.
func (s Settings) envelope(group jsontext.Pointer, v jsontext.Value, content []jsontext.Pointer, count int) (isWhole bool) {
	leaves := envelopeLeaves(v, content...)
	found := pagesIn(leaves, count)
	isLost := found.isPart && found.next == ""
	if isLost || slices.ContainsFunc(leaves, leaf.isAlarm) {
		return false
	}

	s.set(group+"/next", found.next)
	s.set(group+"/total", found.total)
	for _, l := range leaves {
		if l.at != found.next && l.at != found.total {
			s.ignore(l, found)
		}
	}

	return true
}

// ignore adds that a leaf of the envelope is ignored. It may have any value if its role says nothing of
// the content that the next page and a total do not say. Otherwise it may have the value that was
// seen, so that another one is noticed. A code of success is the result and not ignored.
func (s Settings) ignore(l leaf, known pages) {
	if l.role == roleSuccess {
		s["/result/at"], s["/result/success"] = string(l.at), []any{l.text}
		return
	}

	isKnown := known.next != "" && known.total != ""
	hasText := l.isFilled() || isLinks(l.value)
	isFree := map[role]bool{
		roleHarmless: true,
		rolePages:    known != pages{isPart: known.isPart},
		roleMore:     isKnown,
		roleLast:     isKnown, // the last page says the opposite
		roleOther:    hasText,
		roleTotal:    hasText,
	}
	value := l.text
	if isFree[l.role] {
		value = "*"
	}
	s[jsontext.Pointer("/ignored").AppendToken(string(l.at))] = value
}

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func isLinks(v jsontext.Value) bool {
	for _, element := range jsonvalue.Elements(v) {
		if jsonvalue.At(element, "/url") == nil || jsonvalue.At(element, "/label") == nil {
			return false
		}
	}
	return v.Kind() == '[' && !jsonvalue.IsZero(v)
}
