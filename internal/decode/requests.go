// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The request types, which are the deferred actions of section 4, as this provider names them.
const (
	RequestProfileUpdate = "profile_update"
	RequestDataAccess    = "data_access"
	RequestDataDeletion  = "data_deletion"
)

// RequestTypes are all request types.
var RequestTypes = []string{RequestDataAccess, RequestDataDeletion, RequestProfileUpdate}

// Progress is what the status of a request means.
type Progress = string

// The values of Progress, as the settings have them. A request must never be taken for done because its status was new,
// so that an unknown one is Unclear.
const (
	Unclear = "unclear"
	Waiting = "waiting"
	Done    = "done"
	Failed  = "failed"
	Ended   = "ended" // no longer waiting, whatever came of it
)

// StatusMeanings are what a status can mean in the settings.
var StatusMeanings = []string{Waiting, Done, Failed, Ended}

// PersonKey returns what identifiers that may be of one person have in common: they differ only by capitals,
// percent-encoding, once or twice, a plus sign for a blank, Unicode normalisation, and mailto: in front.
func PersonKey(identity string) string {
	for range 2 {
		if plain, err := url.PathUnescape(identity); err == nil {
			identity = plain
		}
	}
	key := strings.ToLower(norm.NFC.String(strings.ReplaceAll(identity, "+", " ")))
	return strings.TrimPrefix(key, "mailto:")
}

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
	found, err := c.find(answer)
	switch {
	case answer.says(refusalNames, Failed):
		return list, refused()
	case err != nil:
		return list, err
	}

	for _, element := range found.parts() {
		if element.Kind() == '{' {
			list.Records = append(list.Records, c.record(element))
		}
	}
	if len(list.Records) < len(found.parts()) {
		return list, Partial("it holds an entry that is not an object")
	}

	return list, c.checkBeside(answer, found)
}

// checkBeside returns the Error of what stands beside a list and may say that it is not whole.
func (c ListCall) checkBeside(answer, list *node) error {
	var beside []jsontext.Pointer
	for _, leaf := range answer.leaves(list) {
		at := leaf.at()
		isCount := slices.Contains(countNames, leaf.name) && leaf.text == strconv.Itoa(len(list.parts()))
		switch {
		case isCount, leaf.Kind() == 'n', at == c.Next, at == c.Total, IsOtherPage(leaf.Kind(), at, c.Next):
		default:
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

// find returns the list of an answer: where At says, or the only array. Null, a total of 0, and with Empty an answer
// with nothing in it, stand for an empty one.
func (c ListCall) find(answer *node) (*node, error) {
	content, total := answer.find(c.Envelope.At+c.At), answer.find(c.Total)

	places := []*node{content}
	if c.At == "" {
		places = content.leaves(nil)
	}

	lists := slices.DeleteFunc(places, func(n *node) bool { return n.Kind() != '[' })
	switch {
	case len(lists) == 1:
		return lists[0], nil
	case content.Kind() == 'n':
		return content, nil
	case total.text == "0": // the text of the whole answer is not known
		return total, nil
	case c.Empty && answer.isBlank():
		answer.inside = nil // which are nulls
		return answer, nil
	}

	return nil, &Error{
		Why:    "no list of pending requests was recognised in the answer; it is " + Structure(answer.Value),
		Advice: Admits("wire.pending.at, which points to it, or wire.pending.use = \"ignored\""),
	}
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
	for parts := (Envelope{}).decode(r.JSON).parts(); len(parts) > 0; parts = parts[1:] {
		if text := parts[0].text; text != "" && !slices.Contains(wordNames, parts[0].name) {
			keys = append(keys, PersonKey(text))
		}
		parts = append(parts, parts[0].parts()...)
	}
	return keys
}

// RecordMap says where a record of the pending list has its fields, and what its words mean. An empty pointer stands
// for the usual names.
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
		RequestType: meaning(n.fields(m.Type, typeNames), m.Types, typeWords),
		CreatedAt:   created,
		Status:      n.field(m.Status, statusNames).text,
		Progress:    m.progress(n),
		Code:        cmp.Or(failure.field("", codeNames).text, n.field("", codeNames).text, failure.text, failure.field("", messageNames).text),
		JSON:        n.Value,
	}
}

// progress returns what a record says of its request: by its statuses, and by errors and flags that say that it failed.
// What contradicts itself is Unclear, and so is an end without an outcome.
func (m RecordMap) progress(n *node) Progress {
	says := n.fields(m.Status, statusNames)
	hasText := func(status *node) bool { return status.text != "" }
	switch {
	case n.says(refusalNames, Failed):
		says = append(says, &node{text: Failed})
	case !slices.ContainsFunc(says, hasText):
		says = append(says, &node{text: Waiting})
	}

	progress := cmp.Or(meaning(says, m.Statuses, statusWords), Unclear)
	if progress == Waiting && n.field("", endNames).Value != nil {
		return Unclear
	}

	return progress
}

// request is what an object says of a request.
type request struct {
	isRefused bool // by an error, a flag or a status
	isOpen    bool // by a type, or by a status that is known to be open
	id        string
	created   time.Time
}

// request returns what an object and the only objects in it say of a request about a person. An id or a time is that of
// the outermost one: those inside may be of a record.
func (n *node) request(person string) (r request) {
	id := &node{}
	for object := n; object != nil; object = object.only(unwrappedNames) {
		isOpen := object.says(statusNames, Waiting) || meaning(object.named(typeNames...), nil, typeWords) != ""
		created, _ := object.field("", createdNames).instant(TimeUnixS)

		r.isRefused = r.isRefused || object.says(failureNames, Failed)
		r.isOpen = r.isOpen || isOpen
		r.created = cmp.Or(r.created, created)
		if id.Value == nil {
			id = object.field("", idNames)
		}
	}
	r.id = requestID(id, person)

	return r
}

// requestID returns the identifier of a request, which may stand in {"$oid": "…"}. That of the person does not count.
func requestID(n *node, person string) string {
	id := cmp.Or(n.text, n.find("/$oid").text)
	if PersonKey(id) == PersonKey(person) {
		return ""
	}
	return id
}

// Receipt is the service's answer to a deferred request that it has accepted.
type Receipt struct {
	ID            string    // the service's identifier of the request; empty where it gave none
	At            time.Time // when the service accepted it, as the answer says, or else the time of the answer
	Delivered     bool      // the answer is the person's data, and was written to the writer of FetchData
	NotUnderstood string    // the structure of an answer that nothing shows to be a receipt, so that nothing shows that the request was accepted
}

// ReadReceipt returns the receipt that an answer to a queueing call about a person is: anything under 202 or 204;
// nothing; a request; or a flag that says yes. One that refuses is an *Error.
func (e Envelope) ReadReceipt(status int, v jsontext.Value, person string) (Receipt, error) {
	e.Ignored = nil // a flag that is ignored elsewhere refuses a request all the same

	answer := e.decode(v)

	request, said := answer.request(person), answer.find(e.Result.At)
	isSuccess := said.isIgnored // by its word
	switch {
	case request.isRefused:
		return Receipt{}, refused()
	case e.Result.At != "" && !isSuccess && said.word() != "": // the identifier may be that of the call
	case request.id != "", request.isOpen:
		return Receipt{ID: request.id, At: cmp.Or(request.created, time.Now())}, nil
	case status == 202, status == 204, isSuccess, answer.says(flagNames, Done), answer.isBlank():
		return Receipt{At: time.Now()}, nil
	}

	return Receipt{At: time.Now(), NotUnderstood: Structure(v)}, nil
}

// ReadUpdateReceipt is ReadReceipt for the update of a profile. The answer may be the profile with the values sent. Its
// identifier is not that of a request then.
func (e Envelope) ReadUpdateReceipt(status int, v jsontext.Value, person string, sent map[string]jsontext.Value) (Receipt, error) {
	shown := Envelope{}.decode(v)
	if len(shown.parts()) == 1 && shown.parts()[0].Kind() == '{' {
		shown = shown.parts()[0]
	}
	profile := Profile{Members: jsonvalue.Members(shown.Value)}
	if shown.shares(sent) && profile.Holds(sent) && !SaysNo(v) {
		return Receipt{At: time.Now()}, nil
	}

	return e.ReadReceipt(status, v, person)
}
