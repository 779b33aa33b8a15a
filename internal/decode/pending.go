// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// PendingList is the pending list as far as it was recognised. Who reads the list fills in all but the records.
type PendingList struct {
	Records []PendingRecord
	Gap     string    // why the list is not whole, and which setting admits it; never a value of the list
	Hint    string    // completes a sentence about records whose person or operation is not known, with the settings that name it
	Cached  bool      // a cache has kept the answer for some time
	Date    time.Time // when the service made the answer; zero if it does not say so
}

// Partial returns the Error of a list that only its user can declare to be whole.
func Partial(why string) *Error {
	return &Error{Outcome: Incomplete, Why: why, Advice: Admits(`wire.pending.use = "partial"`)}
}

// ListMap says where the pending list and what its records say is, as the block wire.pending.
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

// Read returns the list of an answer. It is whole if beside it are only nulls, counts that agree with it, and what the
// settings name. The error is an *Error; Incomplete, with the list, if the list is not whole.
func (c ListCall) Read(v jsontext.Value) (list PendingList, err error) {
	answer := c.Envelope.decode(v)
	if answer.says(refusalNames, Failed) {
		return list, refused()
	}
	found, err := c.list(answer)
	if err != nil {
		return list, err
	}

	for _, element := range found.parts {
		if element.Kind() != '{' {
			return list, Partial("it holds an entry that is not an object")
		}
		list.Records = append(list.Records, c.record(element))
	}

	return list, c.checkSiblings(answer, found)
}

// checkSiblings returns the Error of what stands beside a list and may say that it is not whole.
func (c ListCall) checkSiblings(answer, list *node) error {
	var beside []jsontext.Pointer
	for _, leaf := range answer.leaves(list) {
		at := leaf.at()
		isCount := leaf.text == strconv.Itoa(len(list.parts)) && slices.Contains(countNames, leaf.name)
		isConfigured := at == c.Next || at == c.Total
		if !isCount && !isConfigured && leaf.Kind() != 'n' && !IsOtherPage(leaf.Kind(), at, c.Next) {
			beside = append(beside, at)
		}
	}
	if beside == nil {
		return nil
	}

	return &Error{
		Outcome: Incomplete,
		Why:     "beside its list it has " + Shown(beside...),
		Advice:  "look at it: wire.pending.next leads to the next page, wire.pending.total counts all records, and wire.ignored leaves out what says nothing",
	}
}

// list returns the list of an answer: where At says, or the only array. Null, a total of 0, and with Empty an answer with
// nothing in it, stand for an empty one.
func (c ListCall) list(answer *node) (*node, error) {
	content, total := answer.find(c.Envelope.At+c.At), answer.find(c.Total)

	var lists []*node
	for _, leaf := range content.leaves(nil) {
		if leaf.Kind() == '[' && (c.At == "" || leaf == content) {
			lists = append(lists, leaf)
		}
	}
	switch {
	case len(lists) == 1:
		return lists[0], nil
	case content.Kind() == 'n':
		return content, nil
	case total.text == "0": // the text of the whole answer is not known
		return total, nil
	case c.Empty && answer.isBlank():
		answer.parts = nil // which are nulls
		return answer, nil
	}

	setting := `wire.pending.use = "ignored"`
	if len(lists) > 1 {
		setting = "wire.pending.at"
	}

	return nil, &Error{Why: "no list of pending requests was recognised in the answer; it is " + Structure(answer.Value), Advice: Admits(setting)}
}

// PendingRecord is one entry of the pending list. What is not recognised is only in JSON.
type PendingRecord struct {
	ID          string
	Identity    string
	RequestType string // one of RequestTypes
	CreatedAt   time.Time
	Status      string
	Progress    Progress // by all statuses, errors and flags; Unclear if they disagree or are not known
	Code        string   // of a failure
	JSON        []byte   // the complete record
}

// IsUnknown reports whether the person or the operation of the record is unknown.
func (r PendingRecord) IsUnknown() bool { return r.Identity == "" || r.RequestType == "" }

// Compare orders records by their time, then id, then text, whatever the order of the service.
func (r PendingRecord) Compare(other PendingRecord) int {
	return cmp.Or(r.CreatedAt.Compare(other.CreatedAt), cmp.Compare(r.ID, other.ID), bytes.Compare(r.JSON, other.JSON))
}

// PersonKeys returns the PersonKey of every text and number in the record but its type and status.
func (r PendingRecord) PersonKeys() (keys []string) {
	for parts := (Envelope{}).decode(r.JSON).parts; len(parts) > 0; parts = parts[1:] {
		if text := parts[0].text; text != "" && !slices.Contains(wordNames, parts[0].name) {
			keys = append(keys, PersonKey(text))
		}
		parts = append(parts, parts[0].parts...)
	}
	return keys
}

// RecordMap says where a record of the pending list has its fields, and what its words mean. An empty pointer stands for
// the usual names.
type RecordMap struct {
	Identity jsontext.Pointer `json:"identity,omitzero"`
	ID       jsontext.Pointer `json:"id,omitzero"`
	Type     jsontext.Pointer `json:"type,omitzero"`
	Status   jsontext.Pointer `json:"status,omitzero"`
	Created  jsontext.Pointer `json:"created,omitzero"`

	Types    map[string][]string `json:"types,omitzero"`    // words, by one of RequestTypes
	Statuses map[string][]string `json:"statuses,omitzero"` // words, by one of StatusMeanings
}

func (m RecordMap) record(n *node) PendingRecord {
	person := n.field(m.Identity, personNames).text
	created, _ := n.field(m.Created, createdNames).instant(TimeUnixS)
	failure := n.field("", errorNames)

	return PendingRecord{
		ID:          requestID(n.field(m.ID, idNames), person),
		Identity:    person,
		RequestType: m.requestType(n),
		CreatedAt:   created,
		Status:      n.field(m.Status, statusNames).text,
		Progress:    m.progress(n),
		Code:        cmp.Or(failure.field("", codeNames).text, n.field("", codeNames).text, failure.text, failure.field("", messageNames).text),
		JSON:        n.Value,
	}
}

// requestType returns what all words in the fields for a type stand for; empty if one stands for none, or for another.
func (m RecordMap) requestType(n *node) string {
	var types []string
	for _, word := range n.words(m.Type, typeNames) {
		types = append(types, meaning(word, m.Types, typeWords))
	}
	if types = slices.Compact(types); len(types) != 1 {
		return ""
	}
	return types[0]
}

// progress returns what a record says of its request: by each status, and by errors and flags that say that it failed.
// What contradicts itself is Unclear, and so is an end without an outcome.
func (m RecordMap) progress(n *node) Progress {
	var says []Progress
	for _, status := range n.words(m.Status, statusNames) {
		says = append(says, progressOf(status, m.Statuses))
	}
	if n.says(refusalNames, Failed) {
		says = append(says, Failed)
	}
	first := append(says, Waiting)[0]
	isEnded := first == Waiting && n.field("", endNames).Value != nil
	if isEnded || len(slices.Compact(says)) > 1 {
		return Unclear
	}

	return first
}
