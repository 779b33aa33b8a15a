// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// sampleRecords is how many records of a place are examined.
const sampleRecords = 100

// Export proposes settings for the beginning of a day: where the records are, how they state their
// kind, and what every record of a kind has.
func Export(a Answer) []Settings {
	s, byKind := Settings{"/export/empty": true}, map[string][]jsontext.Value{"": sequence(a.Body)} // if that is what it is
	if v := a.json(); v.Kind() == '{' && !jsonvalue.IsZero(v) {
		s = Settings{}
		byKind = s.containers(v)
	}
	for _, records := range byKind {
		if slices.ContainsFunc(records, isNoRecord) {
			return nil
		}
	}
	if len(byKind) == 0 {
		return nil
	}

	s.declaredKinds(byKind)
	for kind, records := range byKind {
		columns := columnsOf(records)
		s.set(jsontext.Pointer("/export/record").AppendToken(kind), cmp.Or(firstOf(columns, column.namesRecord), firstOf(columns, column.isUnique)))
	}

	return []Settings{s}
}

// containers returns the records of an answer by kind, and adds settings for their containers and for what is
// around them. The kind is that of the container's name, and empty if the name tells none. It returns nil for
// an answer that is not a whole day.
func (s Settings) containers(v jsontext.Value) map[string][]jsontext.Value {
	byKind, at := map[string][]jsontext.Value{}, Settings{}
	var content []jsontext.Pointer
	count := 0
	for _, list := range lists(v) {
		elements, kind := jsonvalue.Elements(list.value), kindAt(list.at)
		if kind == "" && len(elements) == 0 {
			continue // it says nothing
		}
		count += len(elements)
		content = append(content, list.at)
		byKind[kind] = append(byKind[kind], elements[:min(len(elements), sampleRecords)]...)
		at[jsontext.Pointer("/export/at").AppendToken(kind)] = string(list.at)
	}
	if !s.envelope("/export", v, count, content...) {
		return nil
	}
	if isNamed := len(byKind[""]) == 0; isNamed {
		maps.Copy(s, at)
	}

	return byKind
}

// sequence returns the records of an array, or those that follow each other.
func sequence(body []byte) (all []jsontext.Value) {
	dec := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\uFEFF"))))
	if dec.PeekKind() == '[' {
		_, _ = dec.ReadToken() // it is there
	}

	for len(all) < sampleRecords && dec.PeekKind() == '{' {
		v, err := dec.ReadValue()
		if err != nil {
			break
		}
		all = append(all, v.Clone())
	}

	return all
}

// isNoRecord reports whether an object refuses, or has nothing but what describes work.
func isNoRecord(v jsontext.Value) bool {
	members := places(v)[1:]
	isOther := func(p place) bool { return !isLike(p.name, workNames+" id cursor error message") }
	isJob := len(members) > 1 && !slices.ContainsFunc(members, isOther)

	return isJob || saysNo(v)
}

// kindWords are what words for the kinds of records are like, such as Person or #Model.Person.
var kindWords = []meaning{
	{"persons", "person* people* user* profile* customer* contact* subject* identif* identity* alias* *person"},
	{"sessions", "session* visit* *session"},
	{"events", "event* track* page* screen* hit* action* click* activist* *event"},
}

// kindAt returns the kind that the innermost name of a place is like.
func kindAt(at jsontext.Pointer) (kind string) {
	for name := range at.Tokens() {
		kind = cmp.Or(meaningOf(name, kindWords), kind)
	}
	return kind
}

// declaredKinds adds how the records without a kind state theirs, and the records to those of that kind. Words with a
// digit or a slash are identifiers.
func (s Settings) declaredKinds(byKind map[string][]jsontext.Value) {
	declared := firstOf(columnsOf(byKind[""]), func(c column) bool {
		return c.allMean(kindWords) && !strings.ContainsAny(strings.Join(c.texts, ""), "0123456789/")
	})
	s.set("/export/kind", declared)
	for _, record := range byKind[""] {
		word := jsonvalue.Scalar(jsonvalue.At(record, declared)) // a whole record is no scalar
		if kind := meaningOf(word, kindWords); kind != "" {
			s.word("/export/kinds", kind, word)
			byKind[kind] = append(byKind[kind], record)
		}
	}
	delete(byKind, "")
}

// namesRecord reports whether a column is named like an identifier and is one.
func (c column) namesRecord() bool {
	return isLike(c.name, "*id "+idNames+" "+personNames) && c.isUnique()
}

// KindParameters proposes settings that select the kind by a parameter: one that a refusal names. If the refusal has a
// word for each kind, such as person for persons, the settings also say which.
func KindParameters(a Answer) (all []Settings) {
	values := Settings{}
	var names []string
	for word := range strings.FieldsFuncSeq(string(a.Body), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) {
		if kind := meaningOf(word, kindWords); kind != "" {
			values[jsontext.Pointer("/export/kind_values").AppendToken(kind)] = word
		}
		if isLike(word, "kind type recordkind recordtype entity entitytype resource model dataset") {
			names = append(names, word)
		}
	}
	if len(values) < len(kindWords) {
		values = nil
	}

	for _, name := range names {
		all = append(all, values.Merge(Settings{"/export/kind_parameter": name}))
	}

	return all
}
