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
		s.set(jsontext.Pointer("/export/record").AppendToken(kind), firstNamed(columnsOf(records), idNames+" "+personNames))
	}

	return []Settings{s}
}

// containers returns the records of an answer by kind, and adds settings for their containers and for what is
// around them. The kind is that of the container's name, or of the object around it, and empty if neither tells one.
// It returns nil for an answer that is not a whole day.
func (s Settings) containers(v jsontext.Value) map[string][]jsontext.Value {
	byKind, at := map[string][]jsontext.Value{}, Settings{}
	var content []jsontext.Pointer
	count := 0
	for _, list := range lists(v) {
		elements := jsonvalue.Elements(list.value)
		kind := cmp.Or(meaningOf(list.name, kindWords), meaningOf(list.around, kindWords))
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
	dec := jsontext.NewDecoder(bytes.NewReader(body))
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
	isOther := func(p place) bool { return !isLike(p.name, "id jobid taskid status state percent progress message") }
	isJob := len(members) > 1 && !slices.ContainsFunc(members, isOther)

	return isJob || saysNo(v)
}

// kindWords are what words for the kinds of records are like, such as Person or #Model.Person.
var kindWords = []meaning{
	{"persons", "person* people* user* profile* customer* contact* subject* identif* identity* alias* *person"},
	{"sessions", "session* visit* *session"},
	{"events", "event* track* page* screen* hit* action* click* activist* *event"},
}

// declaredKinds adds how the records without a kind state theirs, and the records to those of that kind.
func (s Settings) declaredKinds(byKind map[string][]jsontext.Value) {
	declared := firstNamed(meaningful(columnsOf(byKind[""]), kindWords), "*")
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

// KindParameters proposes settings that select the kind by a parameter: one that a refusal names.
func KindParameters(a Answer) (all []Settings) {
	isBetween := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }
	for word := range strings.FieldsFuncSeq(string(a.Body), isBetween) {
		if isLike(word, "kind type recordkind recordtype entity entitytype resource model dataset") {
			all = append(all, Settings{"/export/kind_parameter": word})
		}
	}
	return all
}
