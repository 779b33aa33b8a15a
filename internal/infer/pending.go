// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Request is what is known of a request that the list may show.
type Request struct {
	Person string
	ID     string // empty if the service gave none
	Type   string // profile_update, data_access or data_deletion; empty if no request was sent
	State  string // waiting or done; empty if that is not known
}

// Pending proposes settings for a list of pending requests: where the list and its pages are, where
// a record has its fields, and what its words mean. known are requests that the list may show; words
// of records that are not among them are taken for what they look like.
func Pending(a Answer, known ...Request) []Settings {
	v := a.json()
	if v == nil || SaysNo(v) {
		return nil
	}

	if isBlank := v.Kind() == '{' && !jsonvalue.Told(v); isBlank {
		return []Settings{{"pending": map[string]any{"empty": true}}}
	}

	found := lists(v)
	isEmpty := func(p place) bool { return len(jsonvalue.Elements(p.value)) == 0 }
	if full := slices.DeleteFunc(slices.Clone(found), isEmpty); len(full) > 1 {
		return nil // none of them holds all requests
	}

	var all []Settings
	if count, isCounted := first(places(v), totalNames, isScalar); len(found) == 0 && isCounted && string(count.value) == "0" {
		s := Settings{}
		s.beside("pending", v, nil, 0)
		all = append(all, s)
	}
	for _, list := range found {
		s := Settings{}
		elements := jsonvalue.Elements(list.value)
		if list.at != "" {
			s.set(string(list.at), "pending", "at")
		}
		if s.beside("pending", v, []jsontext.Pointer{list.at}, len(elements)) {
			s.record(elements, known)
			all = append(all, s)
		}
	}

	return all
}

// listNames are the folded names of lists of requests.
const listNames = "requests pendingrequests actions data items results content nodes value queue records"

// lists returns the arrays of objects, and the empty arrays, of an answer. Those that are named
// like a list of requests come first; with such a name, null is an empty list.
func lists(v jsontext.Value) []place {
	var found []place
	for _, p := range places(v) {
		isList := p.value.Kind() == '[' && !slices.ContainsFunc(jsonvalue.Elements(p.value), isNoObject) && !isLinks(p.value)
		isNull := p.value.Kind() == 'n' && isNamed(p.name, listNames)
		if isList || isNull {
			found = append(found, p)
		}
	}
	named := func(p place) int {
		if isNamed(p.name, listNames) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b place) int { return named(a) - named(b) })

	return found
}

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func isLinks(v jsontext.Value) bool {
	elements := jsonvalue.Elements(v)
	isOther := func(element jsontext.Value) bool {
		members := jsonvalue.Members(element)
		return members["url"] == nil || members["label"] == nil
	}
	return len(elements) > 0 && !slices.ContainsFunc(elements, isOther)
}

func isNoObject(v jsontext.Value) bool { return v.Kind() != '{' }

// The members of a record, by their folded names, the likely ones first.
const (
	personNames  = "identityid identity userid subjectid user subject person email customer customerid coreidentifier datasubject datasubjectid externalid distinctid"
	idNames      = "id requestid actionid jobid taskid uuid requestqueuerefid ref reference regulateid key oid pk"
	typeNames    = "operation type action requesttype actiontype kind what method name"
	statusNames  = "status state phase stage overallstatus"
	createdNames = "createdat requestedat submittedat created datecreated daterequested requestedon createdon timestamp time date askedon startedat"
)

// record adds where the fields of a record are, and what its words mean.
func (s Settings) record(elements []jsontext.Value, known []Request) {
	if len(elements) == 0 {
		return
	}

	common := commonPlaces(elements)
	own := slices.DeleteFunc(slices.Clone(common), func(p place) bool { return isNamed(jsonvalue.Fold(p.at.Parent().LastToken()), personNames) })
	slices.SortStableFunc(own, func(a, b place) int { return strings.Count(string(a.at), "@") - strings.Count(string(b.at), "@") }) // of JSON-LD
	isAny := func(jsontext.Value) bool { return true }
	for _, field := range []struct {
		name, names string
		fits        func(jsontext.Value) bool
	}{
		{"id", idNames, isAny},
		{"status", statusNames, isAny},
		{"created", createdNames, isAny},
	} {
		p, ok := first(own, field.names, field.fits)
		if !ok && field.name == "status" { // such as jobStatus
			p, ok = ending(own, field.names)
		}
		if ok {
			s.set(string(p.at), "pending", field.name)
		}
	}

	if at, ok := holderOf(elements, common, known); ok {
		s.set(string(at), "pending", "identity")
	}
	if at, ok := typeOf(elements, common); ok {
		s.set(string(at), "pending", "type")
		s.words(elements, at, known)
	}
}

// commonPlaces returns the scalars that every record has.
func commonPlaces(elements []jsontext.Value) []place {
	common := slices.DeleteFunc(places(elements[0]), func(p place) bool { return !isScalar(p.value) })
	for _, element := range elements[1:] {
		has := map[jsontext.Pointer]bool{}
		for _, p := range places(element) {
			has[p.at] = isScalar(p.value)
		}
		common = slices.DeleteFunc(common, func(p place) bool { return !has[p.at] })
	}

	return common
}

// holderOf returns the member that holds the person: the one with the value of a person who is
// known, or else one that is named like it, itself or as an object around an identifier.
func holderOf(elements []jsontext.Value, common []place, known []Request) (jsontext.Pointer, bool) {
	for _, element := range elements {
		for _, p := range places(element) {
			isHeld := func(r Request) bool { return r.Person != "" && scalar(p.value) == r.Person }
			if isScalar(p.value) && slices.ContainsFunc(known, isHeld) {
				return p.at, true
			}
		}
	}

	if p, ok := first(common, personNames, isScalar); ok {
		return p.at, true
	}
	for _, p := range common {
		around := jsonvalue.Fold(p.at.Parent().LastToken())
		if isNamed(around, personNames) && isNamed(p.name, "id email value identifier "+personNames) {
			return p.at, true
		}
	}

	return "", false
}

// typeOf returns the member whose words all look like types of requests, or else the one that is
// named like it.
func typeOf(elements []jsontext.Value, common []place) (jsontext.Pointer, bool) {
	isOther := func(word string) bool { return typeLike(word) == "" }
	likely := slices.DeleteFunc(slices.Clone(common), func(p place) bool { return slices.ContainsFunc(wordsAt(elements, p.at), isOther) })
	p, ok := first(likely, typeNames, isScalar)
	if !ok {
		p, ok = ending(likely, typeNames) // such as jobType
	}
	if !ok {
		p, ok = first(common, typeNames, isScalar)
	}

	return p.at, ok
}

// ending returns the first of the places whose name ends with one of the names.
func ending(all []place, names string) (place, bool) {
	for name := range strings.FieldsSeq(names) {
		if i := slices.IndexFunc(all, func(p place) bool { return strings.HasSuffix(p.name, name) }); i >= 0 {
			return all[i], true
		}
	}
	return place{}, false
}

func wordsAt(elements []jsontext.Value, at jsontext.Pointer) (words []string) {
	for _, element := range elements {
		words = append(words, scalar(valueIn(element, at)))
	}
	return words
}

func valueIn(v jsontext.Value, at jsontext.Pointer) jsontext.Value {
	for _, p := range places(v) {
		if p.at == at {
			return p.value
		}
	}
	return nil
}

// typeWords are what words of types look like, folded.
var typeWords = []struct {
	requestType string
	like        *regexp.Regexp
}{
	{"profile_update", regexp.MustCompile(`^patch|^put$|update|rectif|correct|edit|modify|change`)},
	{"data_deletion", regexp.MustCompile(`delet|eras|remov|forget|purge|anonymi|destroy`)},
	{"data_access", regexp.MustCompile(`^(get|fetch)|access|export|download|portab|retrieve|report`)},
}

func typeLike(word string) string {
	for _, t := range typeWords {
		if t.like.MatchString(jsonvalue.Fold(word)) {
			return t.requestType
		}
	}
	return ""
}

// words adds what the words of types and statuses stand for. Those of a request that was sent are
// known; any other status is proposed only where its word looks open.
func (s Settings) words(elements []jsontext.Value, at jsontext.Pointer, known []Request) {
	types, statuses := map[string][]any{}, map[string][]any{}
	status, _ := valueAt(s, []string{"pending", "status"}).(string)
	for _, element := range elements {
		of := requestOf(element, known)

		word := scalar(valueIn(element, at))
		requestType := cmp.Or(of.Type, typeLike(word))
		if requestType != "" && word != "" {
			types[requestType] = joined(types[requestType], []any{word})
		}

		word = scalar(valueIn(element, jsontext.Pointer(status)))
		state := of.State
		if state == "" && looksOpen.MatchString(jsonvalue.Fold(word)) {
			state = "waiting"
		}
		if state != "" && status != "" && word != "" {
			statuses[state] = joined(statuses[state], []any{word})
		}
	}

	for requestType, words := range types {
		s.set(words, "pending", "types", requestType)
	}
	for state, words := range statuses {
		s.set(words, "pending", "statuses", state)
	}
}

var looksOpen = regexp.MustCompile(`pending|queue|wait|progress|process|running|new|open|accept|submit|creat|start|active|sched|compil|enrich|made|approv|review|simmer|hold|received`)

// requestOf returns which of the known requests a record is: the one with its id, or the only one
// of its person; the zero Request if it is none.
func requestOf(element jsontext.Value, known []Request) Request {
	var persons []Request
	for _, r := range known {
		isID := func(p place) bool {
			return scalar(p.value) == r.ID && (strings.HasSuffix(p.name, "id") || isNamed(p.name, idNames))
		}
		if r.ID != "" && slices.ContainsFunc(places(element), isID) {
			return r
		}
		if r.Person != "" && hasScalar(element, r.Person) {
			persons = append(persons, r)
		}
	}
	if len(persons) != 1 {
		return Request{}
	}

	return persons[0]
}

// hasScalar reports whether an object has a text or a number with this text, on any level.
func hasScalar(v jsontext.Value, text string) bool {
	return slices.ContainsFunc(places(v), func(p place) bool { return scalar(p.value) == text })
}
