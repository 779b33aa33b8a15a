// SPDX-License-Identifier: MPL-2.0

// Package infer proposes settings of wire from answers of a service: by names, by likeness, and by words. It decides
// nothing. A proposal is worth showing only after the strict reader, with it, has accepted the very answers it was made
// from: the caller tries each.
//
// It knows no client, no HTTP and no Terraform.
package infer

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Answer is an answer of the service.
type Answer struct {
	MediaType string // without parameters
	Body      []byte
}

// json returns the JSON value of an answer in which nothing refuses; nil for any other one, for which nothing is
// proposed.
func (a Answer) json() jsontext.Value {
	v, err := jsonvalue.Parse(a.Body)
	isRefusal := func(p place) bool { return decode.SaysNo(p.value) }
	if err != nil || saysNo(v) || slices.ContainsFunc(places(v), isRefusal) {
		return nil
	}
	return v
}

// saysNo reports whether an answer, or a record, refuses: by an error that says something, by a flag or by its
// status.
func saysNo(v jsontext.Value) bool {
	isFailure := func(p place) bool {
		return isLike(string(p.at), "status") && isLike(p.text, "error fail failed failure rejected 4?? 5??")
	}
	return decode.SaysNo(v) || slices.ContainsFunc(places(v), isFailure)
}

// isLike reports whether a name or a word, once it is folded, matches one of some patterns (path.Match).
func isLike(word, patterns string) bool {
	word = jsonvalue.Fold(word)
	for pattern := range strings.FieldsSeq(patterns) {
		if matches, _ := path.Match(pattern, word); matches { // the patterns are valid
			return true
		}
	}
	return false
}

// meaning is what words mean that match patterns.
type meaning struct{ of, patterns string }

// meaningOf returns the first of some meanings that a word has; empty if it has none.
func meaningOf(word string, meanings []meaning) string {
	for _, m := range meanings {
		if isLike(word, m.patterns) {
			return m.of
		}
	}
	return ""
}

// place is a value of an answer, and where it is.
type place struct {
	at     jsontext.Pointer
	name   string // of the member; empty for the whole answer
	around string // of the object that has the member
	value  jsontext.Value
	text   string // of a string; any other value as it is spelled
}

func placeOf(at jsontext.Pointer, v jsontext.Value) place {
	p := place{at: at, name: at.LastToken(), around: at.Parent().LastToken(), value: v, text: string(v)}
	if v.Kind() == '"' {
		p.text = jsonvalue.Text(v)
	}
	return p
}

// limitPlaces bounds how much of an answer is examined.
const limitPlaces = 2000

// places returns an answer and its members on all levels, the outer ones first. It does not descend into arrays.
func places(v jsontext.Value) []place { return placesIn(v, 0) }

// placesIn is places, and descends into arrays of at most so many elements.
func placesIn(v jsontext.Value, elements int) []place {
	all := []place{placeOf("", v)}
	for i := 0; i < len(all) && len(all) < limitPlaces; i++ {
		if len(jsonvalue.Elements(all[i].value)) > elements {
			continue
		}
		for name, value := range jsonvalue.Parts(all[i].value) {
			all = append(all, placeOf(all[i].at.AppendToken(string(name)), value))
		}
	}

	return all
}

// isFilled reports whether a place has a text or a number.
func (p place) isFilled() bool { return jsonvalue.Scalar(p.value) != "" }

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
			if text := jsonvalue.Scalar(jsonvalue.At(record, p.at)); text != "" {
				c.texts = append(c.texts, text)
			}
		}
		if len(c.texts) == len(records) {
			all = append(all, c)
		}
	}

	return all
}

// meaningful returns the columns whose texts all have one of the meanings. One with a digit or a slash is an identifier.
func meaningful(columns []column, meanings []meaning) (all []column) {
	isOther := func(text string) bool {
		return meaningOf(text, meanings) == "" || strings.ContainsAny(text, "0123456789/")
	}
	for _, c := range columns {
		if !slices.ContainsFunc(c.texts, isOther) {
			all = append(all, c)
		}
	}

	return all
}

// firstNamed returns where the first of the columns is whose name matches one of the patterns, or that is a value
// inside an object with such a name; empty if there is none. The first pattern wins.
func firstNamed(columns []column, patterns string) jsontext.Pointer {
	for pattern := range strings.FieldsSeq(patterns) {
		for _, c := range columns {
			isInside := isLike(c.around, pattern) && isLike(c.name, "id email value identifier")
			if isInside || isLike(c.name, pattern) {
				return c.at
			}
		}
	}

	return ""
}
