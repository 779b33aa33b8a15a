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

func (c column) isUnique() bool {
	return len(slices.Compact(slices.Sorted(slices.Values(c.texts)))) == len(c.texts)
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
func firstNamed(columns []column, names string) (similar jsontext.Pointer) {
	for name := range strings.FieldsSeq(names) {
		for _, c := range columns {
			if c.name == name {
				return c.at
			}
			if similar == "" && strings.HasSuffix(c.name, name) {
				similar = c.at
			}
		}
	}

	return similar
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
