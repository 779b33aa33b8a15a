// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// sampleRecords is how many records of a place are looked at.
const sampleRecords = 100

// group are records that stand in one place.
type group struct {
	at      jsontext.Pointer
	kind    string // that its name looks like; empty for none
	records []jsontext.Value
}

// Export proposes settings for the beginning of a day: where the records are, how they state their
// kind, and what every record of a kind has.
func Export(a Answer) []Settings {
	s := Settings{}
	if a.Status == 200 && len(bytes.TrimSpace(a.Body)) == 0 {
		s.set(true, "export", "empty")
		return []Settings{s}
	}

	v := a.json()
	if v == nil || v.Kind() == '[' {
		if stream := sequence(a.Body); len(stream.records) > 0 && !hasRefusal(stream) {
			s.kinds([]group{stream})
			return []Settings{s}
		}
		return nil
	}
	if SaysNo(v) || isWork(v) {
		return nil
	}

	var groups []group
	var content []jsontext.Pointer
	count := 0
	for _, list := range lists(v) {
		elements := jsonvalue.Elements(list.value)
		count += len(elements)
		content = append(content, list.at)
		groups = append(groups, group{list.at, kindLike(list.name), elements[:min(len(elements), sampleRecords)]})
	}
	if len(groups) == 0 || slices.ContainsFunc(groups, hasRefusal) || !s.beside("export", v, content, count) {
		return nil
	}
	// Later pages may have kinds that this one lacks, so that what is read without words comes first.
	plain := Settings{}.Merge(s)
	s.containers(groups)
	s.kinds(groups)

	all := []Settings{plain}
	if kind := valueAt(s, []string{"export", "kind"}); kind != nil {
		all = append(all, plain.Merge(Settings{"export": map[string]any{"kind": kind}}))
	}

	// An envelope that the other answers have too is shorter.
	return slices.Concat(all, enveloped(s, content), []Settings{s})
}

// hasRefusal reports whether an error or a job stands among records.
func hasRefusal(g group) bool {
	return slices.ContainsFunc(g.records, func(record jsontext.Value) bool {
		return SaysNo(record) || isJob(record)
	})
}

// isJob reports whether an object has nothing but what describes work.
func isJob(v jsontext.Value) bool {
	for name := range jsonvalue.EachMember(v) {
		if !isNamed(jsonvalue.Fold(string(name)), "jobid taskid requestid id status state percent progress cursor error message") {
			return false
		}
	}
	return len(jsonvalue.Members(v)) > 1
}

// sequence returns the records of an array, or those that follow each other.
func sequence(body []byte) group {
	dec := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\uFEFF"))))
	if dec.PeekKind() == '[' {
		_, _ = dec.ReadToken() // it is there
	}

	var all []jsontext.Value
	for len(all) < sampleRecords && dec.PeekKind() == '{' {
		v, err := dec.ReadValue()
		if err != nil {
			break
		}
		all = append(all, v.Clone())
	}

	return group{records: all}
}

// enveloped returns the settings with an envelope in place of the pointers that begin with it, if
// all of them do.
func enveloped(s Settings, content []jsontext.Pointer) []Settings {
	around := content[0].Parent()
	for _, at := range content {
		if at.Parent() != around || around == "" {
			return nil
		}
	}

	inner := Settings{}.Merge(s)
	inner["envelope"] = string(around)
	if export, ok := inner["export"].(map[string]any); ok {
		delete(export, "at")
	}

	return []Settings{inner}
}

// containers adds where the records of each kind are.
func (s Settings) containers(groups []group) {
	if slices.ContainsFunc(groups, func(g group) bool { return g.kind == "" }) {
		return
	}
	for _, g := range groups {
		s.set(string(g.at), "export", "at", g.kind)
	}
}

// kindWords are what words of kinds look like, folded.
var kindWords = []struct {
	kind string
	like *regexp.Regexp
}{
	{"persons", regexp.MustCompile(`^(person|people|user|profile|customer|contact|subject|identif|identity|alias)`)},
	{"sessions", regexp.MustCompile(`^(session|visit)`)},
	{"events", regexp.MustCompile(`^(event|track|page|screen|hit|action|click|activist)`)},
}

func kindLike(word string) string {
	for _, k := range kindWords {
		if k.like.MatchString(jsonvalue.Fold(word)) {
			return k.kind
		}
	}
	return ""
}

// kinds adds how records state their kind, and what identifies the records of each kind.
func (s Settings) kinds(groups []group) {
	byKind := map[string][]jsontext.Value{}
	for _, g := range groups {
		if g.kind != "" {
			byKind[g.kind] = append(byKind[g.kind], g.records...)
			continue
		}

		at, words := discriminator(g.records)
		if at == "" {
			continue
		}
		s.set(string(at), "export", "kind")
		for kind, list := range words {
			s.set(list, "export", "kinds", kind)
		}
		for _, record := range g.records {
			kind := kindLike(scalar(valueIn(record, at)))
			byKind[kind] = append(byKind[kind], record)
		}
	}

	for kind, records := range byKind {
		if at, ok := identifying(records); ok {
			s.set(string(at), "export", "record", kind)
		}
	}
}

// discriminator returns the member whose words all look like kinds, and the words by kind.
func discriminator(records []jsontext.Value) (jsontext.Pointer, map[string][]any) {
	for _, p := range commonPlaces(records) {
		words := map[string][]any{}
		for _, word := range wordsAt(records, p.at) {
			if strings.ContainsAny(word, "0123456789/") { // an identifier
				words[""] = nil
			}
			words[kindLike(word)] = joined(words[kindLike(word)], []any{word})
		}
		if _, isOther := words[""]; !isOther {
			return p.at, words
		}
	}

	return "", nil
}

// identifying returns what every record has, and no two have alike: what is named like an
// identifier first.
func identifying(records []jsontext.Value) (jsontext.Pointer, bool) {
	if len(records) == 0 {
		return "", false
	}

	unique := slices.DeleteFunc(commonPlaces(records), func(p place) bool {
		values := map[string]bool{}
		for _, word := range wordsAt(records, p.at) {
			values[word] = true
		}
		return len(values) < len(records)
	})
	isID := func(p place) bool { return strings.HasSuffix(p.name, "id") || isNamed(p.name, idNames+" "+personNames) }
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
func Kinds(message string) map[string]any {
	byKind := map[string]any{}
	isOther := func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }
	for word := range strings.FieldsFuncSeq(message, isOther) {
		if kind := kindLike(word); kind != "" {
			byKind[kind] = word
		}
	}
	if len(byKind) < len(kindWords) {
		return nil
	}

	return byKind
}
