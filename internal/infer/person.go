// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// envelopes are names of members that hold content.
const envelopes = "data attributes profile user person traits properties result results response payload content item value record body"

// failureCode matches codes by which a service that may hold something does not show it: one that fails,
// that does not know or does not admit who asks, or that was asked too often.
var failureCode = regexp.MustCompile(`^(5|401|403|429)`)

// Absent proposes settings by which an answer about an invented person says that there is nothing.
func Absent(a Answer) (all []Settings) {
	v := a.value()
	if v.Kind() != '{' {
		for _, form := range []string{"any_404", "204", "empty"} {
			all = append(all, Settings{"/absent": []any{"json_404", form}})
		}
		return all
	}

	for _, p := range places(a.json())[1:] {
		if !p.isScalar() && p.isEmpty() {
			all = append(all, emptied(v, p)...)
		}
	}

	return all
}

// emptied proposes settings for an answer with an empty place where a person's data would be.
func emptied(v jsontext.Value, p place) (all []Settings) {
	for _, row := range []struct {
		names       string
		setting, at jsontext.Pointer
	}{
		{envelopes, "/envelope", p.at},
		{"consent consents", "/consent/at", p.at},
		{"profile", "/profile/at", p.at},
		{listNames, "/consent/at", p.at.AppendToken("0")}, // of none or one
	} {
		s := Settings{row.setting: string(row.at)}
		if !p.isNamed(row.names) || !s.emptyEnvelope(v, p.at) {
			continue
		}
		all = append(all, s)
		if s["/result/absent"] != nil && s["/result/success"] == nil {
			all = append(all, s.Merge(Settings{"/result/success": []any{"0"}})) // the usual one
		}
	}

	return all
}

// emptyEnvelope adds settings for the envelope around an empty place. The strict reader refuses what is
// neither a word of envelopes nor ignored. It reports false for the code of a service that has failed.
func (s Settings) emptyEnvelope(v jsontext.Value, at jsontext.Pointer) bool {
	for _, l := range envelopeLeaves(v, at) {
		switch {
		case l.role == roleFailure && failureCode.MatchString(l.text):
			return false
		case l.role == roleFailure:
			s["/result/at"], s["/result/absent"] = string(l.at), []any{l.text}
		case l.role == roleSuccess, l.role == roleFlag, l.text == "true", l.isNamed("message msg"):
			s.ignore(l, pages{})
		}
	}

	return true
}

// Consent proposes settings for an answer that holds a consent record: where the record is, and
// in which format it has its time. What is named as the present record comes first, and what is named as a
// former one last.
func Consent(a Answer) []Settings {
	v := a.json()
	var present, others, former []Settings
	for _, p := range placesInside(v) {
		switch {
		case !p.hasClauses():
		case p.isNamed("current latest consent active state"):
			present = append(present, recordAt(v, p.at)...)
		case p.isNamed("previous former old history before"):
			former = append(former, recordAt(v, p.at)...)
		default:
			others = append(others, recordAt(v, p.at)...)
		}
	}

	return slices.Concat(present, others, former)
}

// hasClauses reports whether an object has five members that are named like clauses.
func (p place) hasClauses() bool {
	clauses := 0
	for name := range jsonvalue.EachMember(p.value) {
		if strings.HasPrefix(jsonvalue.Fold(string(name)), "clause") {
			clauses++
		}
	}
	return clauses == 5
}

// WrittenConsent proposes settings for an answer that shows a consent which was written: those of Consent, and
// that clauses which are false are missing. What was written shows whether they are.
func WrittenConsent(a Answer) []Settings {
	all := Consent(a)
	for _, p := range places(a.json()) {
		for _, format := range []string{"rfc3339", "unix_s", "utc", "date"} {
			all = append(all, Settings{"/consent/at": string(p.at), "/consent/omits_false": true, "/consent/time_format": format})
		}
	}
	return all
}

// recordAt proposes settings for a consent record at a place.
func recordAt(v jsontext.Value, at jsontext.Pointer) []Settings {
	s := Settings{"/consent/at": string(at)}
	for _, l := range envelopeLeaves(v, at) {
		if l.role == roleSuccess {
			s.ignore(l, pages{})
		}
	}

	all := []Settings{s}
	for _, format := range []string{"unix_s", "utc", "date"} {
		all = append(all, s.Merge(Settings{"/consent/time_format": format}))
	}

	return all
}

// Profile proposes where a profile is: the outermost object with a member that is managed, or
// else, where nobody knows a member of it, the objects in documented envelopes, the inner ones
// first.
func Profile(a Answer, managed []string) (all []Settings) {
	for _, p := range placesInside(a.json())[1:] {
		isProfile := p.isNamed(envelopes) && p.value.Kind() == '{'
		if len(managed) > 0 {
			isProfile = slices.ContainsFunc(managed, p.has)
		}
		if isProfile {
			all = append(all, Settings{"/profile/at": string(p.at)})
		}
	}
	if len(managed) == 0 {
		slices.Reverse(all)
	}

	return all
}

func (p place) has(name string) bool {
	return jsonvalue.Members(p.value)[name] != nil
}

// Data proposes settings for an answer that may be all data of a person: where the data is, or its media type.
// Lists of what the interface has of a person come first, which are there even if they are empty, and then what
// is named like content, the innermost place first. It proposes nothing for what describes work or stands inside of
// that, links to the data or is a part of it.
func Data(a Answer) []Settings {
	if a.value() == nil {
		return inForm(a)
	}

	inside := places(a.json())
	if slices.ContainsFunc(inside, place.leadsOn) {
		return nil
	}

	var lists, named []Settings
	var work []jsontext.Pointer
	hasData := false
	for _, p := range inside {
		isOfWork := slices.ContainsFunc(work, func(at jsontext.Pointer) bool { return at.Contains(p.at) })
		if isOfWork || p.hasObject(place.isOfWork) {
			work = append(work, p.at)
			continue
		}

		mark := Settings{"/all_data/at": string(p.at)}
		isKind, holds := meaningOf(p.name, kindWords) != "", p.hasObject(place.isFilled)
		switch {
		case isKind && p.value.Kind() == '[' && (holds || p.isEmpty()):
			lists = append(lists, mark)
		case holds && p.isNamed(envelopes):
			named = slices.Insert(named, 0, mark)
		default:
			continue
		}
		hasData = hasData || holds
	}
	if !hasData {
		return nil
	}

	return append(lists, named...)
}

// inForm proposes the media type of data that are not JSON.
func inForm(a Answer) []Settings {
	isOther := slices.Contains([]string{"", "text/html"}, a.MediaType) || strings.HasSuffix(a.MediaType, "json")
	if isOther || len(a.Body) == 0 {
		return nil
	}
	return []Settings{{"/all_data/media_type": a.MediaType}}
}

func (p place) leadsOn() bool {
	isPage := p.role() == roleNext && !jsonvalue.IsZero(p.value)
	isMore := p.role() == roleMore && p.text == "true"

	return isPage || isMore
}

// hasObject reports whether an object, or an object in an array, has a member that meets a condition.
func (p place) hasObject(meets func(place) bool) bool {
	return slices.ContainsFunc(append(jsonvalue.Elements(p.value), p.value), func(object jsontext.Value) bool {
		return slices.ContainsFunc(places(object)[1:], meets)
	})
}

func (p place) isFilled() bool {
	return p.isScalar() && p.text != ""
}

// isOfWork reports whether a member describes work that goes on, or its result elsewhere: a status other than one of
// success, a job or a link, but for those of HAL.
func (p place) isOfWork() bool {
	isDone := p.name == "status" && isNamed(p.text, "success ok")
	if isDone || p.around != "" || p.at == "/_links" {
		return false
	}
	isUndone := p.name == "done" && p.text == "false"
	return isUndone || p.isNamed("jobid taskid requestid status state percent progress link links url urls downloadurl href expires")
}
