// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

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
	if saysNo(v) || !s.envelope("/export", v, content, count) {
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
		if !p.isNamed("jobid taskid requestid id status state percent progress cursor error message") {
			return false
		}
	}
	return len(members) > 1
}

// kindWords are like the kinds of records.
var kindWords = []likeness{
	{"persons", regexp.MustCompile(`^(person|people|user|profile|customer|contact|subject|identif|identity|alias)`)},
	{"sessions", regexp.MustCompile(`^(session|visit)`)},
	{"events", regexp.MustCompile(`^(event|track|page|screen|hit|action|click|activist)`)},
}

// kindAt returns the kind that the innermost name of a place is like.
func kindAt(at jsontext.Pointer) (kind string) {
	for name := range at.Tokens() {
		kind = cmp.Or(meaningOf(name, kindWords), kind)
	}
	return kind
}

// kindOf returns the kind that a word is like, with or without what qualifies it, as in #Model.Person.
func kindOf(word string) string {
	return cmp.Or(meaningOf(word[strings.LastIndexAny(word, ".#:")+1:], kindWords), meaningOf(word, kindWords))
}

// kinds adds where the records of each kind are or how they state their kind, and what identifies them.
func (s Settings) kinds(groups []group) {
	byKind := map[string][]jsontext.Value{}
	for _, g := range groups {
		if g.kind != "" {
			byKind[g.kind] = append(byKind[g.kind], g.records...)
			continue
		}

		stated := firstOf(columnsOf(g.records), column.statesKind)
		s.set("/export/kind", stated)
		for _, record := range g.records {
			word := jsonvalue.Text(jsonvalue.At(record, stated)) // empty if nothing states it
			kind := kindOf(word)
			s.word("/export/kinds", stated, kind, word)
			byKind[kind] = append(byKind[kind], record)
		}
	}

	isNameless := slices.ContainsFunc(groups, func(g group) bool { return g.kind == "" })
	for _, g := range groups {
		if !isNameless {
			s[jsontext.Pointer("/export/at").AppendToken(g.kind)] = string(g.at)
		}
	}
	delete(byKind, "")
	for kind, records := range byKind {
		s.set(jsontext.Pointer("/export/record").AppendToken(kind), identifying(columnsOf(records)))
	}
}

// identifying returns what every record has, and no two have alike: what is named like an identifier
// first.
func identifying(columns []column) jsontext.Pointer {
	unique := slices.DeleteFunc(columns, func(c column) bool { return !c.isUnique() })
	return cmp.Or(firstOf(unique, column.isNamedID), firstOf(unique, column.isUnique))
}

func (c column) isNamedID() bool {
	return c.namesID() || c.isNamed(personNames)
}

// statesKind reports whether all texts of a column are like kinds. One with a digit or a slash is an
// identifier.
func (c column) statesKind() bool {
	for _, word := range c.texts {
		if kindOf(word) == "" || strings.ContainsAny(word, "0123456789/") {
			return false
		}
	}
	return true
}

// wordLike matches the words of a message that may be names.
var wordLike = regexp.MustCompile(`[\pL_]+`)

// KindParameters returns the words of a message that may name the parameter which selects the kind.
func KindParameters(message string) (all []string) {
	for _, word := range wordLike.FindAllString(message, -1) {
		if isNamed(jsonvalue.Fold(word), "kind type recordkind recordtype entity entitytype resource model dataset") {
			all = append(all, word)
		}
	}
	return all
}

// Kinds returns the words that a message lists for the kinds, such as person by "persons"; nil unless there is
// one for each kind.
func Kinds(message string) Settings {
	s := Settings{}
	for _, word := range wordLike.FindAllString(message, -1) {
		if kind := meaningOf(word, kindWords); kind != "" {
			s[jsontext.Pointer("/export/kind_values").AppendToken(kind)] = word
		}
	}
	if len(s) < len(kindWords) {
		return nil
	}

	return s
}
