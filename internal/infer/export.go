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

// group are the records of one place.
type group struct {
	at      jsontext.Pointer
	kind    string // by its name; empty if that is not known
	records []jsontext.Value
}

// Export proposes settings for the beginning of a day: where the records are, how they state their
// kind, and what every record of a kind has.
func Export(a Answer) []Settings {
	s, groups := Settings{"/export/empty": true}, []group{{records: sequence(a.Body)}} // if that is what it is
	if v := a.value(); v.Kind() == '{' && !jsonvalue.IsZero(v) {
		s = Settings{}
		groups = s.groups(v)
	}
	if len(groups) == 0 || slices.ContainsFunc(groups, group.hasRefusal) {
		return nil
	}
	s.kinds(groups)

	return []Settings{s}
}

// groups returns the records of each list in an answer, and adds settings for what is around them; nil
// for an answer that is not a whole day.
func (s Settings) groups(v jsontext.Value) (groups []group) {
	var content []jsontext.Pointer
	count := 0
	for _, list := range lists(v) {
		elements, kind := jsonvalue.Elements(list.value), kindAt(list.at)
		if kind == "" && list.isEmpty() {
			continue // it says nothing
		}
		count += len(elements)
		content = append(content, list.at)
		groups = append(groups, group{list.at, kind, elements[:min(len(elements), sampleRecords)]})
	}
	if saysNo(v) || !s.envelope("/export", v, count, content...) {
		return nil
	}

	return groups
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

func (g group) hasRefusal() bool {
	return slices.ContainsFunc(g.records, saysNo) || slices.ContainsFunc(g.records, isJob)
}

// isJob reports whether an object has nothing but what describes work.
func isJob(v jsontext.Value) bool {
	members := places(v)[1:]
	for _, p := range members {
		if !isLike(p.name, workNames+" id cursor error message") {
			return false
		}
	}
	return len(members) > 1
}

// kindWords are what words for the kinds of records are like, such as Person or #Model.Person.
var kindWords = []meaning{
	{"persons", "person* people* user* profile* customer* contact* subject* identif* identity* alias* *person"},
	{"sessions", "session* visit* *session"},
	{"events", "event* track* page* screen* hit* action* click* activit* *event"},
}

// kindAt returns the kind that the innermost name of a place is like.
func kindAt(at jsontext.Pointer) (kind string) {
	for name := range at.Tokens() {
		kind = cmp.Or(meaningOf(name, kindWords), kind)
	}
	return kind
}

// kinds adds where the records of each kind are or how they state their kind, and what identifies them.
func (s Settings) kinds(groups []group) {
	byKind, at := map[string][]jsontext.Value{}, Settings{}
	for _, g := range groups {
		if g.kind == "" {
			s.statedKinds(g.records, byKind)
			continue
		}
		byKind[g.kind] = append(byKind[g.kind], g.records...)
		at[jsontext.Pointer("/export/at").AppendToken(g.kind)] = string(g.at)
	}

	if isNamed := len(byKind[""]) == 0; isNamed {
		maps.Copy(s, at)
	}
	delete(byKind, "")
	for kind, records := range byKind {
		columns := columnsOf(records)
		s.set(jsontext.Pointer("/export/record").AppendToken(kind), cmp.Or(firstOf(columns, column.namesRecord), firstOf(columns, column.isUnique)))
	}
}

// statedKinds adds how records state their kind, and the records to those of their kind.
func (s Settings) statedKinds(records []jsontext.Value, byKind map[string][]jsontext.Value) {
	stated := firstOf(columnsOf(records), column.statesKind)
	s.set("/export/kind", stated)
	for _, record := range records {
		word := jsonvalue.Text(jsonvalue.At(record, stated)) // empty if nothing states it
		kind := meaningOf(word, kindWords)
		s.word("/export/kinds", string(stated), kind, word)
		byKind[kind] = append(byKind[kind], record)
	}
}

// namesRecord reports whether a column is named like an identifier and is one.
func (c column) namesRecord() bool {
	isNamed := c.namesID() || isLike(c.name, personNames)
	return isNamed && c.isUnique()
}

// statesKind reports whether all texts of a column are like kinds. One with a digit or a slash is an
// identifier.
func (c column) statesKind() bool {
	return c.allMean(kindWords) && !strings.ContainsAny(strings.Join(c.texts, ""), "0123456789/")
}

// KindParameters proposes settings that select the kind by a parameter: one that the texts of a refusal name. If they
// list a word for each kind, such as person for persons, the settings also say which.
func KindParameters(a Answer) (all []Settings) {
	texts := string(a.Body)
	if v := a.value(); v != nil {
		texts = ""
		for _, p := range placesInside(v) {
			texts += " " + jsonvalue.Text(p.value)
		}
	}

	values := Settings{}
	var names []string
	for _, word := range strings.FieldsFunc(texts, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }) {
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
