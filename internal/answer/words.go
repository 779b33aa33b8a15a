// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The words of a request that are known without a setting, folded: the interface's own names of
// operations, and the usual ones. They are compared as a whole. The guide "What the interface leaves
// open" lists them.
var (
	typeWords = map[string]string{
		RequestDataDeletion: "deletealldataofauser deletealldata deleteuserdata deletedata delete datadeletion alldatadeletion userdatadeletion deletion" +
			" erasure dataerasure erase erasedata deletionrequest erasurerequest",
		RequestDataAccess: "getalldataofauser getalldata getuserdata getdata alldataaccess dataaccess userdataaccess access accessdata" +
			" dataexport exportdata accessrequest",
		RequestProfileUpdate: "updateuserprofile updateprofile userprofileupdate profileupdate patchprofile updateprofilerequest",
	}
	// neutralWords are names of types that say nothing of the operation.
	neutralWords = "request requests pendingrequest pendingrequests deferredrequest deferredrequests pendingaction pendingactions job task action"

	statusWords = map[Progress]string{
		Waiting: "pending queued waiting inprogress processing running scheduled new open accepted submitted created started active 202",
		Failed:  "failed failure fail error errored rejected cancelled canceled aborted expired",
		Done:    "done completed complete fulfilled finished succeeded success processed",
	}
)

// isWord reports whether a word, once it is folded, is one of a list.
func isWord(word, list string) bool {
	return slices.Contains(strings.Fields(list), jsonvalue.Fold(word))
}

// RequestTypeOf returns the request type that a word stands for; empty if it stands for none.
func RequestTypeOf(word string) string {
	for _, requestType := range RequestTypes {
		if isWord(word, typeWords[requestType]) {
			return requestType
		}
	}
	return ""
}

// progressOf returns what a status means: a word, or a status code of HTTP.
func progressOf(status string) Progress {
	for _, progress := range []Progress{Waiting, Failed, Done} {
		if isWord(status, statusWords[progress]) {
			return progress
		}
	}

	code, err := strconv.Atoi(status)
	if err == nil && code >= 400 && code <= 599 {
		return Failed
	}

	return Unclear
}

// RecordMap says where a record of the pending list has its fields, and what its words mean.
type RecordMap struct {
	ID, Identity, Type, Status, Created jsontext.Pointer // of wire.pending; empty for the usual names
	Types                               map[string][]string
	Statuses                            map[Progress][]string
}

// typeOf returns the request type of a word, by the settings or else by itself.
func (m RecordMap) typeOf(word string) string {
	for requestType, words := range m.Types {
		if slices.Contains(words, word) {
			return requestType
		}
	}
	return RequestTypeOf(word)
}

// meaning returns what a status means, by the settings or else by itself.
func (m RecordMap) meaning(status string) Progress {
	for progress, words := range m.Statuses {
		if slices.Contains(words, status) {
			return progress
		}
	}
	return progressOf(status)
}

// field returns a field of a record: what the pointer leads to, or without one the first of the
// usual names at the top of the record. An object or an array is not a field.
func field(o *Object, v jsontext.Value, at jsontext.Pointer, names string) string {
	if at != "" {
		return scalar(At(v, at))
	}
	return scalar(o.field(names))
}

// Record returns the fields of a record. Its type is what all its fields of this name say, other
// than neutral words.
func (m RecordMap) Record(v jsontext.Value) PendingRecord {
	o := Open(v)
	person, id := field(o, v, m.Identity, personFields), field(o, v, m.ID, idFields)
	if m.ID == "" && id == "" {
		id = identifier(o.field(idFields)) // {"$oid": "…"}
	}
	if PersonKey(id) == PersonKey(person) {
		id = ""
	}

	created, ok := instant(o.field(createdFields))
	if m.Created != "" {
		created, ok = instant(At(v, m.Created))
	}
	r := PendingRecord{
		ID: optionalText(id), Identity: optionalText(person), RequestType: optionalText(m.requestType(o, v)),
		Status: optionalText(field(o, v, m.Status, statusFields)), Code: failureCode(o), JSON: v,
	}
	if ok && !created.Before(earliestInstant) {
		r.CreatedAt = Some(created)
	}
	r.Progress, r.Disagrees = m.progress(o, v)

	return r
}

// requestType returns the type of a record; empty where it is not known.
func (m RecordMap) requestType(o *Object, v jsontext.Value) string {
	if m.Type != "" {
		return m.typeOf(scalar(At(v, m.Type)))
	}

	return m.agreed(typesIn(o))
}

// typesIn returns the words of an object in the fields for a type.
func typesIn(o *Object) (words []string) {
	for _, member := range o.members {
		if word := jsonvalue.Text(member.value); word != "" && member.isNamed(typeFields) {
			words = append(words, word)
		}
	}
	return words
}

// agreed returns the request type that all words stand for, other than neutral ones; empty if one
// stands for none or for another.
func (m RecordMap) agreed(words []string) (found string) {
	for _, word := range words {
		if isWord(word, neutralWords) {
			continue
		}

		requestType := m.typeOf(word)
		isOther := found != "" && requestType != found
		if requestType == "" || isOther {
			return ""
		}
		found = requestType
	}

	return found
}

// failureCode returns the code of a failure that a record has, or its message.
func failureCode(o *Object) string {
	failure := o.field("error")
	inside := Open(failure)
	for _, v := range []jsontext.Value{o.field(codeFields), failure, inside.field(codeFields), inside.field("message")} {
		if text := scalar(v); text != "" {
			return text
		}
	}
	return ""
}

// progress returns what a record says of its request: by each status, and by errors and flags, which
// can only say that it failed. An end of a request that says nothing else, or that is pending, is
// Unclear.
func (m RecordMap) progress(o *Object, v jsontext.Value) (progress Progress, disagrees bool) {
	var said []Progress
	if status := scalar(At(v, m.Status)); m.Status != "" && status != "" {
		said = append(said, m.meaning(status))
	}
	for _, member := range o.members {
		if status := scalar(member.value); m.Status == "" && member.isNamed(statusFields) && status != "" {
			said = append(said, m.meaning(status))
		}
	}
	if o.saysNo(flags) {
		said = append(said, Failed)
	}

	hasEnd := o.field(endFields) != nil
	said = slices.Compact(slices.Sorted(slices.Values(said)))
	switch {
	case len(said) > 1:
		return Unclear, true
	case len(said) == 1 && said[0] != Waiting:
		return said[0], false
	case hasEnd:
		return Unclear, len(said) == 1
	}

	return Waiting, false
}
