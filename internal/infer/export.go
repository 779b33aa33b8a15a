// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
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
	s := Settings{}
	var groups []group
	v := a.json()
	if v == nil || v.Kind() == '[' {
		groups = []group{{records: sequence(a.Body)}}
		s["/export/empty"] = true // if that is what it is
	} else {
		if saysNo(v) {
			return nil
		}

		var content []jsontext.Pointer
		count := 0
		for _, list := range lists(v) {
			elements := jsonvalue.Elements(list.value)
			count += len(elements)
			content = append(content, list.at)
			groups = append(groups, group{list.at, kindAt(list.at), elements[:min(len(elements), sampleRecords)]})
		}
		if !s.envelope("/export", v, content, count) {
			return nil
		}
	}
	if len(groups) == 0 || slices.ContainsFunc(groups, group.hasRefusal) {
		return nil
	}
	s.kinds(groups)
	usual := maps.Clone(s) // if the words are read without settings
	maps.DeleteFunc(usual, func(at jsontext.Pointer, _ any) bool { return at.Parent() == "/export/kinds" })

	return []Settings{usual, s}
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

// hasRefusal reports whether an error or a job is among the records.
func (g group) hasRefusal() bool {
	return slices.ContainsFunc(g.records, func(record jsontext.Value) bool { return saysNo(record) || isJob(record) })
}

// isJob reports whether an object has nothing but what describes work.
func isJob(v jsontext.Value) bool {
	names := slices.Collect(maps.Keys(jsonvalue.Members(v)))
	return len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool {
		return !isNamed(jsonvalue.Fold(name), "jobid taskid requestid id status state percent progress cursor error message")
	})
}

// kindWords match folded words of kinds.
var kindWords = []struct {
	kind string
	like *regexp.Regexp
}{
	{"persons", regexp.MustCompile(`^(person|people|user|profile|customer|contact|subject|identif|identity|alias)`)},
	{"sessions", regexp.MustCompile(`^(session|visit)`)},
	{"events", regexp.MustCompile(`^(event|track|page|screen|hit|action|click|activist)`)},
}

// kindAt returns the kind that the innermost name of a place is like.
func kindAt(at jsontext.Pointer) (kind string) {
	for name := range at.Tokens() {
		kind = cmp.Or(kindLike(name), kind)
	}
	return kind
}

func kindLike(word string) string {
	for _, k := range kindWords {
		if k.like.MatchString(jsonvalue.Fold(word)) {
			return k.kind
		}
	}
	return ""
}

// kinds adds where the records of each kind are or how they state their kind, and what identifies them.
func (s Settings) kinds(groups []group) {
	isNameless := slices.ContainsFunc(groups, func(g group) bool { return g.kind == "" })
	byKind := map[string][]jsontext.Value{}
	for _, g := range groups {
		if g.kind != "" {
			byKind[g.kind] = append(byKind[g.kind], g.records...)
			if !isNameless {
				s[jsontext.Pointer("/export/at").AppendToken(g.kind)] = string(g.at)
			}
			continue
		}

		at, isFound := discriminator(g.records)
		if !isFound {
			continue
		}
		s["/export/kind"] = string(at)
		for _, record := range g.records {
			word := textOf(jsonvalue.At(record, at))
			s.word("/export/kinds", string(at), kindLike(word), word)
			byKind[kindLike(word)] = append(byKind[kindLike(word)], record)
		}
	}

	for kind, records := range byKind {
		if at, ok := identifying(records); ok {
			s[jsontext.Pointer("/export/record").AppendToken(kind)] = string(at)
		}
	}
}

// discriminator returns the member whose words are all like kinds. A word with a digit or a slash is an
// identifier.
func discriminator(records []jsontext.Value) (jsontext.Pointer, bool) {
	isOther := func(word string) bool { return kindLike(word) == "" || strings.ContainsAny(word, "0123456789/") }
	for _, p := range commonPlaces(records) {
		if !slices.ContainsFunc(textsAt(records, p.at), isOther) {
			return p.at, true
		}
	}
	return "", false
}

// identifying returns what every record has, and no two have alike: what is named like an
// identifier first.
func identifying(records []jsontext.Value) (jsontext.Pointer, bool) {
	unique := slices.DeleteFunc(commonPlaces(records), func(p place) bool {
		return len(slices.Compact(slices.Sorted(slices.Values(textsAt(records, p.at))))) < len(records)
	})
	isID := func(p place) bool { return strings.HasSuffix(p.name, "id") || p.isNamed(idNames+" "+personNames) }
	if i := slices.IndexFunc(unique, isID); i >= 0 {
		return unique[i].at, true
	}
	if len(unique) > 0 {
		return unique[0].at, true
	}

	return "", false
}

// Kinds returns the words that a message lists for the kinds, such as person by "persons"; nil
// unless there is one for each kind.
func Kinds(message string) Settings {
	s := Settings{}
	isOther := func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }
	for word := range strings.FieldsFuncSeq(message, isOther) {
		if kind := kindLike(word); kind != "" {
			s[jsontext.Pointer("/export/kind_values").AppendToken(kind)] = word
		}
	}
	if len(s) < len(kindWords) {
		return nil
	}

	return s
}
