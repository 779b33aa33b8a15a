// SPDX-License-Identifier: MPL-2.0

package records

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// identifying are the names of the members that show that an object is a record, the first one
// that a record has. The templates of the guide name them too.
var identifying = spelled("id", "_id", "uuid", "identity_id", "session_id", "event_id", "message_id", "insert_id", "distinct_id", "email")

// stating are the names of the members in which a record states its kind.
var stating = spelled("type", "kind", "record_type")

// listNames are the names of a list, in an object that states a kind, or of records that do.
var listNames = spelled("data", "records", "items", "results", "rows", "values", "entries", "elements", "content", "list", "value", "nodes", "docs", "member", "hydra:member")

// counting are the names of the number of all records in an object.
var counting = spelled("count", "total", "total_count", "@odata.count", "total_records")

// kindWords are what a record can state, and what the list of a kind can be named. The templates
// of the guide name them too.
var kindWords = func() map[string]Kind {
	words := map[string]Kind{}
	for kind, names := range map[Kind][]string{
		Person:  {"person", "persons", "people", "person_record", "person_records"},
		Session: {"session", "sessions", "session_record", "session_records"},
		Event:   {"event", "events", "event_record", "event_records"},
	} {
		for name := range spelled(names...) {
			words[name], words[strings.ToUpper(name)] = kind, kind
		}
	}

	return words
}()

// spelled returns the ranks of names in snake case by how they are spelled: also in camel and in
// Pascal case.
func spelled(names ...string) map[string]int {
	ranks := map[string]int{}
	for rank, name := range names {
		var pascal strings.Builder
		for word := range strings.SplitSeq(name, "_") {
			if word != "" {
				pascal.WriteString(strings.ToUpper(word[:1]) + word[1:])
			}
		}
		ranks[strings.ToLower(pascal.String()[:1])+pascal.String()[1:]], ranks[pascal.String()], ranks[name] = rank, rank, rank
	}

	return ranks
}

// stated returns the kind that a member states.
func stated(name []byte, value jsontext.Value) Kind {
	if len(value) == 0 || value[0] != '"' {
		return Unknown
	}
	if _, states := stating[string(name)]; !states {
		return Unknown
	}
	return kindWords[string(jsonvalue.Unquoted(value))]
}
