// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// scratch is enough for the folded text of names and words that mean something.
type scratch [40]byte

// word returns the kind that a folded word means, and whether it is in the plural.
func word(folded []byte) (k Kind, plural bool) {
	switch string(folded) {
	case "person":
		return Person, false
	case "session":
		return Session, false
	case "event":
		return Event, false
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
// persons, People, eventRecords or sessionList.
func nameKind[T ~string | ~[]byte](name T) Kind {
	var buffer scratch // avoids an allocation
	folded := jsonvalue.AppendFolded(buffer[:0], name)
	for _, ending := range [...]string{"list", "records", "record"} {
		folded = bytes.TrimSuffix(folded, []byte(ending))
	}

	k, _ := word(folded)
	return k
}

// wordSaid returns the kind that the value of a discriminator means. A list is none: the
// kind EventList is that of an object with events in it.
func wordSaid(quoted jsontext.Value) (k Kind, plural bool) {
	if len(quoted) < 2 || quoted[0] != '"' {
		return Unknown, false
	}

	text := []byte(quoted[1 : len(quoted)-1])
	if bytes.IndexByte(text, '\\') >= 0 {
		text, _ = jsontext.AppendUnquote(nil, quoted)
	}

	var buffer scratch // avoids an allocation
	folded := jsonvalue.AppendFolded(buffer[:0], text)
	singular := bytes.TrimSuffix(folded, []byte("record"))
	if k, plural = word(singular); k != Unknown {
		return k, plural
	}

	k, _ = word(bytes.TrimSuffix(folded, []byte("records")))

	return k, true
}

// discriminator reports whether a member with the name states the kind of its record, and
// whether it can mean nothing else: an event may have a type of its own.
func discriminator(name []byte) (states, clearly bool) {
	var buffer scratch // avoids an allocation
	switch string(jsonvalue.AppendFolded(buffer[:0], name)) {
	case "recordtype", "recordkind", "entitytype":
		return true, true
	case "type", "kind":
		return true, false
	}
	return false, false
}

// usualEndings are how the names of discriminators usually end. Text without them need not
// be looked through member by member, which takes half as long as to parse it.
var usualEndings = [...][]byte{[]byte(`ype"`), []byte(`kind"`), []byte(`Kind"`)}

// glance reports whether the text of a record may have a discriminator in a usual
// spelling, and whether it may have a clear one.
func glance(record jsontext.Value) (states, clearly bool) {
	for _, ending := range usualEndings {
		rest := []byte(record)
		for {
			at := bytes.Index(rest, ending)
			if at < 0 {
				break
			}

			states = true
			name := rest[bytes.LastIndexByte(rest[:at], '"')+1 : at+len(ending)-1]
			_, isClear := discriminator(name)
			clearly = clearly || isClear
			rest = rest[at+len(ending):]
		}
	}

	return states, clearly
}

// stated returns the kind in the discriminators of a record. A clear one wins over any
// other, and otherwise the first one does. all makes it look at every member. ignores, if
// there is any, reports the discriminators that state nothing.
func stated(record jsontext.Value, all bool, ignores func(name, value []byte) bool) (k Kind, plural bool) {
	for name, value := range jsonvalue.EachMember(record) {
		states, clearly := discriminator(name)
		if !states || !clearly && k != Unknown {
			continue
		}

		said, isPlural := wordSaid(value)
		if said == Unknown || ignores != nil && ignores(name, nil) {
			continue
		}

		k, plural = said, isPlural
		if clearly || !all {
			break
		}
	}

	return k, plural
}

// discriminators returns the names of the members of a record that state a kind.
func discriminators(record jsontext.Value) []string {
	var names []string
	for name, value := range jsonvalue.EachMember(record) {
		states, _ := discriminator(name)
		if k, _ := wordSaid(value); states && k != Unknown && jsonvalue.IsFieldName(string(name)) {
			names = append(names, string(name))
		}
	}
	return names
}

// sole returns the kind of a record whose only member has its name, such as
// {"event": {…}}.
func sole(record jsontext.Value) Kind {
	var buffer scratch // avoids an allocation
	_, name, _ := bytes.Cut(record, []byte{'"'})
	name, _, _ = bytes.Cut(name, []byte{'"'})
	kind, plural := word(jsonvalue.AppendFolded(buffer[:0], name))
	if kind == Unknown || plural {
		return Unknown // nearly all records
	}

	members := 0
	for _, value := range jsonvalue.EachMember(record) {
		if members++; members > 1 || value.Kind() != '{' {
			return Unknown
		}
	}

	return kind
}

// counted returns what a member counts whose name says that it is a number of records,
// such as count, totalRecords or person_count: the records of one kind, or all of them.
func counted(name []byte) (k Kind, isCount bool) {
	folded := bytes.TrimPrefix(jsonvalue.AppendFolded(nil, name), []byte("odata"))
	noun := folded
	for _, before := range [...]string{"total", "numberof", "num"} {
		noun = bytes.TrimPrefix(noun, []byte(before))
	}
	for _, behind := range [...]string{"count", "total"} {
		noun = bytes.TrimSuffix(noun, []byte(behind))
	}

	if k, _ = word(noun); k != Unknown {
		return k, true
	}

	switch string(noun) {
	case "", "record", "records", "item", "items", "result", "results", "element", "elements", "row", "rows":
		return Unknown, len(noun) < len(folded)
	}

	return Unknown, false
}

// isList reports whether services use a name for a list of anything, so that an empty one
// is one of records.
func isList(name []byte) bool {
	switch string(jsonvalue.AppendFolded(nil, name)) {
	case "data", "records", "items", "results", "result", "values", "value", "rows", "entries", "elements", "content", "hits", "list",
		"export", "response", "payload":
		return true
	}
	return false
}

func orKind(k, otherwise Kind) Kind {
	if k == Unknown {
		return otherwise
	}
	return k
}
