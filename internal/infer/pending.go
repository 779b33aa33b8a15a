// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Request is what is known of a request that the list may show.
type Request struct {
	Person string
	ID     string // empty if the service gave none
	Type   string // one of answer.RequestTypes; empty if no request was sent
	State  string // waiting, effective once its effect was seen, or done once the list has caught up; empty if that is not known
}

// Pending proposes settings for a list of pending requests: where the list and its pages are, where
// a record has its fields, and what its words mean. known are requests that the list may show; words
// of other records are recognised by likeness.
func Pending(a Answer, known ...*Request) (all []Settings) {
	v := a.json()
	if v == nil {
		return nil
	}
	if v.Kind() == '{' && jsonvalue.IsZero(v) {
		return []Settings{{"/pending/empty": true}}
	}

	found := lists(v)
	for _, list := range found {
		s := Settings{"/pending/at": string(list.at)}
		elements := jsonvalue.Elements(list.value)
		if s.envelope("/pending", v, []jsontext.Pointer{list.at}, len(elements)) {
			s.record(elements, known)
			all = append(all, s)
		}
	}
	counted := Settings{} // an empty list may be omitted beside its count
	if len(found) == 0 && counted.envelope("/pending", v, nil, 0) {
		all = append(all, counted)
	}

	return all
}

// listNames are the folded names of lists of requests.
const listNames = "requests pendingrequests actions data items results content nodes value queue records"

// lists returns the arrays of objects, and the empty arrays, of an answer. Those that are named
// like a list of requests come first; with such a name, null is an empty list.
func lists(v jsontext.Value) []place {
	var named, others []place
	for _, p := range places(v) {
		isList := p.isList()
		mayBeList := isList || p.value.Kind() == 'n'
		switch {
		case mayBeList && p.isNamed(listNames):
			named = append(named, p)
		case isList:
			others = append(others, p)
		}
	}

	return append(named, others...)
}

// isList reports whether the place is an array of nothing but objects, other than links to pages.
func (p place) isList() bool {
	for _, element := range jsonvalue.Elements(p.value) {
		if element.Kind() != '{' {
			return false
		}
	}
	return p.value.Kind() == '[' && !isLinks(p.value)
}

// The members of a record, by their folded names, the likely ones first.
const (
	personNames  = "identityid identity userid subjectid user subject person email customer customerid coreidentifier datasubject datasubjectid externalid distinctid"
	idNames      = "id requestid actionid jobid taskid uuid requestqueuerefid ref reference regulateid key oid pk"
	typeNames    = "operation type action requesttype actiontype kind what method name"
	statusNames  = "status state phase stage overallstatus"
	createdNames = "createdat requestedat submittedat created datecreated daterequested requestedon createdon timestamp time date askedon startedat"
)

// record adds where the fields of a record are, and what its words mean.
func (s Settings) record(elements []jsontext.Value, known []*Request) {
	columns := columnsOf(elements)
	person := cmp.Or(personIn(elements, known), holderIn(columns))

	var others, typed []column
	for _, c := range columns {
		if !c.isOf(person) {
			others = append(others, c)
		}
		if c.isTyped() {
			typed = append(typed, c)
		}
	}
	isSent := func(c column) bool {
		return slices.ContainsFunc(known, func(r *Request) bool { return r.ID != "" && slices.Contains(c.texts, r.ID) })
	}

	s.set("/pending/identity", person)
	s.set("/pending/id", cmp.Or(firstNamed(others, idNames), firstOf(others, isSent), firstOf(others, column.looksLikeID)))
	s.set("/pending/status", firstNamed(others, statusNames))
	s.set("/pending/created", firstNamed(others, createdNames))
	s.set("/pending/type", cmp.Or(firstNamed(typed, typeNames), firstNamed(others, typeNames), firstOf(typed, column.isTyped)))
	s.words(elements, known)
}

// isOf reports whether a column is of the person, or of JSON-LD.
func (c column) isOf(person jsontext.Pointer) bool {
	return c.at == person || isNamed(c.around, personNames) || strings.HasPrefix(c.at.LastToken(), "@")
}

func (c column) isTyped() bool {
	for _, word := range c.texts {
		if meaningOf(word, typeWords) == "" {
			return false
		}
	}
	return true
}

// looksLikeID reports whether a column has what identifies a record: texts with a digit that no two records
// have alike, and that are no times.
func (c column) looksLikeID() bool {
	for _, text := range c.texts {
		if !strings.ContainsAny(text, "0123456789") || looksTimed.MatchString(text) {
			return false
		}
	}
	return c.value.Kind() == '"' && c.isUnique()
}

var looksTimed = regexp.MustCompile(`^\d{4}-\d\d-\d\d|\d\d:\d\d`)

// personIn returns where a record has the identity of a known person; empty if none has.
func personIn(elements []jsontext.Value, known []*Request) jsontext.Pointer {
	for _, element := range elements {
		for _, p := range places(element) {
			if slices.ContainsFunc(known, p.isPerson) {
				return p.at
			}
		}
	}
	return ""
}

func (p place) isPerson(r *Request) bool {
	return p.text == r.Person
}

// holderIn returns the first column that is named like a person, itself or as an object around an identifier.
func holderIn(columns []column) jsontext.Pointer {
	for name := range strings.FieldsSeq(personNames) {
		for _, c := range columns {
			isInside := c.around == name && c.isNamed("id email value identifier")
			if isInside || c.name == name {
				return c.at
			}
		}
	}

	return ""
}

// typeWords are like the types of requests.
var typeWords = []likeness{
	{answer.RequestProfileUpdate, regexp.MustCompile(`^patch|^put$|update|rectif|correct|edit|modify|change`)},
	{answer.RequestDataDeletion, regexp.MustCompile(`delet|eras|remov|forget|purge|anonymi|destroy`)},
	{answer.RequestDataAccess, regexp.MustCompile(`^(get|fetch)|access|export|download|portab|retrieve|report`)},
}

// words adds what the words of types and statuses mean. Those of a request that was sent are known.
func (s Settings) words(elements []jsontext.Value, known []*Request) {
	typeAt, _ := s["/pending/type"].(string)
	statusAt, _ := s["/pending/status"].(string)
	for _, element := range elements {
		word := placeOf("", jsonvalue.At(element, jsontext.Pointer(typeAt))).text
		requestType := meaningOf(word, typeWords)
		sent := requestOf(element, known, requestType)
		s.word("/pending/types", jsontext.Pointer(typeAt), cmp.Or(sent.Type, requestType), word)

		word = placeOf("", jsonvalue.At(element, jsontext.Pointer(statusAt))).text
		s.word("/pending/statuses", jsontext.Pointer(statusAt), meaningOf(word, statusWords[sent.State]), word)
	}
}

// statusWords are what the status of a request is like, by its state, with what it means. The list may lag, so that
// one which looks open does so too once the request is done. One that does not say done then may as well be
// that of a request which came to nothing.
var statusWords = func() map[string][]likeness {
	const done = `done|complet|finish|fulfil|succe|execut|deliver`
	open := likeness{"waiting", regexp.MustCompile(`pending|queue|wait|progress|process|running|new|open|accept|submit|creat|start|active|sched|compil|enrich|made|approv|review|simmer|hold|received|(ing$)`)}
	over := regexp.MustCompile(done + `|clos|ended|archiv|resolv|fail|reject|refus|cancel|expir`)
	partly, anything := regexp.MustCompile(`^(in|un|not)|part`), regexp.MustCompile(``)
	isDone := likeness{"done", regexp.MustCompile(done)}

	return map[string][]likeness{
		"":          {open},
		"waiting":   {open, {"", over}, {"waiting", anything}},
		"effective": {open, {"", partly}, isDone},
		"done":      {open, {"ended", partly}, isDone, {"ended", anything}},
	}
}()

// requestOf returns which of the known requests a record is: the one with its id, or the only one
// of its person, or of its type too; the zero Request if it is not known.
func requestOf(element jsontext.Value, known []*Request, requestType string) *Request {
	var found []*Request
	for _, r := range known {
		if r.hasIDIn(element) {
			return r
		}
		if personIn([]jsontext.Value{element}, []*Request{r}) != "" {
			found = append(found, r)
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(r *Request) bool { return r.Type != requestType })
	}
	if len(found) != 1 {
		return &Request{}
	}

	return found[0]
}

// hasIDIn reports whether a record has the id of the request in a place that is named like it.
func (r *Request) hasIDIn(element jsontext.Value) bool {
	return r.ID != "" && slices.ContainsFunc(places(element), func(p place) bool { return p.text == r.ID && p.namesID() })
}

// namesID reports whether a place is named like an identifier.
func (p place) namesID() bool {
	return strings.HasSuffix(p.name, "id") || p.isNamed(idNames)
}
