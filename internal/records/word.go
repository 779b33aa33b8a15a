// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// word returns the kind that a word means, such as person, People or event_records, and
// whether it is in the plural.
func word(text string) (_ Kind, plural bool) {
	stem, ofRecords := strings.CutSuffix(jsonvalue.Fold(text), "records")
	stem = strings.TrimSuffix(stem, "record")
	if stem == "people" {
		return Person, true
	}

	singular, plural := strings.CutSuffix(stem, "s")
	for _, k := range Kinds {
		if k.String() == singular {
			return k, plural || ofRecords
		}
	}

	return Unknown, false
}

// nameKind returns the kind that the name of a member means for what it contains, such as
// persons, eventRecords or sessionList.
func nameKind(name string) Kind {
	k, _ := word(strings.TrimSuffix(jsonvalue.Fold(name), "list"))
	return k
}

// statedWord is what a record states of its kind.
type statedWord struct {
	name   string // of the member
	kind   Kind
	plural bool
}

// usualEndings are how the names of discriminators usually end. To count them takes far less
// time than to look at the members.
var usualEndings = [...][]byte{[]byte(`ype"`), []byte(`kind"`), []byte(`Kind"`)}

// said returns what a record states of its kind. closely makes it look at every name, also
// in unusual spellings, and at that of an only member, as in {"event": {…}}.
func said(record jsontext.Value, closely bool) statedWord {
	usual := 0
	for _, ending := range usualEndings {
		usual += bytes.Count(record, ending)
	}
	found := stated(record, usual, nil)
	if found.kind != Unknown || !closely {
		return found
	}

	members := jsonvalue.Members(record)
	for name, value := range members {
		if k, plural := word(name); len(members) == 1 && !plural && value.Kind() == '{' {
			return statedWord{name: name, kind: k}
		}
	}

	return stated(record, math.MaxInt, nil)
}

// stated returns what the discriminators of a record state. One that can mean nothing else
// wins over any other, since an event may have a type of its own; otherwise the first one
// does. usual is how many members it looks at whose names end as usual. ignores, if there is
// any, reports the members that state nothing.
func stated(record jsontext.Value, usual int, ignores func(name, value string) bool) (found statedWord) {
	if usual == 0 {
		return statedWord{}
	}

	for name, value := range jsonvalue.EachMember(record) {
		folded := jsonvalue.Fold(string(name))
		isClear := folded == "recordtype" || folded == "recordkind" || folded == "entitytype"
		if isClear || found.kind == Unknown && (folded == "type" || folded == "kind") {
			k, plural := word(jsonvalue.Text(value))
			if k != Unknown && (ignores == nil || !ignores(string(name), "")) {
				found = statedWord{string(name), k, plural}
			}
		}

		if strings.HasSuffix(folded, "ype") || strings.HasSuffix(folded, "kind") {
			usual--
		}
		if usual == 0 || isClear && found.kind != Unknown {
			break
		}
	}

	return found
}

// counted returns what a member counts whose name says that it is a number of records: the
// records of one kind, or all of them.
func counted(name string) (k Kind, isCount bool) {
	noun, ofAll := answer.Counted(name)
	k, _ = word(noun)
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
