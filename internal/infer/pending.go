// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Request is what is known of a request that the list may show.
type Request struct {
	Person string
	ID     string // empty if the service gave none
	Type   string // one of decode.RequestTypes; empty if no request was sent
	State  string // waiting, effective once its effect was seen, or done once the list has caught up; empty if that is not known
}

// Pending proposes settings for a list of pending requests: where the list and its pages are, where
// a record has its fields, and what its words mean. known are requests that the list may show; words
// of other records are recognised by likeness.
func Pending(a Answer, known ...*Request) (all []Settings) {
	v := a.json()
	found := lists(v)
	if len(found) == 0 {
		return omitted(v)
	}

	for _, list := range found {
		s := Settings{"/pending/at": string(list.at)}
		elements := jsonvalue.Elements(list.value)
		if s.envelope("/pending", v, len(elements), list.at) {
			s.record(elements, known)
			all = append(all, s)
		}
	}

	return all
}

// omitted proposes settings for an object that omits an empty list.
func omitted(v jsontext.Value) []Settings {
	counted := Settings{}
	switch {
	case v.Kind() != '{':
		return nil
	case jsonvalue.IsZero(v):
		return []Settings{{"/pending/empty": true}}
	case counted.envelope("/pending", v, 0):
		return []Settings{counted}
	}

	return nil
}

// listNames are the names of lists of requests.
const listNames = "requests pendingrequests actions data items results content nodes value queue records"

// lists returns the arrays of objects, and the empty arrays, of an answer. Those that are named
// like a list of requests come first; with such a name, null is an empty list.
func lists(v jsontext.Value) []place {
	var named, others []place
	for _, p := range places(v) {
		isList := p.isList()
		mayBeList := isList || p.value.Kind() == 'n'
		switch {
		case mayBeList && isLike(p.name, listNames):
			named = append(named, p)
		case isList:
			others = append(others, p)
		}
	}

	return append(named, others...)
}

// isList reports whether the place is an array of nothing but objects, other than links to pages.
func (p place) isList() bool {
	isOther := func(element jsontext.Value) bool { return element.Kind() != '{' }
	return p.value.Kind() == '[' && !isLinks(p.value) && !slices.ContainsFunc(jsonvalue.Elements(p.value), isOther)
}

// The names of the members of a record, the likely ones first.
const (
	personNames  = "identityid identity userid subjectid user subject person email customer customerid coreidentifier datasubject datasubjectid externalid distinctid"
	idNames      = "id requestid actionid jobid taskid uuid requestqueuerefid ref reference regulateid key oid pk"
	typeNames    = "operation type action requesttype actiontype kind what method name"
	statusNames  = "status state phase stage overallstatus"
	createdNames = "createdat requestedat submittedat created datecreated daterequested requestedon createdon timestamp time date askedon startedat"
)

// typeWords are what words for the types of requests are like.
var typeWords = []meaning{
	{decode.RequestProfileUpdate, "patch* put *update* *rectif* *correct* *edit* *modify* *change*"},
	{decode.RequestDataDeletion, "*delet* *eras* *remov* *forget* *purge* *anonymi* *destroy*"},
	{decode.RequestDataAccess, "get* fetch* *access* *export* *download* *portab* *retrieve* *report*"},
}

// The meanings that words of a status are like.
var (
	isOpen   = meaning{decode.StatusWaiting, "*ing *pending* *queue* *wait* *progress* *new* *open* *accept* *submit* *creat* *start* *active* *sched* *made* *approv* *review* *hold* *receiv*"}
	isDone   = meaning{decode.StatusDone, "*done* *complet* *finish* *fulfil* *succe* *execut* *deliver*"}
	isOver   = meaning{"", isDone.patterns + " *clos* *ended* *archiv* *resolv* *fail* *reject* *refus* *cancel* *expir*"}
	isPartly = meaning{"", "in* un* not* *part*"}
)

// statusWords are what the status of a request is like, by its state. The list may lag, so that a request may look open
// after it is done. A status that does not say done by then may also mean that the request came to nothing.
var statusWords = map[string][]meaning{
	"":          {isOpen},
	"waiting":   {isOpen, isOver, {decode.StatusWaiting, "*"}},
	"effective": {isOpen, isPartly, isDone},
	"done":      {isOpen, {decode.StatusEnded, isPartly.patterns}, isDone, {decode.StatusEnded, "*"}},
}

// record adds where the fields of a record are, and what its words mean.
func (s Settings) record(elements []jsontext.Value, known []*Request) {
	var persons, ids []string
	for _, r := range known {
		persons, ids = append(persons, r.Person), append(ids, r.ID)
	}
	columns := columnsOf(elements)
	person := cmp.Or(firstHolding(columns, persons), firstNamed(columns, "", personNames))

	var others, typed []column
	for _, c := range columns {
		isOfPerson := c.at == person || isLike(c.around, personNames)
		if !isOfPerson && !strings.HasPrefix(c.at.LastToken(), "@") { // of JSON-LD
			others = append(others, c)
		}
		if c.allMean(typeWords) {
			typed = append(typed, c)
		}
	}

	s.set("/pending/identity", person)
	s.set("/pending/id", cmp.Or(likelyNamed(others, idNames), firstHolding(others, ids), firstOf(others, column.looksLikeID)))
	s.set("/pending/status", likelyNamed(others, statusNames))
	s.set("/pending/created", likelyNamed(others, createdNames))
	s.set("/pending/type", cmp.Or(likelyNamed(typed, typeNames), likelyNamed(others, typeNames), likelyNamed(typed, "*")))
	s.words(elements, known)
}

// looksLikeID reports whether a column has what identifies a record: texts with a digit that no two records
// have alike, and that are not times.
func (c column) looksLikeID() bool {
	isOther := func(text string) bool {
		return !isLike(text, "*[0-9]*") || isLike(text, "20[0-9][0-9][01][0-9][0-3][0-9]*")
	}
	return c.value.Kind() == '"' && c.isUnique() && !slices.ContainsFunc(c.texts, isOther)
}

// words adds what the words of types and statuses mean. Those of a request that was sent are known.
func (s Settings) words(elements []jsontext.Value, known []*Request) {
	typeAt, _ := s["/pending/type"].(string)
	statusAt, _ := s["/pending/status"].(string)
	for _, element := range elements {
		word := placeOf("", jsonvalue.At(element, jsontext.Pointer(typeAt))).text
		requestType := meaningOf(word, typeWords)
		sent := requestOf(element, known, requestType)
		s.word("/pending/types", typeAt, cmp.Or(sent.Type, requestType), word)

		word = placeOf("", jsonvalue.At(element, jsontext.Pointer(statusAt))).text
		s.word("/pending/statuses", statusAt, meaningOf(word, statusWords[sent.State]), word)
	}
}

// requestOf returns which of the known requests a record is: the one with its id, or the only one
// of its person, or of its type too; the zero Request if it is not known.
func requestOf(element jsontext.Value, known []*Request, requestType string) *Request {
	members := places(element)
	var theirs []*Request
	for _, r := range known {
		if slices.ContainsFunc(members, r.isNamedBy) {
			return r
		}
		if slices.ContainsFunc(members, r.isAbout) {
			theirs = append(theirs, r)
		}
	}

	if len(theirs) > 1 {
		theirs = slices.DeleteFunc(theirs, func(r *Request) bool { return r.Type != requestType })
	}
	if len(theirs) != 1 {
		return &Request{}
	}

	return theirs[0]
}

func (r *Request) isNamedBy(p place) bool { return p.text == r.ID && p.namesID() }

func (r *Request) isAbout(p place) bool { return p.text == r.Person }

// namesID reports whether a place is named like an identifier.
func (p place) namesID() bool { return p.isFilled() && isLike(p.name, "*id "+idNames) }
