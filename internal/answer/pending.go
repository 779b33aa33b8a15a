// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// PendingList is the pending list as far as it was recognised.
type PendingList struct {
	// Records are in the order of their time, then id, then text, whatever the order of
	// the service.
	Records []PendingRecord
	// Gap says why the list is not whole, and which setting admits it; empty where it is
	// whole. It never holds a value of the list.
	Gap string
	// Cached reports that a cache has kept the answer for some time, and Date is when the
	// service made it; zero if it does not say so.
	Cached bool
	Date   time.Time
}

// Sort puts the records in their order.
func (l PendingList) Sort() {
	slices.SortFunc(l.Records, func(a, b PendingRecord) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID), bytes.Compare(a.JSON, b.JSON))
	})
}

// Partial returns the gap of a list that only its user can declare to be whole.
func Partial(why string) string {
	return (&Error{Why: why, Advice: Admits(`wire.pending.use = "partial"`)}).Error()
}

// ListCall is a call that answers with the pending list, and the settings for it.
type ListCall struct {
	Envelope Envelope
	At       jsontext.Pointer // wire.pending.at; empty finds the only array of the content
	// Next and Total are wire.pending.next and wire.pending.total, from the top of the answer.
	Next, Total jsontext.Pointer
	RecordMap   RecordMap
	Empty       bool // wire.pending.empty: an answer with nothing in it is an empty list
	// Continued reports that a header says that the answer is a part.
	Continued bool
	// Advice says which settings admit an answer that is not a whole list; empty where they are not known.
	Advice string
}

// besideAdvice is the advice for what stands beside a list, if no settings are known that admit it.
const besideAdvice = "look at it: wire.pending.next leads to the next page, wire.pending.total counts all records, " +
	"and wire.ignored leaves out what does not say that the answer is refused or incomplete"

// Read returns the list of an answer: an array of objects, where At says, or else the only array of
// its content. In place of an array, null is an empty one, and so is nothing where Total counts none. It
// is whole where nothing stands beside it but nulls, counts that agree with it, and what the settings
// name. The error of an answer without a list is an *Error.
func (c ListCall) Read(v jsontext.Value) (PendingList, error) {
	answer := c.Envelope.decode(v)
	if answer.saysNo(outcomeFields) {
		return PendingList{}, refused()
	}
	found, problem := c.list(answer)
	if problem != nil {
		return PendingList{}, problem
	}

	list := PendingList{}
	elements := jsonvalue.Elements(found.Value)

	beside := c.beside(answer, found, len(elements))
	switch {
	case c.Continued:
		list.Gap = Partial("a Content-Range header says that there is more")
	case len(beside) > 0:
		list.Gap = (&Error{Why: "beside its list it has " + shownPlaces(beside), Advice: cmp.Or(c.Advice, besideAdvice)}).Error()
	}

	for _, element := range elements {
		if element.Kind() != '{' {
			list.Gap = Partial("it holds an entry that is not an object")
			continue
		}
		list.Records = append(list.Records, c.RecordMap.record(element))
	}
	list.Sort()

	return list, nil
}

// list returns the list of an answer, or what stands for an empty one.
func (c ListCall) list(answer *node) (*node, *Error) {
	content := answer.find(c.Envelope.At + c.At)
	if content.Kind() == '[' || content.Kind() == 'n' {
		return content, nil
	}

	var lists []*node
	if c.At == "" {
		lists = content.arrays()
	}
	if len(lists) == 1 {
		return lists[0], nil
	}
	if len(lists) > 1 {
		return nil, &Error{
			Why:    "the answer holds more than one array, " + shownPlaces(lists) + ", and which of them is the list of pending requests is not known",
			Advice: cmp.Or(c.Advice, Admits("wire.pending.at")),
		}
	}

	switch {
	case c.countsNone(answer, content):
		return answer.find(c.Total), nil
	case c.Empty && answer.isBlank():
		return answer, nil
	}

	return nil, &Error{
		Why:    "no list of pending requests was recognised in the answer; it is " + Structure(answer.Value),
		Advice: cmp.Or(c.Advice, Admits(`wire.pending.use = "ignored"`)),
	}
}

// countsNone reports whether an answer counts no records, and has no list.
func (c ListCall) countsNone(answer, content *node) bool {
	isMissing := content.Value == nil
	if c.At == "" {
		isMissing = len(answer.arrays()) == 0
	}
	return isMissing && c.Total != "" && string(answer.find(c.Total).Value) == "0"
}

// beside returns the leaves beside the list of an answer that may say that it is not whole: any but nulls,
// counts that agree with it, and what the settings name.
func (c ListCall) beside(answer, list *node, length int) (beside []*node) {
	for _, leaf := range answer.leaves(list.at) {
		isKnown := leaf.at == c.Next || leaf.at == c.Total
		isCount := leaf.isNamed(countFields) && string(leaf.Value) == strconv.Itoa(length)
		if !isKnown && !isCount && !leaf.isNull() {
			beside = append(beside, leaf)
		}
	}
	return beside
}

// arrays returns the arrays in an object and in the objects in it, other than those that are ignored.
func (n *node) arrays() (found []*node) {
	for _, m := range n.members {
		if m.Kind() == '[' && !m.ignored {
			found = append(found, m)
		}
		found = append(found, m.arrays()...)
	}
	return found
}

// PendingRecord is one entry of the pending list. What is not recognised is empty, and
// only in JSON.
type PendingRecord struct {
	ID          string
	Identity    string
	RequestType string // one of RequestTypes
	CreatedAt   time.Time
	Status      string
	// Progress is what all statuses, errors and flags of the record say; Unclear where they
	// disagree, which Disagrees reports, or are not known.
	Progress  Progress
	Disagrees bool
	Code      string // of a failure
	JSON      []byte // the complete record
}

// PersonKeys returns the PersonKey of every text and number in the record, other than words for its
// type and status.
func (r PendingRecord) PersonKeys() []string {
	return personKeys(nil, Envelope{}.decode(r.JSON))
}

// personKeys appends the keys of a value to those that were found before.
func personKeys(keys []string, n *node) []string {
	if n.isNamed(typeFields, statusFields) {
		return keys
	}
	if text := n.scalar(); text != "" {
		keys = append(keys, PersonKey(text))
	}
	for _, inside := range n.inside() {
		keys = personKeys(keys, inside)
	}

	return keys
}

// RecordMap says where a record of the pending list has its fields, and what its words mean.
type RecordMap struct {
	ID, Identity, Type, Status, Created jsontext.Pointer // of wire.pending; empty for the usual names
	Types                               map[string][]string
	Statuses                            map[Progress][]string
}

// record returns the fields of a record.
func (m RecordMap) record(v jsontext.Value) PendingRecord {
	n := Envelope{}.decode(v)
	person := pick(n, m.Identity, personFields).scalar()
	r := PendingRecord{
		ID:          requestID(pick(n, m.ID, idFields), person),
		Identity:    person,
		RequestType: m.requestType(n),
		CreatedAt:   createdAt(pick(n, m.Created, createdFields)),
		Status:      pick(n, m.Status, statusFields).scalar(),
		Code:        failureCode(n),
		JSON:        v,
	}
	r.Progress, r.Disagrees = m.progress(n)

	return r
}

// pick returns a field of a record: what the pointer of a setting leads to, or without one the first of
// the usual names at the top of the record.
func pick(n *node, at jsontext.Pointer, names []string) *node {
	if at != "" {
		return n.find(at)
	}
	return n.field(names...)
}

// requestID returns the identifier of a request: text, a number, or the identifier in an object. That
// of the person does not count.
func requestID(n *node, person string) string {
	id := n.scalar()
	if n.Kind() == '{' { // such as {"$oid": "…"}, or a user
		id = n.field("oid", "id", "identityid").scalar()
	}
	if PersonKey(id) == PersonKey(person) {
		return ""
	}

	return id
}

// createdAt returns the time of a request; zero where it is not known.
func createdAt(n *node) time.Time {
	at, ok := n.instant("")
	if !ok || at.Before(earliestInstant) {
		return time.Time{}
	}
	return at
}

// requestType returns the type of a request: what the word stands for where the setting points, or what
// all words in the fields for a type stand for, other than neutral ones. It is empty if that is not known:
// if a word stands for none, or for another.
func (m RecordMap) requestType(n *node) string {
	if m.Type != "" {
		requestType, _ := meaning(n.find(m.Type).scalar(), m.Types, typeWords)
		return requestType
	}

	var found []string
	for _, member := range n.members {
		word, isText := member.string()
		isType := isText && word != "" && member.isNamed(typeFields)
		if isType && !member.ignored && !isWord(word, neutralWords) {
			requestType, _ := meaning(word, m.Types, typeWords)
			found = append(found, requestType)
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}

	return found[0]
}

// failureCode returns the code of a failure that a record has, or its message.
func failureCode(n *node) string {
	failure := n.field("error")
	for _, n := range []*node{n.field(codeFields...), failure, failure.field(codeFields...), failure.field("message")} {
		if text := n.scalar(); text != "" {
			return text
		}
	}
	return ""
}

// progress returns what a record says of its request: by each status, and by errors and flags, which
// can only say that it failed. An end of a request that says nothing else, or that is pending, is
// Unclear.
func (m RecordMap) progress(n *node) (progress Progress, disagrees bool) {
	statuses := []*node{n.find(m.Status)}
	if m.Status == "" {
		statuses = n.members
	}

	found := map[Progress]bool{}
	for _, member := range statuses {
		isStatus := m.Status != "" || member.isNamed(statusFields)
		if status := member.scalar(); isStatus && status != "" {
			progress = m.progressOf(status)
			found[progress] = true
		}
	}
	if n.saysNo(flagFields) {
		progress = Failed
		found[Failed] = true
	}

	hasEnd := n.field(endFields...).Value != nil
	switch {
	case len(found) > 1:
		return Unclear, true
	case progress == Waiting && hasEnd:
		return Unclear, found[Waiting]
	}

	return progress, false
}
