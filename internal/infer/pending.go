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
	State  string // waiting or done; empty if that is not known
}

// Pending proposes settings for a list of pending requests: where the list and its pages are, where
// a record has its fields, and what its words mean. known are requests that the list may show; words
// of other records are recognised by likeness.
func Pending(a Answer, known ...*Request) []Settings {
	v := a.json()
	if v == nil || saysNo(v) {
		return nil
	}

	if isBlank := v.Kind() == '{' && jsonvalue.IsZero(v); isBlank {
		return []Settings{{"/pending/empty": true}}
	}

	found := lists(v)
	isEmpty := func(p place) bool { return len(jsonvalue.Elements(p.value)) == 0 }
	if full := slices.DeleteFunc(slices.Clone(found), isEmpty); len(full) > 1 {
		return nil // none of them holds all requests
	}

	var all []Settings
	for _, list := range found {
		s := Settings{"/pending/at": string(list.at)}
		elements := jsonvalue.Elements(list.value)
		if s.envelope("/pending", v, []jsontext.Pointer{list.at}, len(elements)) {
			s.record(elements, known)
			all = append(all, s)
		}
	}
	if len(found) == 0 { // an empty one may be omitted beside its count
		s := Settings{}
		if s.envelope("/pending", v, nil, 0) {
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
	isOther := func(element jsontext.Value) bool { return element.Kind() != '{' }
	var named, others []place
	for _, p := range places(v) {
		isNull := p.value.Kind() == 'n' && p.isNamed(listNames)
		isList := p.value.Kind() == '[' && !isLinks(p.value) && !slices.ContainsFunc(jsonvalue.Elements(p.value), isOther)
		switch {
		case !isNull && !isList:
		case p.isNamed(listNames):
			named = append(named, p)
		default:
			others = append(others, p)
		}
	}

	return append(named, others...)
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
	if len(elements) == 0 {
		return
	}

	common := commonPlaces(elements)
	person := holderOf(elements, common, known)
	if person != "" {
		s["/pending/identity"] = string(person)
	}
	others := slices.DeleteFunc(slices.Clone(common), func(p place) bool {
		isOfPerson := isNamed(jsonvalue.Fold(p.at.Parent().LastToken()), personNames)
		return isOfPerson || p.at == person || strings.HasPrefix(p.at.LastToken(), "@") // of JSON-LD
	})
	likely := slices.DeleteFunc(common, func(p place) bool { // whose words all look like types
		return slices.ContainsFunc(textsAt(elements, p.at), func(word string) bool { return typeLike(word) == "" })
	})

	for _, field := range []struct {
		setting jsontext.Pointer
		among   []place
		names   string
	}{
		{"/pending/id", others, idNames},
		{"/pending/status", others, statusNames},
		{"/pending/created", others, createdNames},
		{"/pending/type", others, typeNames},
		{"/pending/type", likely, typeNames},
	} {
		if p, ok := first(field.among, field.names); ok {
			s[field.setting] = string(p.at)
		}
	}
	if s["/pending/type"] == nil && len(likely) > 0 {
		s["/pending/type"] = string(likely[0].at)
	}
	if i := slices.IndexFunc(others, func(p place) bool { return looksUnique(p, elements) }); i >= 0 && s["/pending/id"] == nil {
		s["/pending/id"] = string(others[i].at)
	}
	s.words(elements, known)
}

// looksUnique reports whether a place has what identifies a record: a text with a digit that no two have
// alike, and no time.
func looksUnique(p place, elements []jsontext.Value) bool {
	texts := textsAt(elements, p.at)
	isOther := func(text string) bool {
		return !strings.ContainsAny(text, "0123456789") || looksTimed.MatchString(text)
	}
	isLike := p.value.Kind() == '"' && !slices.ContainsFunc(texts, isOther)

	return isLike && len(slices.Compact(slices.Sorted(slices.Values(texts)))) == len(elements)
}

var looksTimed = regexp.MustCompile(`^\d{4}-\d\d-\d\d|\d\d:\d\d`)

// commonPlaces returns the scalars that every record has.
func commonPlaces(elements []jsontext.Value) []place {
	if len(elements) == 0 {
		return nil
	}
	return slices.DeleteFunc(places(elements[0]), func(p place) bool {
		return slices.ContainsFunc(elements, func(element jsontext.Value) bool { return !isScalar(jsonvalue.At(element, p.at)) })
	})
}

// textsAt returns the texts at a place of each record.
func textsAt(elements []jsontext.Value, at jsontext.Pointer) (texts []string) {
	for _, element := range elements {
		texts = append(texts, textOf(jsonvalue.At(element, at)))
	}
	return texts
}

// holderOf returns the member with the person: the one with the identity of a known person, or else the
// one that is named like it, itself or as an object around an identifier.
func holderOf(elements []jsontext.Value, common []place, known []*Request) jsontext.Pointer {
	for _, element := range elements {
		for _, p := range places(element) {
			isKnown := func(r *Request) bool { return textOf(p.value) == r.Person }
			if slices.ContainsFunc(known, isKnown) {
				return p.at
			}
		}
	}

	for name := range strings.FieldsSeq(personNames) {
		isHolder := func(p place) bool {
			isInside := jsonvalue.Fold(p.at.Parent().LastToken()) == name && p.isNamed("id email value identifier")
			return isInside || p.name == name
		}
		if i := slices.IndexFunc(common, isHolder); i >= 0 {
			return common[i].at
		}
	}

	return ""
}

// typeWords match folded words of request types.
var typeWords = []struct {
	requestType string
	like        *regexp.Regexp
}{
	{answer.RequestProfileUpdate, regexp.MustCompile(`^patch|^put$|update|rectif|correct|edit|modify|change`)},
	{answer.RequestDataDeletion, regexp.MustCompile(`delet|eras|remov|forget|purge|anonymi|destroy`)},
	{answer.RequestDataAccess, regexp.MustCompile(`^(get|fetch)|access|export|download|portab|retrieve|report`)},
}

func typeLike(word string) string {
	for _, t := range typeWords {
		if t.like.MatchString(jsonvalue.Fold(word)) {
			return t.requestType
		}
	}
	return ""
}

// words adds what the words of types and statuses mean. Those of a request that was sent are known.
func (s Settings) words(elements []jsontext.Value, known []*Request) {
	typeAt, _ := s["/pending/type"].(string)
	statusAt, _ := s["/pending/status"].(string)
	for _, element := range elements {
		word := textOf(jsonvalue.At(element, jsontext.Pointer(typeAt)))
		sent := requestOf(element, known, typeLike(word))
		s.word("/pending/types", typeAt, cmp.Or(sent.Type, typeLike(word)), word)

		word = textOf(jsonvalue.At(element, jsontext.Pointer(statusAt)))
		s.word("/pending/statuses", statusAt, sent.stateBy(word), word)
	}
}

// stateBy returns what the status of a request means; empty if that is not known. The list may lag, so that
// one which looks open does so too once the request is done. One that does not say done then may as well be
// that of a request which came to nothing.
func (r *Request) stateBy(status string) string {
	status = jsonvalue.Fold(status)
	switch {
	case looksOpen.MatchString(status):
		return "waiting"
	case r.State == "done" && !looksDone.MatchString(status):
		return "ended"
	case r.State == "waiting" && looksOver.MatchString(status):
		return ""
	}
	return r.State
}

// word adds the meaning of a word, if both and its place are known.
func (s Settings) word(vocabulary jsontext.Pointer, at, meaning, word string) {
	if at == "" || meaning == "" || word == "" {
		return
	}
	words, _ := s[vocabulary.AppendToken(meaning)].([]any)
	s[vocabulary.AppendToken(meaning)] = joined(words, word)
}

var (
	looksOpen = regexp.MustCompile(`pending|queue|wait|progress|process|running|new|open|accept|submit|creat|start|active|sched|compil|enrich|made|approv|review|simmer|hold|received`)
	looksDone = regexp.MustCompile(`done|complet|finish|fulfil|succe|execut|deliver`)
	looksOver = regexp.MustCompile(looksDone.String() + `|clos|ended|archiv|resolv|fail|reject|refus|cancel|expir`)
)

// requestOf returns which of the known requests a record is: the one with its id, or the only one
// of its person, or of its type too; the zero Request if it is not known.
func requestOf(element jsontext.Value, known []*Request, requestType string) *Request {
	var texts, ids []string
	for _, p := range places(element) {
		texts = append(texts, textOf(p.value))
		if strings.HasSuffix(p.name, "id") || p.isNamed(idNames) {
			ids = append(ids, textOf(p.value))
		}
	}

	var ofPerson []*Request
	for _, r := range known {
		if r.ID != "" && slices.Contains(ids, r.ID) {
			return r
		}
		if slices.Contains(texts, r.Person) {
			ofPerson = append(ofPerson, r)
		}
	}
	if len(ofPerson) > 1 {
		ofPerson = slices.DeleteFunc(ofPerson, func(r *Request) bool { return r.Type != requestType })
	}
	if len(ofPerson) != 1 {
		return &Request{}
	}

	return ofPerson[0]
}
