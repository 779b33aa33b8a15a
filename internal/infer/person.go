// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Consent proposes settings for an answer that holds a consent record: where the record is, and
// in which format it has its time.
func Consent(a Answer) (all []Settings) {
	v := a.json()
	if v == nil || saysNo(v) {
		return nil
	}

	for _, p := range records(v) {
		s := Settings{"/consent/at": string(p.at)}
		for _, leaf := range envelopeLeaves(v, []jsontext.Pointer{p.at}) {
			if leaf.isSuccess() {
				s.ignore(leaf, false, false)
			}
		}
		all = append(all, s)
		for _, format := range []string{"unix_s", "utc", "date"} {
			all = append(all, s.Merge(Settings{"/consent/time_format": format}))
		}
	}

	return all
}

// records returns the objects with five clauses. What is named as the present record comes first, and
// what is named as a former one last.
func records(v jsontext.Value) []place {
	var ranked [3][]place
	for _, p := range append(places(v), inArray(v)...) {
		clauses := 0
		for name := range jsonvalue.EachMember(p.value) {
			if strings.HasPrefix(jsonvalue.Fold(string(name)), "clause") {
				clauses++
			}
		}

		rank := 1
		switch {
		case p.isNamed("current latest consent active state"):
			rank = 0
		case p.isNamed("previous former old history before"):
			rank = 2
		}
		if clauses == 5 {
			ranked[rank] = append(ranked[rank], p)
		}
	}

	return slices.Concat(ranked[:]...)
}

// inArray returns the places in an answer that is an array, or has one, of a single element.
func inArray(v jsontext.Value) (all []place) {
	for _, p := range places(v) {
		if elements := jsonvalue.Elements(p.value); len(elements) == 1 {
			for _, inside := range places(elements[0]) {
				inside.at = p.at.AppendToken("0") + inside.at
				all = append(all, inside)
			}
		}
	}

	return all
}

// envelopes are names of members that hold content.
const envelopes = "data attributes profile user person traits properties result results response payload content item value record body"

// Profile proposes where a profile is: the outermost object with a member that is managed, or
// else, where nobody knows a member of it, the objects in documented envelopes, the inner ones
// first.
func Profile(a Answer, managed []string) (all []Settings) {
	v := a.json()
	if v == nil || saysNo(v) {
		return nil
	}

	for _, p := range append(places(v), inArray(v)...) {
		isManaged := func(name string) bool { return jsonvalue.Members(p.value)[name] != nil }
		isProfile := slices.ContainsFunc(managed, isManaged)
		if len(managed) == 0 {
			isProfile = p.value.Kind() == '{' && p.isNamed(envelopes)
		}
		if isProfile && p.at != "" {
			all = append(all, Settings{"/profile/at": string(p.at)})
		}
	}
	if len(managed) == 0 {
		slices.Reverse(all)
	}

	return all
}

// Data proposes settings for an answer that may be all data of a person: where the data is, or
// its media type. It proposes nothing for what describes work or links to the data.
func Data(a Answer) (all []Settings) {
	v := a.json()
	if v == nil {
		if a.MediaType == "" || strings.HasSuffix(a.MediaType, "json") || a.MediaType == "text/html" || len(a.Body) == 0 {
			return nil
		}
		return []Settings{{"/all_data/media_type": a.MediaType}}
	}

	status := textOf(jsonvalue.Members(v)["status"])
	isOpen := status != "" && !isNamed(status, "success ok")
	if isOpen || saysNo(v) {
		return nil
	}

	at := jsontext.Pointer("")
	if status != "" { // of the envelope
		at, v = inner(at, v)
	}

	for v != nil && !isHollow(v) {
		all = slices.Insert(all, 0, Settings{"/all_data/at": string(at)})
		at, v = inner(at, v)
	}

	return all
}

// inner returns the only object or array in an object, or else the only one that is named like content; nil
// where that is not known.
func inner(at jsontext.Pointer, v jsontext.Value) (jsontext.Pointer, jsontext.Value) {
	var found, named []string
	for name, value := range jsonvalue.EachMember(v) {
		if !isComposite(value) {
			continue
		}
		found = append(found, string(name))
		if isNamed(jsonvalue.Fold(string(name)), envelopes) {
			named = append(named, string(name))
		}
	}
	if len(found) > 1 {
		found = named
	}
	if len(found) != 1 {
		return "", nil
	}

	return at.AppendToken(found[0]), jsonvalue.Members(v)[found[0]]
}

func isComposite(v jsontext.Value) bool { return v.Kind() == '{' || v.Kind() == '[' }

// isHollow reports whether a value holds no data: it describes work, or has nothing but nulls, empty
// values and such values.
func isHollow(v jsontext.Value) bool {
	if isWork(v) || jsonvalue.IsZero(v) {
		return true
	}

	hasInside := false
	for name, value := range jsonvalue.EachMember(v) {
		isInside := isComposite(value) || value.Kind() == 'n'
		if isInside && string(name) != halLinks && !isHollow(value) {
			return false
		}
		hasInside = hasInside || isInside
	}

	return hasInside
}

// halLinks has the links of an object of HAL, the one to the object itself too.
const halLinks = "_links"

// isWork reports whether an object or the elements of an array have what describes work that goes on, or
// its result elsewhere: a status, a job or a link.
func isWork(v jsontext.Value) bool {
	return slices.ContainsFunc(append(jsonvalue.Elements(v), v), func(object jsontext.Value) bool {
		for name, value := range jsonvalue.EachMember(object) {
			isOfWork := isNamed(jsonvalue.Fold(string(name)), "jobid taskid requestid status state percent progress link links url urls downloadurl href expires")
			isUndone := string(name) == "done" && string(value) == "false"
			if isUndone || (isOfWork && string(name) != halLinks) {
				return true
			}
		}
		return false
	})
}
