// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// column is a text or a number that every one of some records has.
type column struct {
	place // of the first record

	texts []string // of each record
}

// columnsOf returns what all records have.
func columnsOf(records []jsontext.Value) (all []column) {
	if len(records) == 0 {
		return nil
	}

	for _, p := range places(records[0]) {
		c := column{place: p}
		for _, record := range records {
			if cell := placeOf(p.at, jsonvalue.At(record, p.at)); cell.isScalar() {
				c.texts = append(c.texts, cell.text)
			}
		}
		if len(c.texts) == len(records) {
			all = append(all, c)
		}
	}

	return all
}

// isUnique reports whether no two records have the same text.
func (c column) isUnique() bool {
	return len(slices.Compact(slices.Sorted(slices.Values(c.texts)))) == len(c.texts)
}

// isAll reports whether all texts are of a kind.
func (c column) isAll(isOf func(text string) bool) bool {
	return !slices.ContainsFunc(c.texts, func(text string) bool { return !isOf(text) })
}

// firstOf returns where the first of the columns is that meets a condition; empty if there is none.
func firstOf(columns []column, meets func(column) bool) jsontext.Pointer {
	if i := slices.IndexFunc(columns, meets); i >= 0 {
		return columns[i].at
	}
	return ""
}

// firstNamed returns where the first of the columns is that has one of the names, or else one whose name ends
// with one of them; empty if there is none. The first name wins.
func firstNamed(columns []column, names string) jsontext.Pointer {
	for name := range strings.FieldsSeq(names) {
		if at := firstOf(columns, func(c column) bool { return c.name == name }); at != "" {
			return at
		}
	}
	for name := range strings.FieldsSeq(names) {
		if at := firstOf(columns, func(c column) bool { return strings.HasSuffix(c.name, name) }); at != "" {
			return at
		}
	}

	return ""
}

// likeness is a meaning of words, and what they look like once they are folded.
type likeness struct {
	meaning string
	like    *regexp.Regexp
}

// meaningOf returns the first of the meanings that a word is like; empty if there is none.
func meaningOf(word string, likenesses []likeness) string {
	for _, l := range likenesses {
		if l.like.MatchString(jsonvalue.Fold(word)) {
			return l.meaning
		}
	}
	return ""
}

// word adds the meaning of a word, if both and its place are known.
func (s Settings) word(vocabulary, at jsontext.Pointer, meaning, word string) {
	if at == "" || meaning == "" || word == "" {
		return
	}
	words, _ := s[vocabulary.AppendToken(meaning)].([]any)
	s[vocabulary.AppendToken(meaning)] = joined(words, word)
}

// set adds a pointer, unless it is empty.
func (s Settings) set(setting, at jsontext.Pointer) {
	if at != "" {
		s[setting] = string(at)
	}
}
