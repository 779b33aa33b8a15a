// SPDX-License-Identifier: MPL-2.0

// Package infer proposes settings of wire from answers of a service: by names, by likeness, and by
// words. It decides nothing. A proposal is worth showing only after the
// strict reader, with it, has accepted the very answers that it was made from, so that its user
// tries each.
//
// It knows no client, no HTTP and no Terraform.
package infer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Answer is an answer of the service.
type Answer struct {
	MediaType string // without parameters
	Body      []byte
}

// json returns the JSON value of the answer; nil where it is not one.
func (a Answer) json() jsontext.Value {
	v, err := jsonvalue.Parse(a.Body)
	if err != nil {
		return nil
	}
	return v
}

// place is a value of an answer, and where it is.
type place struct {
	at    jsontext.Pointer
	name  string // folded, of the member; empty for the whole answer
	value jsontext.Value
}

// limitPlaces bounds how much of an answer is examined.
const limitPlaces = 2000

// places returns the members of an answer on all levels, the outer ones first. It does not descend
// into arrays.
func places(v jsontext.Value) []place {
	all := []place{{value: v}}
	for i := 0; i < len(all) && len(all) < limitPlaces; i++ {
		for name, value := range jsonvalue.EachMember(all[i].value) {
			at := all[i].at.AppendToken(string(name))
			plain := strings.TrimPrefix(string(name), "hydra:")
			all = append(all, place{at: at, name: jsonvalue.Fold(plain), value: value})
		}
	}

	return all
}

func isNamed(name, names string) bool { return slices.Contains(strings.Fields(names), name) }

// isNamed reports whether the place has one of these folded names.
func (p place) isNamed(names string) bool { return isNamed(p.name, names) }

// first returns the first of the places that has one of the names, or else one whose name ends with one
// of them. The first name wins.
func first(all []place, names string) (place, bool) {
	for _, matches := range []func(name, with string) bool{func(name, with string) bool { return name == with }, strings.HasSuffix} {
		for name := range strings.FieldsSeq(names) {
			if i := slices.IndexFunc(all, func(p place) bool { return matches(p.name, name) }); i >= 0 {
				return all[i], true
			}
		}
	}
	return place{}, false
}

// isScalar reports whether a value is a text or a number.
func isScalar(v jsontext.Value) bool { return v.Kind() == '"' || v.Kind() == '0' }

// textOf returns the text of a string, and any other value as it is spelled.
func textOf(v jsontext.Value) string {
	if v.Kind() == '"' {
		return jsonvalue.Text(v)
	}
	return string(v)
}

// role is what a leaf of an envelope says of the content.
type role int

const (
	roleOther    role = iota
	roleNext          // where the next page is
	roleCode          // what came of the request
	roleTotal         // how many elements there are on all pages
	rolePages         // how many pages there are
	roleMore          // whether there is a next page
	roleLast          // whether there is none
	roleHarmless      // nothing
	roleFlag          // whether all is well, or something else that counts
	roleJob           // that it is being made
)

// roles are the folded names of the leaves in a role, or parts of names, and the kinds of their values.
var roles = []struct {
	role  role
	kinds string // of jsontext.Kind
	names string
	parts string
}{
	{roleCode, `"0`, "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode", ""},
	{rolePages, `"0`, "last pages totalpages lastpage pagecount numpages", ""},
	{roleMore, `ntf`, "hasmore hasnext hasnextpage istruncated truncated more incomplete partial", ""},
	{roleLast, `ntf`, "last final islast lastpage complete done", ""},
	{roleHarmless, `"0ntf`, "previous prev first self empty", ""},
	{roleFlag, `"0ntf`, "success ok status result", ""},
	{roleJob, `"0ntf`, "jobid taskid percent progress", ""},
	{roleNext, `"n`, "marker", "next cursor after continuation"},
	{roleTotal, `"0`, "numfound", "total count"},
}

// role returns the role of a name with a value of this kind. A value of another kind counts as a flag.
func (p place) role() role {
	name := p.name
	if name == "href" || name == "url" {
		name = jsonvalue.Fold(p.at.Parent().LastToken())
	}

	found := roleOther
	for _, row := range roles {
		hasPart := func(part string) bool { return strings.Contains(name, part) }
		isLike := found == roleOther && slices.ContainsFunc(strings.Fields(row.parts), hasPart)
		if !isLike && !isNamed(name, row.names) {
			continue
		}
		if strings.ContainsRune(row.kinds, rune(p.value.Kind())) {
			return row.role
		}
		found = roleFlag
	}

	return found
}

// envelope adds settings for the leaves around the content of an answer: the next page, the total, and
// what is ignored. group is the pointer to the settings of the endpoint, and count is how many elements
// the content has. It reports false if a leaf says that the service has failed or is not done, or that the
// content is a part and nothing leads to the rest.
func (s Settings) envelope(group jsontext.Pointer, v jsontext.Value, content []jsontext.Pointer, count int) (isWhole bool) {
	leaves := envelopeLeaves(v, content)
	nextAt, totalAt := group+"/next", group+"/total"

	most := count
	for _, p := range leaves {
		switch p.role() {
		case roleNext:
			s[nextAt] = string(p.at)
		case roleTotal:
			if number, err := strconv.Atoi(textOf(p.value)); err == nil && number >= most {
				s[totalAt], most = string(p.at), number
			}
		}

		links := p.at.Parent().Parent() // of HAL, which omits next on the last page
		if links.LastToken() == "_links" && s[nextAt] == nil {
			s[nextAt] = string(links) + "/next/href"
		}
	}

	isPart := most > count || slices.ContainsFunc(leaves, place.saysMore)
	if isPart && s[nextAt] == nil {
		return false
	}
	for _, p := range leaves {
		if at := string(p.at); at != s[nextAt] && at != s[totalAt] {
			s.ignore(p, s[nextAt] != nil, s[totalAt] != nil)
		}
	}

	return !slices.ContainsFunc(leaves, func(p place) bool { return p.isFailure() || p.role() == roleJob })
}

// saysMore reports whether the place says that there is a next page.
func (p place) saysMore() bool {
	switch p.role() {
	case roleMore:
		return string(p.value) == "true"
	case roleLast:
		return string(p.value) == "false"
	}
	return false
}

// envelopeLeaves returns the leaves of an answer outside of its content.
func envelopeLeaves(v jsontext.Value, content []jsontext.Pointer) []place {
	return slices.DeleteFunc(places(v), func(p place) bool {
		isPart := slices.ContainsFunc(content, func(at jsontext.Pointer) bool { return at.Contains(p.at) || p.at.Contains(at) })
		isWrapper := p.value.Kind() == '{' && len(jsonvalue.Members(p.value)) > 0
		return isPart || isWrapper
	})
}

// ignore adds that a leaf of the envelope is ignored. It may have any value if its role says nothing of
// the content that the next page and a total do not say. Otherwise it may have the value that was
// seen, so that another one is noticed. A code of success is the result and not ignored.
func (s Settings) ignore(p place, isFollowed, isCounted bool) {
	if p.isSuccess() {
		s["/result/at"], s["/result/success"] = string(p.at), []any{textOf(p.value)}
		return
	}

	isFree := isLinks(p.value)
	hasText := isScalar(p.value) && textOf(p.value) != ""
	switch p.role() {
	case roleHarmless:
		isFree = true
	case rolePages:
		isFree = isFollowed || isCounted
	case roleMore, roleLast:
		isFree = isFollowed && isCounted // the last page says the opposite
	case roleOther, roleTotal:
		isFree = isFree || hasText
	}

	value := textOf(p.value)
	if isFree {
		value = "*"
	}
	s[jsontext.Pointer("/ignored").AppendToken(string(p.at))] = value
}

// isSuccess and isFailure report whether the place has a code that says what came of the request.
func (p place) isSuccess() bool {
	return p.role() == roleCode && successCode.MatchString(textOf(p.value))
}

func (p place) isFailure() bool { return p.role() == roleCode && !p.isSuccess() }

// successCode matches what codes of success look like: 0, 00000, 1, 200, 20000 and words.
var successCode = regexp.MustCompile(`^(?i:0+|1|20\d0*|ok|success|succeeded)$`)

// failureCode matches codes by which a service that may hold something does not show it: one that fails,
// that does not know or does not admit who asks, or that was asked too often.
var failureCode = regexp.MustCompile(`^(5|401|403|429)`)

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func isLinks(v jsontext.Value) bool {
	elements := jsonvalue.Elements(v)
	return len(elements) > 0 && !slices.ContainsFunc(elements, func(element jsontext.Value) bool {
		members := jsonvalue.Members(element)
		return members["url"] == nil || members["label"] == nil
	})
}

// saysNo reports whether an answer refuses: by an error that says something, by a flag or by its status.
// Nothing is proposed for it.
func saysNo(v jsontext.Value) bool {
	for name, value := range jsonvalue.EachMember(v) {
		isStatus := jsonvalue.Fold(string(name)) == "status"
		if isStatus && isNamed(strings.ToLower(jsonvalue.Text(value)), "error fail failed failure rejected") {
			return true
		}
	}
	return answer.SaysNo(v)
}

// Absent proposes settings by which an answer about an invented person says that there is nothing.
func Absent(a Answer) (all []Settings) {
	if v := a.json(); v.Kind() == '{' {
		return emptied(v)
	}
	for _, form := range []string{"any_404", "204", "empty"} {
		all = append(all, Settings{"/absent": []any{"json_404", form}})
	}
	return all
}

// emptied proposes settings for an answer with an empty place where a person's data would be.
func emptied(v jsontext.Value) (all []Settings) {
	if saysNo(v) {
		return nil
	}

	for _, p := range places(v) {
		if p.at == "" || isScalar(p.value) || !jsonvalue.IsZero(p.value) {
			continue
		}
		for _, row := range []struct {
			names       string
			setting, at jsontext.Pointer
		}{
			{envelopes, "/envelope", p.at},
			{"consent consents", "/consent/at", p.at},
			{"profile", "/profile/at", p.at},
			{listNames, "/consent/at", p.at.AppendToken("0")}, // of none or one
		} {
			s := Settings{row.setting: string(row.at)}
			if !p.isNamed(row.names) || !s.emptyEnvelope(v, p.at) {
				continue
			}
			all = append(all, s)
			if isNew := s["/result/absent"] != nil && s["/result/success"] == nil; isNew {
				all = append(all, s.Merge(Settings{"/result/success": []any{"0"}})) // the usual one
			}
		}
	}

	return all
}

// emptyEnvelope adds settings for the envelope around an empty place. The strict reader refuses what is
// neither a word of envelopes nor ignored. It reports false for the code of a service that has failed.
func (s Settings) emptyEnvelope(v jsontext.Value, at jsontext.Pointer) bool {
	for _, p := range envelopeLeaves(v, []jsontext.Pointer{at}) {
		word := textOf(p.value)
		switch {
		case p.isFailure() && failureCode.MatchString(word):
			return false
		case p.isFailure():
			s["/result/at"], s["/result/absent"] = string(p.at), []any{word}
		case p.isSuccess(), p.role() == roleFlag, word == "true", p.isNamed("message msg"):
			s.ignore(p, false, false)
		}
	}

	return true
}
