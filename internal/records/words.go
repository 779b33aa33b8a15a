// SPDX-License-Identifier: MPL-2.0

package records

import "strings"

// The names of members that are recognised without a setting. The templates of the guide name them
// too. Each has its rank from 1 on.
var (
	// idNames are those that identify a record; of several, the first one counts.
	idNames = ranks("id _id uuid identity_id session_id event_id message_id insert_id distinct_id email")

	// statingNames are those in which a record states its kind, in one of the kindWords.
	statingNames = ranks("type kind record_type")

	// listNames are those of a list in an object that states a kind, or of records that do.
	listNames = ranks("data records items results rows values entries elements content list value nodes docs member hydra:member")

	// countNames are those of the number of all records in an object.
	countNames = ranks("count total total_count @odata.count total_records")
)

// kindWords are what a record can state, and what the list of a kind can be named.
var kindWords = func() map[string]Kind {
	words := map[string]Kind{}
	for kind, names := range map[Kind]string{
		Person:  "person persons people person_record person_records",
		Session: "session sessions session_record session_records",
		Event:   "event events event_record event_records",
	} {
		for word := range ranks(names) {
			words[word], words[strings.ToUpper(word)] = kind, kind
		}
	}

	return words
}()

// ranks returns the ranks of names in snake case by how they are spelled: also in camel and in
// Pascal case.
func ranks(names string) map[string]int {
	ranks := map[string]int{}
	for i, name := range strings.Fields(names) {
		words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
		for i, word := range words {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
		pascal := strings.Join(words, "")
		camel := strings.ToLower(pascal[:1]) + pascal[1:]
		ranks[name], ranks[pascal], ranks[camel] = i+1, i+1, i+1
	}

	return ranks
}
