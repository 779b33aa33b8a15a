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
	omitted := Settings{"/pending/empty": true}
	if len(found) == 0 && v.Kind() == '{' && omitted.envelope("/pending", v, 0) {
		return []Settings{omitted}
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

// listNames are the names of lists of requests.
const listNames = "requests pendingrequests actions data items results content nodes value queue records"

// lists returns the arrays of objects, and the empty arrays, of an answer. Those that are named
// like a list of requests come first.
func lists(v jsontext.Value) []place {
	var named, others []place
	isOther := func(element jsontext.Value) bool { return element.Kind() != '{' }
	for _, p := range places(v) {
		leads := isLinks(p.value) || jsonvalue.At(p.value, "/0/rel") != nil
		isList := p.value.Kind() == '[' && !leads && !slices.ContainsFunc(jsonvalue.Elements(p.value), isOther)
		switch {
		case isList && isLike(p.name, listNames):
			named = append(named, p)
		case isList:
			others = append(others, p)
		}
	}

	return append(named, others...)
}

// The patterns of the names of the members of a record, the likely ones first.
const (
	personNames  = "identityid identity userid subjectid user subject person email customer customerid coreidentifier datasubject datasubjectid externalid distinctid"
	idNames      = "id requestid actionid jobid taskid uuid requestqueuerefid ref reference regulateid key oid pk ticket *id *ref *reference"
	typeNames    = "operation type action requesttype actiontype kind what method name *operation *type *action *kind"
	statusNames  = "status state phase stage *status *state *phase *stage"
	createdNames = "createdat requestedat submittedat created datecreated daterequested requestedon createdon timestamp time date askedon startedat" +
		" *created* *requested* *submitted* *timestamp"
)

// typeWords are what words for the types of requests are like.
var typeWords = []meaning{
	{decode.RequestProfileUpdate, "patch* put *update* *rectif* *correct* *edit* *modify* *change*"},
	{decode.RequestDataDeletion, "*delet* *eras* *remov* *forget* *purge* *anonymi* *destroy*"},
	{decode.RequestDataAccess, "get* fetch* *access* *export* *download* *portab* *retrieve* *report*"},
}

// The meanings that words of a status are like.
var (
	isOpen   = meaning{decode.Waiting, "*ing *pending* *queue* *wait* *progress* *new* *open* *accept* *submit* *creat* *start* *active* *sched* *made* *approv* *review* *hold* *receiv*"}
	isDone   = meaning{decode.Done, "*done* *complet* *finish* *fulfil* *succe* *execut* *deliver*"}
	isOver   = meaning{"", isDone.patterns + " *clos* *ended* *archiv* *resolv* *fail* *reject* *refus* *cancel* *expir*"}
	isPartly = meaning{"", "in* un* not* *part*"}
)

// statusWords are what the status of a request is like, by its state. The list may lag, so that a request may look open
// after it is done. A status that does not say done by then may also mean that the request came to nothing.
var statusWords = map[string][]meaning{
	"":          {isOpen},
	"waiting":   {isOpen, isOver, {decode.Waiting, "*"}},
	"effective": {isOpen, isPartly, isDone},
	"done":      {isOpen, {decode.Ended, isPartly.patterns}, isDone, {decode.Ended, "*"}},
}

// record adds where the fields of a record are, and what its words mean.
func (s Settings) record(elements []jsontext.Value, known []*Request) {
	columns := columnsOf(elements)
	typed := meaningful(columns, typeWords)
	person := firstNamed(columns, personNames)
	for _, c := range slices.Backward(columns) {
		for _, r := range known {
			if slices.Contains(c.texts, r.Person) {
				person = c.at
			}
		}
	}
	others := slices.DeleteFunc(columns, func(c column) bool {
		isOfLD := strings.HasPrefix(c.name, "@")
		return isOfLD || c.at == person || isLike(c.around, personNames)
	})

	s.set("/pending/identity", person)
	resources := slices.DeleteFunc(slices.Clone(others), func(c column) bool { return !strings.Contains(c.texts[0], "/") })
	s.set("/pending/id", cmp.Or(firstNamed(others, idNames), firstNamed(resources, "name"))) // of AIP: operations/1
	s.set("/pending/status", firstNamed(others, statusNames))
	s.set("/pending/created", firstNamed(others, createdNames))
	s.set("/pending/type", cmp.Or(firstNamed(typed, typeNames), firstNamed(others, typeNames), firstNamed(typed, "*")))
	for _, element := range elements {
		word := s.field(element, "type")
		requestType := meaningOf(word, typeWords)
		sent := requestOf(known, s.field(element, "id"), s.field(element, "identity"), requestType)
		s.word("/pending/types", cmp.Or(sent.Type, requestType), word)

		word = s.field(element, "status")
		s.word("/pending/statuses", meaningOf(word, statusWords[sent.State]), word)
	}
}

// field returns the text of a field of a record; empty if the settings do not say where it is.
func (s Settings) field(record jsontext.Value, name string) string {
	at, _ := s[jsontext.Pointer("/pending/"+name)].(string)
	return jsonvalue.Scalar(jsonvalue.At(record, jsontext.Pointer(at))) // a whole record is no scalar
}

// word adds what a word means, if both are known.
func (s Settings) word(vocabulary jsontext.Pointer, meaning, word string) {
	if meaning != "" && word != "" {
		s.add(vocabulary.AppendToken(meaning), word)
	}
}

// requestOf returns which of the known requests a record is: the one with its id, or the only one of its person, or of
// its type too; the zero Request if it is not known.
func requestOf(known []*Request, id, person, requestType string) *Request {
	if i := slices.IndexFunc(known, func(r *Request) bool { return id != "" && r.ID == id }); i >= 0 {
		return known[i]
	}

	theirs := slices.DeleteFunc(slices.Clone(known), func(r *Request) bool { return r.Person != person })
	if len(theirs) > 1 {
		theirs = slices.DeleteFunc(theirs, func(r *Request) bool { return r.Type != requestType })
	}
	if len(theirs) != 1 {
		return &Request{}
	}

	return theirs[0]
}
