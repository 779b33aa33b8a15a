// SPDX-License-Identifier: MPL-2.0

// Package infer proposes settings of wire from answers of a service: by names, by likeness, by
// the words that stand in them. It decides nothing. A proposal is worth showing only after the
// strict reader, with it, has accepted the very answers that it was made from, so that its user
// tries each.
//
// It knows no client, no HTTP and no Terraform.
package infer

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Answer is an answer of the service.
type Answer struct {
	Status    int
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

// Settings are settings of wire as JSON holds them: a value, a list, or a map, by name.
type Settings map[string]any

// set sets the value at a path of names.
func (s Settings) set(value any, path ...string) {
	inner := map[string]any(s)
	for _, name := range path[:len(path)-1] {
		next, ok := inner[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			inner[name] = next
		}
		inner = next
	}
	inner[path[len(path)-1]] = value
}

// Merge returns both settings. A value of other wins, lists are joined, and maps are merged.
func (s Settings) Merge(other Settings) Settings { return merged(s, other) }

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	for name, value := range b {
		switch value := value.(type) {
		case map[string]any:
			inner, _ := all[name].(map[string]any)
			all[name] = merged(inner, value)
		case []any:
			list, _ := all[name].([]any)
			all[name] = joined(list, value)
		default:
			all[name] = value
		}
	}

	return all
}

func joined(a, b []any) []any {
	all := slices.Clone(a)
	for _, word := range b {
		if !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

// Without yields the settings without each of their values in turn, and where that value was.
func (s Settings) Without() iter.Seq2[string, Settings] {
	return func(yield func(string, Settings) bool) {
		for _, path := range paths(s, nil) {
			if !yield(strings.Join(path, "."), without(s, path)) {
				return
			}
		}
	}
}

func paths(s map[string]any, above []string) (all [][]string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		path := append(slices.Clone(above), name)
		if inner, isMap := s[name].(map[string]any); isMap {
			all = append(all, paths(inner, path)...)
		} else {
			all = append(all, path)
		}
	}

	return all
}

func without(s map[string]any, path []string) map[string]any {
	rest := maps.Clone(s)
	inner, isMap := rest[path[0]].(map[string]any)
	if isMap && len(path) > 1 {
		inner = without(inner, path[1:])
		rest[path[0]] = inner
	}
	if !isMap || len(inner) == 0 {
		delete(rest, path[0])
	}

	return rest
}

// Names returns the names that the settings take from answers: those in pointers and words.
func (s Settings) Names() (all []string) {
	for _, path := range paths(s, nil) {
		all = append(all, path[len(path)-1])
		all = append(all, texts(valueAt(s, path))...)
	}
	return all
}

func valueAt(s map[string]any, path []string) any {
	for _, name := range path[:len(path)-1] {
		s, _ = s[name].(map[string]any)
	}
	return s[path[len(path)-1]]
}

func texts(value any) (all []string) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, v := range list {
		if text, isText := v.(string); isText {
			all = append(all, strings.Split(strings.TrimPrefix(text, "/"), "/")...)
		}
	}

	return all
}

// place is a value of an answer, and where it is.
type place struct {
	at    jsontext.Pointer
	name  string // folded, of the member; empty for the whole answer
	value jsontext.Value
}

// limitPlaces bounds how much of an answer is looked at.
const limitPlaces = 2000

// places returns the members of an answer on all levels, the outer ones first. It does not look
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

// first returns the first of the places that has one of the names; the first name wins.
func first(all []place, names string, fits func(jsontext.Value) bool) (place, bool) {
	for name := range strings.FieldsSeq(names) {
		for _, p := range all {
			if p.name == name && fits(p.value) {
				return p, true
			}
		}
	}
	return place{}, false
}

// isScalar reports whether a value is a text or a number.
func isScalar(v jsontext.Value) bool { return v.Kind() == '"' || v.Kind() == '0' }

// scalar returns the text of a string, or a number as it is spelled.
func scalar(v jsontext.Value) string {
	if v.Kind() == '0' {
		return string(v)
	}
	return jsonvalue.Text(v)
}

// isEmptyOrFlag reports whether a value may change its meaning when it changes: a flag, null, an
// empty text or an empty list.
func isEmptyOrFlag(v jsontext.Value) bool {
	switch string(v) {
	case "null", "true", "false", `""`, "[]", "{}":
		return true
	}
	return false
}

// Names of members, folded.
const (
	nextNames  = "next nexturl nextlink nextpage nextpagetoken nextpageurl nextcursor nexttoken nextmarker nextid cursor continuationtoken continuation after marker odatanextlink"
	totalNames = "total count totalcount totalelements totalresults totalitems totalrecords totalrows totalhits totalsize recordcount itemcount odatacount numfound"
	moreNames  = "hasmore hasnext hasnextpage istruncated truncated more incomplete partial"
	lastNames  = "last final islast lastpage complete done"
	flagNames  = "success ok status result"
	codeNames  = "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode"

	// How many pages there are, and what says nothing about them.
	pageNames     = "last pages totalpages lastpage pagecount numpages"
	harmlessNames = "previous prev first self empty"
)

func isNamed(name, names string) bool { return slices.Contains(strings.Fields(names), name) }

// beside adds settings for what stands in an answer beside the content: what leads to a next page,
// what counts the content, and what says nothing. count is how many elements the content has. It
// reports false where something says that the service has failed, or that the content is a part and nothing
// leads to the rest.
func (s Settings) beside(group string, v jsontext.Value, content []jsontext.Pointer, count int) (isWhole bool) {
	all := placesBeside(v, content)
	if slices.ContainsFunc(all, place.isFailure) {
		return false
	}

	others := s.pages(group, all, count)
	isFollowed := valueAt(s, []string{group, "next"}) != nil
	isCounted := valueAt(s, []string{group, "total"}) != nil
	for _, p := range others {
		value := ignoredValue(p, isCounted || isFollowed)
		if isWhole := isCounted && isFollowed; isWhole && isNamed(p.name, moreNames+" "+lastNames) {
			value = "*" // the last page says the opposite
		}
		s.set(value, "ignored", string(p.at))
	}

	isPart := slices.ContainsFunc(all, func(p place) bool { return p.saysMore(count) })

	return !isPart || isFollowed
}

// pages adds where the next page, the number of all elements and the result stand, and returns the other
// places. A number above count is that of all pages, if something leads to the next one.
func (s Settings) pages(group string, all []place, count int) (others []place) {
	for _, p := range all {
		switch {
		case p.isNext():
			s.set(string(p.at), group, "next")
		case p.isResult():
			s.result(p)
		case isNamed(p.name, totalNames) && string(p.value) == strconv.Itoa(count):
			s.set(string(p.at), group, "total")
		default:
			others = append(others, p)
		}
		if at := linksOf(p.at); at != "" && valueAt(s, []string{group, "next"}) == nil {
			s.set(string(at)+"/next/href", group, "next")
		}
	}
	if valueAt(s, []string{group, "next"}) == nil || valueAt(s, []string{group, "total"}) != nil {
		return others
	}

	isTotal := func(p place) bool { return isNamed(p.name, totalNames) && p.saysMore(count) }
	if i := slices.IndexFunc(others, isTotal); i >= 0 {
		s.set(string(others[i].at), group, "total")
		others = slices.Delete(others, i, i+1)
	}

	return others
}

// saysMore reports whether the place says that there is more than count elements.
func (p place) saysMore(count int) bool {
	switch string(p.value) {
	case "true":
		return isNamed(p.name, moreNames)
	case "false":
		return isNamed(p.name, lastNames)
	}

	number, err := strconv.Atoi(string(p.value))

	return err == nil && isNamed(p.name, totalNames) && number > count
}

// placesBeside returns the leaves of an answer that stand beside its content.
func placesBeside(v jsontext.Value, content []jsontext.Pointer) []place {
	isBeside := func(p place) bool {
		isPart := slices.ContainsFunc(content, func(at jsontext.Pointer) bool { return at.Contains(p.at) || p.at.Contains(at) })
		isWrapper := p.value.Kind() == '{' && len(jsonvalue.Members(p.value)) > 0
		return !isPart && !isWrapper
	}
	return slices.DeleteFunc(places(v), func(p place) bool { return !isBeside(p) })
}

// isNext reports whether the place leads to a next page, or says that there is none.
func (p place) isNext() bool {
	name := p.name
	if name == "href" || name == "url" {
		name = jsonvalue.Fold(p.at.Parent().LastToken())
	}
	isAddress := p.value.Kind() == '"' || p.value.Kind() == 'n'

	isLike := isNamed(name, nextNames) || strings.HasPrefix(name, "next")

	return isAddress && isLike
}

// linksOf returns the object of links as HAL has it that a place is in; empty if there is none.
func linksOf(at jsontext.Pointer) jsontext.Pointer {
	for ; at != ""; at = at.Parent() {
		if at.LastToken() == "_links" {
			return at
		}
	}
	return ""
}

// ignoredValue returns the value that a leaf beside the content has to keep: any, where it says
// nothing of the content, or what it says is known. counted reports whether a total or the way to the
// next page shows that no page is missing.
func ignoredValue(p place, counted bool) string {
	isPageNumber := isNamed(p.name, pageNames) && isScalar(p.value)
	isKnown := counted && isPageNumber
	if isKnown || isNamed(p.name, harmlessNames) || isLinks(p.value) {
		return "*"
	}
	if isEmptyOrFlag(p.value) || isNamed(p.name, flagNames+" "+codeNames+" "+moreNames+" "+lastNames+" "+nextNames+" "+pageNames) || !isScalar(p.value) {
		return leafText(p.value)
	}

	return "*"
}

// isResult reports whether the place has a code that says what came of the request, and says that all
// is well.
func (p place) isResult() bool {
	return isScalar(p.value) && isNamed(p.name, codeNames) && successCode.MatchString(leafText(p.value))
}

// isFailure reports whether the place has such a code that says anything else.
func (p place) isFailure() bool {
	return isScalar(p.value) && isNamed(p.name, codeNames) && !p.isResult()
}

// successCode matches what codes of success look like: 0, 00000, 1, 200, 20000 and words.
var successCode = regexp.MustCompile(`^(?i:0+|1|20\d0*|ok|success|succeeded)$`)

// result adds where answers say what came of a request, and the word of success that was seen.
func (s Settings) result(p place) {
	s.set(string(p.at), "result", "at")
	s.set([]any{leafText(p.value)}, "result", "success")
}

// leafText returns the value of a leaf as wire.ignored expects it.
func leafText(v jsontext.Value) string {
	if v.Kind() == '"' {
		return jsonvalue.Text(v)
	}
	return string(v)
}

// SaysNo reports whether an answer refuses: by an error that says something, or by a flag. Nothing
// is proposed for it.
func SaysNo(v jsontext.Value) bool {
	for name, value := range jsonvalue.EachMember(v) {
		folded := jsonvalue.Fold(string(name))

		isFalse := slices.Contains([]string{"false", "0"}, strings.ToLower(leafText(value)))
		isBad := slices.Contains([]string{"error", "fail", "failed", "failure", "rejected"}, strings.ToLower(jsonvalue.Text(value)))
		switch {
		case isNamed(folded, "error errors") && jsonvalue.Told(value):
			return true
		case isNamed(folded, "success ok accepted") && isFalse:
			return true
		case folded == "status" && isBad:
			return true
		}
	}

	return false
}

// Absent returns the settings by which an answer about an invented person says that there is none.
func Absent(a Answer) []Settings {
	isPage := a.MediaType == "text/html" && len(a.Body) > 0
	var form string
	switch {
	case isPage:
		return nil
	case a.Status == 404, a.Status == 410:
		form = "any_404"
	case a.Status == 204:
		form = "204"
	case a.Status == 200 && len(strings.TrimSpace(string(a.Body))) == 0:
		form = "empty"
	default:
		return nothings(a.json())
	}

	return []Settings{{"absent": []any{"json_404", form}}}
}

// nothings returns the settings by which an answer with an empty place in it says that there is nothing
// about a person: where the content would be, and how what stands beside it is read. Beside it are
// only words of envelopes.
func nothings(v jsontext.Value) (all []Settings) {
	if SaysNo(v) {
		return nil
	}

	for _, p := range places(v) {
		isEmpty := p.value.Kind() == '{' || p.value.Kind() == '[' || p.value.Kind() == 'n'
		if p.at == "" || !isEmpty || jsonvalue.Told(p.value) {
			continue
		}
		for _, s := range p.emptied() {
			if s.besideNothing(v, p.at) {
				all = append(all, s)
			}
		}
	}

	return withUsualSuccess(all)
}

// emptied returns the settings that an empty place may be pointed to by: the content, a consent, the list of
// none or one, or a profile.
func (p place) emptied() (all []Settings) {
	for _, of := range []struct {
		names string
		fits  bool
		value jsontext.Pointer
		path  []string
	}{
		{envelopes, true, p.at, []string{"envelope"}},
		{"consent consents", true, p.at, []string{"consent", "at"}},
		{"profile", true, p.at, []string{"profile", "at"}},
		{listNames, p.value.Kind() == '[', p.at.AppendToken("0"), []string{"consent", "at"}},
	} {
		if of.fits && isNamed(p.name, of.names) {
			s := Settings{}
			s.set(string(of.value), of.path...)
			all = append(all, s)
		}
	}

	return all
}

// withUsualSuccess adds the usual word of success to settings that have a word of absence only: it is
// needed unless another answer has shown one.
func withUsualSuccess(all []Settings) []Settings {
	for _, s := range all {
		if valueAt(s, []string{"result", "absent"}) != nil && valueAt(s, []string{"result", "success"}) == nil {
			all = append(all, s.Merge(Settings{"result": map[string]any{"success": []any{"0"}}}))
		}
	}
	return all
}

// besideNothing adds how what stands beside an empty place is read. It reports false for what is not a
// word of envelopes, and for a code of a service that has failed.
func (s Settings) besideNothing(v jsontext.Value, at jsontext.Pointer) bool {
	for _, p := range placesBeside(v, []jsontext.Pointer{at}) {
		switch {
		case p.isResult():
			s.result(p)
		case !jsonvalue.Told(p.value):
		case string(p.value) == "true" && !isNamed(p.name, flagNames):
			s.set("true", "ignored", string(p.at))
		case p.isFailure():
			if strings.HasPrefix(leafText(p.value), "5") {
				return false
			}
			s.set(string(p.at), "result", "at")
			s.set([]any{leafText(p.value)}, "result", "absent")
		case isNamed(p.name, personNames+" "+idNames+" "+createdNames+" traceid"):
		case isNamed(p.name, flagNames+" message msg"):
			s.set(ignoredValue(p, false), "ignored", string(p.at))
		default:
			return false
		}
	}

	return true
}

// Inside returns the settings for answers that have their content in an envelope: without it in front
// of where things are in the content.
func (s Settings) Inside(envelope string) Settings {
	inner := Settings{}.Merge(s)
	for _, path := range paths(s, nil) {
		isAt := len(path) > 1 && path[1] == "at" && path[0] != "all_data"
		text, _ := valueAt(s, path).(string)
		if at, isInside := strings.CutPrefix(text, envelope); isAt && isInside && at == "" {
			inner = without(inner, path)
		} else if isAt && isInside {
			inner.set(at, path...)
		}
	}

	return inner
}
