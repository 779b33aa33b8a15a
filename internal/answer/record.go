// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// PendingRecord is one entry of the pending list. What is not recognised is absent, and
// only in JSON.
type PendingRecord struct {
	ID          Optional[string]
	Identity    Optional[string]
	RequestType Optional[string] // one of RequestTypes
	CreatedAt   Optional[time.Time]
	Status      Optional[string]
	// Progress is what all statuses, errors and flags of the record say; Unclear where they
	// disagree, which Disagrees reports, or are not known.
	Progress  Progress
	Disagrees bool
	Code      string // of a failure
	JSON      []byte // the complete record
}

// Is reports whether the record is of one of the request types.
func (r PendingRecord) Is(requestTypes ...string) bool {
	requestType, known := r.RequestType.Get()
	return known && slices.Contains(requestTypes, requestType)
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
		ID:          optionalText(requestID(pick(n, m.ID, idFields), person)),
		Identity:    optionalText(person),
		RequestType: optionalText(m.requestType(n)),
		CreatedAt:   createdAt(pick(n, m.Created, createdFields)),
		Status:      optionalText(pick(n, m.Status, statusFields).scalar()),
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
	return n.field(names)
}

// requestID returns the identifier of a request: text, a number, or the identifier in an object. That
// of the person does not count.
func requestID(n *node, person string) string {
	id := n.scalar()
	if n.Kind() == '{' {
		id = n.field(nestedFields).scalar()
	}
	if PersonKey(id) == PersonKey(person) {
		return ""
	}

	return id
}

// createdAt returns the time of a request.
func createdAt(n *node) Optional[time.Time] {
	at, ok := n.instant("")
	if !ok || at.Before(earliestInstant) {
		return Optional[time.Time]{}
	}
	return Some(at)
}

// requestType returns the type of a request: what the word stands for where the setting points, or what
// all words in the fields for a type stand for, other than neutral ones. It is empty if that is not known:
// if a word stands for none, or for another.
func (m RecordMap) requestType(n *node) (found string) {
	if m.Type != "" {
		found, _ = meaning(n.find(m.Type).scalar(), m.Types, typeWords)
		return found
	}

	for _, member := range n.members {
		word, isText := member.string()
		isType := isText && word != "" && member.isNamed(typeFields)
		if !isType || member.ignored || isWord(word, neutralWords) {
			continue
		}

		requestType, _ := meaning(word, m.Types, typeWords)
		isOther := found != "" && requestType != found
		if requestType == "" || isOther {
			return ""
		}
		found = requestType
	}

	return found
}

// failureCode returns the code of a failure that a record has, or its message.
func failureCode(n *node) string {
	failure := n.field(errorFields[:1])
	for _, n := range []*node{n.field(codeFields), failure, failure.field(codeFields), failure.field(messageFields)} {
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

	hasEnd := n.field(endFields).Value != nil
	switch {
	case len(found) > 1:
		return Unclear, true
	case progress == Waiting && hasEnd:
		return Unclear, found[Waiting]
	}

	return progress, false
}
