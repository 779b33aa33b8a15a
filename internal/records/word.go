// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// scratch is enough for the folded text of names and words that mean something. It avoids
// an allocation.
type scratch [40]byte

// word returns the kind that a folded word means, such as person, people or eventrecords,
// and whether it is in the plural.
func word(folded []byte) (k Kind, plural bool) {
	stem, plural := bytes.CutSuffix(folded, []byte("records"))
	stem = bytes.TrimSuffix(stem, []byte("record"))

	switch string(stem) {
	case "person":
		return Person, plural
	case "session":
		return Session, plural
	case "event":
		return Event, plural
	case "persons", "people":
		return Person, true
	case "sessions":
		return Session, true
	case "events":
		return Event, true
	}

	return Unknown, false
}

// nameKind returns the kind that the name of a member means for what it contains, such as
// persons, eventRecords or sessionList.
func nameKind(name string) Kind {
	var buffer scratch
	k, _ := word(bytes.TrimSuffix(jsonvalue.AppendFolded(buffer[:0], name), []byte("list")))
	return k
}

// discriminator reports whether a member with the name states the kind of its record, and
// whether it can mean nothing else: an event may have a type of its own.
func discriminator(name []byte) (states, clearly bool) {
	var buffer scratch
	switch string(jsonvalue.AppendFolded(buffer[:0], name)) {
	case "recordtype", "recordkind", "entitytype":
		return true, true
	case "type", "kind":
		return true, false
	}
	return false, false
}

// statedWord is what a record states of its kind.
type statedWord struct {
	name   []byte // of the member
	kind   Kind
	plural bool
}

// usualEndings are how the names of discriminators usually end. Text without them need not
// be looked through member by member, which takes half as long as to parse it.
var usualEndings = [...][]byte{[]byte(`ype"`), []byte(`kind"`), []byte(`Kind"`)}

// said returns what a record states of its kind. closely makes it look at every name, also
// in unusual spellings, and at that of an only member.
func said(record jsontext.Value, closely bool) statedWord {
	mayState, mayStateClearly := false, false
	for _, ending := range usualEndings {
		rest := []byte(record)
		for at := bytes.Index(rest, ending); at >= 0; at = bytes.Index(rest, ending) {
			states, clearly := discriminator(rest[bytes.LastIndexByte(rest[:at], '"')+1 : at+len(ending)-1])
			mayState, mayStateClearly = mayState || states, mayStateClearly || clearly
			rest = rest[at+len(ending):]
		}
	}

	var found statedWord
	if mayState || closely {
		found = stated(record, mayStateClearly, nil)
	}
	if found.kind == Unknown && closely {
		return sole(record)
	}

	return found
}

// stated returns what the discriminators of a record state. A clear one wins over any
// other, and otherwise the first one does. all makes it look for a clear one behind another.
// ignores, if there is any, reports the members that state nothing.
func stated(record jsontext.Value, all bool, ignores func(name, value string) bool) statedWord {
	var found statedWord
	for name, value := range jsonvalue.EachMember(record) {
		states, clearly := discriminator(name)
		if !states || !clearly && found.kind != Unknown || value.Kind() != '"' {
			continue
		}

		text := []byte(value) // folding leaves out the quotation marks
		if bytes.IndexByte(text, '\\') >= 0 {
			text = []byte(jsonvalue.Text(value))
		}
		var buffer scratch
		k, plural := word(jsonvalue.AppendFolded(buffer[:0], text))
		if k == Unknown || ignores != nil && ignores(string(name), "") {
			continue
		}

		found = statedWord{name, k, plural}
		if clearly || !all {
			break
		}
	}

	return found
}

// sole returns what a record states whose only member is called like it, such as
// {"event": {…}}.
func sole(record jsontext.Value) statedWord {
	var found statedWord
	for name, value := range jsonvalue.EachMember(record) {
		var buffer scratch
		k, plural := word(jsonvalue.AppendFolded(buffer[:0], name))
		if k == Unknown || plural || value.Kind() != '{' || found.kind != Unknown {
			return statedWord{}
		}
		found = statedWord{name: name, kind: k}
	}

	return found
}

// counted returns what a member counts whose name says that it is a number of records: the
// records of one kind, or all of them.
func counted(name string) (k Kind, isCount bool) {
	noun, ofAll := answer.Counted(name)
	k, _ = word([]byte(noun))
	return k, ofAll || k != Unknown
}

// isList reports whether services use a name for a list of anything, so that an empty one
// is one of records.
func isList(name string) bool {
	switch jsonvalue.Fold(name) {
	case "data", "records", "items", "results", "result", "values", "value", "rows", "entries", "elements", "content", "hits", "list",
		"export", "response", "payload":
		return true
	}
	return false
}
