// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"cmp"
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

// allMean reports whether all texts of a column have one of the meanings.
func (c column) allMean(meanings []meaning) bool {
	return !slices.ContainsFunc(c.texts, func(text string) bool { return meaningOf(text, meanings) == "" })
}

// firstOf returns where the first of the columns is that meets a condition; empty if there is none.
func firstOf(columns []column, meets func(column) bool) jsontext.Pointer {
	if i := slices.IndexFunc(columns, meets); i >= 0 {
		return columns[i].at
	}
	return ""
}

// firstHolding returns where the first of the columns is that has one of some texts; empty if there is none.
func firstHolding(columns []column, texts []string) jsontext.Pointer {
	return firstOf(columns, func(c column) bool {
		return slices.ContainsFunc(c.texts, func(text string) bool { return text != "" && slices.Contains(texts, text) })
	})
}

// firstNamed returns where the first of the columns is that has one of the names behind a prefix, or a value inside
// an object with such a name; empty if there is none. The first name wins.
func firstNamed(columns []column, prefix, names string) jsontext.Pointer {
	for name := range strings.FieldsSeq(names) {
		isNamed := func(c column) bool {
			isInside := isLike(c.around, prefix+name) && isLike(c.name, "id email value identifier")
			return isInside || isLike(c.name, prefix+name)
		}
		if at := firstOf(columns, isNamed); at != "" {
			return at
		}
	}

	return ""
}

// likelyNamed returns where the first of the columns is that has one of the names, or else one that ends with one of
// them.
func likelyNamed(columns []column, names string) jsontext.Pointer {
	return cmp.Or(firstNamed(columns, "", names), firstNamed(columns, "*", names))
}

// word adds the meaning of a word, if both and its place are known.
func (s Settings) word(vocabulary jsontext.Pointer, at, meaning, word string) {
	if at != "" && meaning != "" && word != "" {
		s.add(vocabulary.AppendToken(meaning), word)
	}
}
