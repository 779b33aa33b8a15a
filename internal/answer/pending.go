// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
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
	// whole. It never holds a value of the list. Who reads the list fills it in, and Hint.
	Gap string
	// Hint completes a sentence about records whose person or operation is not known, with the settings
	// that name it; empty where none were found.
	Hint string
	// Cached reports that a cache has kept the answer for some time, and Date is when the
	// service made it; zero if it does not say so.
	Cached bool
	Date   time.Time
}

// HasUnknown reports whether a record does not say in a known way whom or which operation it is about.
func (l PendingList) HasUnknown() bool {
	return slices.ContainsFunc(l.Records, func(r PendingRecord) bool { return r.Identity == "" || r.RequestType == "" })
}

// Sort puts the records in their order.
func (l PendingList) Sort() {
	slices.SortFunc(l.Records, func(a, b PendingRecord) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID), bytes.Compare(a.JSON, b.JSON))
	})
}

// Partial returns the Error of a list that only its user can declare to be whole.
func Partial(why string) *Error {
	return &Error{Outcome: Incomplete, Why: why, Advice: Admits(`wire.pending.use = "partial"`)}
}

// ListMap says where the pending list and what its records say is. Its names in JSON are those of the
// block wire.pending.
type ListMap struct {
	At    jsontext.Pointer `json:"at,omitzero"`    // of the list; empty finds the only array of the content
	Next  jsontext.Pointer `json:"next,omitzero"`  // of the address of the next page, from the top of the answer
	Total jsontext.Pointer `json:"total,omitzero"` // of the number of all records, from the top of the answer
	Empty bool             `json:"empty,omitzero"` // an answer with nothing in it is an empty list

	RecordMap
}

// ListCall is a call that answers with the pending list, and the settings for it.
type ListCall struct {
	ListMap
	Envelope Envelope
}

// Read returns the list of an answer: an array of objects, where At says, or else the only array of
// its content. In place of an array, null is an empty one, and so is nothing where Total counts none. It
// is whole where nothing stands beside it but nulls, counts that agree with it, and what the settings
// name. The error is an *Error, which is Incomplete beside a list that is not whole.
func (c ListCall) Read(v jsontext.Value) (PendingList, error) {
	answer := c.Envelope.decode(v)
	if answer.says(roleRefusal, Failed) {
		return PendingList{}, refused()
	}
	found, err := c.list(answer)
	if err != nil {
		return PendingList{}, err
	}

	var list PendingList
	elements := jsonvalue.Elements(found.Value)
	for _, element := range elements {
		if element.Kind() == '{' {
			list.Records = append(list.Records, c.RecordMap.record(element))
		}
	}
	if len(list.Records) < len(elements) {
		return list, Partial("it holds an entry that is not an object")
	}

	return list, c.besides(answer, found, len(elements))
}

// list returns the list of an answer, or what stands for an empty one.
func (c ListCall) list(answer *node) (*node, error) {
	content := answer.find(c.Envelope.At + c.At)
	lists := content.arrays()
	if isTold := c.At != ""; isTold && content.Kind() != '[' {
		lists = nil
	}

	switch len(lists) {
	case 0:
		return c.emptyList(answer, content)
	case 1:
		return lists[0], nil
	}

	return nil, &Error{
		Why:    "the answer holds more than one array, " + Shown(placesOf(lists)...) + ", and which of them is the list of pending requests is not known",
		Advice: Admits("wire.pending.at"),
	}
}

// emptyList returns what stands for an empty list in an answer without one.
func (c ListCall) emptyList(answer, content *node) (*node, error) {
	total := answer.find(c.Total)
	isCounted := total != answer && total.word == "0"
	switch {
	case content.Kind() == 'n':
		return content, nil
	case isCounted:
		return total, nil
	case c.Empty && answer.isBlank():
		return answer, nil
	}

	return nil, &Error{
		Why:    "no list of pending requests was recognised in the answer; it is " + Structure(answer.Value),
		Advice: Admits(`wire.pending.use = "ignored"`),
	}
}

// besides returns the Error of an answer that has something beside its list that may say that it is not whole:
// anything but nulls, counts that agree with it, and what the settings name.
func (c ListCall) besides(answer, list *node, length int) error {
	beside := slices.DeleteFunc(answer.leaves(list), func(leaf *node) bool {
		isCount := leaf.is&roleCount != 0 && leaf.text == strconv.Itoa(length)
		isTold := slices.Contains([]jsontext.Pointer{c.Next, c.Total}, leaf.at())
		return isCount || isTold || leaf.Kind() == 'n' || IsOtherPage(leaf.Kind(), leaf.at(), c.Next)
	})
	if len(beside) == 0 {
		return nil
	}

	return &Error{
		Outcome: Incomplete,
		Why:     "beside its list it has " + Shown(placesOf(beside)...),
		Advice: "look at it: wire.pending.next leads to the next page, wire.pending.total counts all records, " +
			"and wire.ignored leaves out what does not say that the answer is refused or incomplete",
	}
}

// arrays returns an array, or those in an object and in the objects in it, other than what is ignored.
func (n *node) arrays() (found []*node) {
	if n.Kind() == '[' && !n.isIgnored {
		return []*node{n}
	}
	for _, m := range n.members {
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
func (r PendingRecord) PersonKeys() (keys []string) {
	for _, leaf := range decode(r.JSON).leaves(nil) {
		if leaf.text != "" && leaf.is&(roleType|roleStatus) == 0 {
			keys = append(keys, PersonKey(leaf.text))
		}
	}
	return keys
}

// RecordMap says where a record of the pending list has its fields, by pointers that lead from it, and
// what its words mean. An empty pointer stands for the usual names.
type RecordMap struct {
	Identity jsontext.Pointer `json:"identity,omitzero"`
	ID       jsontext.Pointer `json:"id,omitzero"`
	Type     jsontext.Pointer `json:"type,omitzero"`
	Status   jsontext.Pointer `json:"status,omitzero"`
	Created  jsontext.Pointer `json:"created,omitzero"`

	Types    map[string][]string `json:"types,omitzero"`    // words, by one of RequestTypes
	Statuses map[string][]string `json:"statuses,omitzero"` // words, by one of StatusMeanings
}

func (m RecordMap) record(v jsontext.Value) PendingRecord {
	n := decode(v)
	person := pick(n, m.Identity, rolePerson).text
	created, _ := pick(n, m.Created, roleCreated).instant(TimeUnixS)
	r := PendingRecord{
		ID:          requestID(pick(n, m.ID, roleID), person),
		Identity:    person,
		RequestType: m.requestType(n),
		CreatedAt:   created,
		Status:      pick(n, m.Status, roleStatus).text,
		Code:        failureCode(n),
		JSON:        v,
	}
	r.Progress, r.Disagrees = m.progress(n)

	return r
}

// pick returns a field of a record: what the pointer of a setting leads to, or without one the first of
// the usual names at the top of the record.
func pick(n *node, at jsontext.Pointer, is role) *node {
	if at != "" {
		return n.find(at)
	}
	return n.field(is)
}

// requestID returns the identifier of a request: text, a number, or the identifier in an object, such as
// {"$oid": "…"}, or a user. That of the person does not count.
func requestID(n *node, person string) string {
	id := cmp.Or(n.text, n.field(roleInnerID).text)
	if PersonKey(id) == PersonKey(person) {
		return ""
	}
	return id
}

// words returns the texts in a field of a record: where the pointer of a setting leads to, or without one in all
// members with a role.
func (n *node) words(at jsontext.Pointer, is role) (words []string) {
	found := n.named(is)
	if at != "" {
		found = []*node{n.find(at)}
	}
	for _, field := range found {
		if field.text != "" {
			words = append(words, field.text)
		}
	}

	return words
}

// requestType returns the type of a request: what all words in the fields for a type stand for, other than
// numbers and neutral ones. It is empty if that is not known: if a word stands for none, or for another.
func (m RecordMap) requestType(n *node) string {
	types := map[string]bool{}
	only := ""
	for _, word := range n.words(m.Type, roleType) {
		isNeutral := strings.Trim(word, "0123456789") == "" || slices.Contains(neutralWords, jsonvalue.Fold(word))
		if meant := meaning(word, m.Types, typeWords); meant != "" || !isNeutral {
			only, types[meant] = meant, true
		}
	}
	if len(types) > 1 {
		return ""
	}

	return only
}

// failureCode returns the code of a failure that a record has, or its message.
func failureCode(n *node) string {
	failure := n.field(roleError)
	return cmp.Or(failure.field(roleResultCode).text, n.field(roleResultCode).text, failure.text, failure.field(roleMessage).text)
}

// progress returns what a record says of its request: by each status, and by errors and flags, which
// can only say that it failed. An end of a request that says nothing else, or that is pending, is
// Unclear. Without any of them, the request is waiting.
func (m RecordMap) progress(n *node) (progress Progress, disagrees bool) {
	says := map[Progress]bool{}
	for _, status := range n.words(m.Status, roleStatus) {
		progress = m.progressOf(status)
		says[progress] = true
	}
	if n.says(roleError|roleFlag, Failed) {
		progress = Failed
		says[progress] = true
	}

	isEnded := n.field(roleEnd).Value != nil
	switch {
	case len(says) > 1:
		return Unclear, true
	case progress == Waiting && isEnded:
		return Unclear, says[Waiting]
	}

	return progress, false
}
