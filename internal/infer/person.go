// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// envelopes are names of members that hold content.
const envelopes = "data attributes profile user person traits properties result results response payload content item value record body"

// failureCodes are the patterns of codes of a service that fails, does not know or admit the caller, or was
// asked too often. Such a service may hold something all the same.
const failureCodes = "5* 401* 403* 429*"

// emptied are where an answer may have nothing, by the names of the place, and the setting that says so.
var emptied = []struct {
	names       string
	setting, at jsontext.Pointer // from the place
}{
	{envelopes, "/envelope", ""},
	{"consent consents", "/consent/at", ""},
	{"profile", "/profile/at", ""},
	{listNames, "/consent/at", "/0"}, // of none or one
}

// Absent proposes settings by which an answer about an invented person says that there is nothing.
func Absent(a Answer) (all []Settings) {
	v := a.json()
	if v.Kind() != '{' { // only its status can say so
		return []Settings{{"/absent": []any{"json_404", "any_404"}}, {"/absent": []any{"json_404", "204"}}, {"/absent": []any{"json_404", "empty"}}}
	}

	for _, p := range places(v)[1:] {
		around := emptyEnvelope(v, p.at)
		for _, row := range emptied {
			if around != nil && p.isNothing() && isLike(p.name, row.names) {
				all = append(all, around.Merge(Settings{row.setting: string(p.at + row.at)}))
			}
		}
	}

	return all
}

// emptyEnvelope returns settings for the envelope around an empty place. The strict reader refuses what is
// neither a word of envelopes nor ignored. They are nil for the code of a service that has failed.
func emptyEnvelope(v jsontext.Value, at jsontext.Pointer) Settings {
	s := Settings{}
	for _, leaf := range leavesAround(v, at) {
		switch role := leaf.role(); {
		case role == roleFailure && isLike(leaf.text, failureCodes):
			return nil
		case role == roleFailure:
			s.set("/result/at", leaf.at)
			s.add("/result/absent", leaf.text)
			s.add("/result/success", "0") // the usual one
		case role == roleSuccess, role == roleFlag, leaf.text == "true", isLike(leaf.name, "message msg"):
			s.ignore(leaf, "", "")
		}
	}

	return s
}

// Consent proposes settings for an answer that holds a consent record: where the record is, and
// in which format it has its time. What is named as a former record comes last.
func Consent(a Answer) []Settings {
	return consents(a, clauses, Settings{})
}

// WrittenConsent proposes settings for an answer with a consent that was written: those of Consent, and that false
// clauses are missing. What was written shows whether they are.
func WrittenConsent(a Answer) []Settings {
	return append(Consent(a), consents(a, 0, Settings{"/consent/omits_false": true})...)
}

// clauses is how many members a consent record has at least.
const clauses = 5

// consents proposes each object with so many members for the consent record, with other settings.
func consents(a Answer, members int, others Settings) (all []Settings) {
	var former []Settings
	for _, p := range placesInside(a.json()) {
		if len(jsonvalue.Members(p.value)) < members {
			continue
		}
		for _, format := range []string{"rfc3339", "unix_s", "utc", "date"} {
			s := others.Merge(Settings{"/consent/at": string(p.at), "/consent/time_format": format})
			if isLike(p.name, "previous former old history before") {
				former = append(former, s)
				continue
			}
			all = append(all, s)
		}
	}

	return append(all, former...)
}

// Profile proposes where a profile is: the outermost object with a member that is managed, or
// else, where nobody knows a member of it, the objects in documented envelopes, the inner ones
// first.
func Profile(a Answer, managed []string) (all []Settings) {
	for _, p := range placesInside(a.json())[1:] {
		isProfile := p.value.Kind() == '{' && isLike(p.name, envelopes)
		if len(managed) > 0 {
			members := jsonvalue.Members(p.value)
			isProfile = slices.ContainsFunc(managed, func(name string) bool { return members[name] != nil })
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

// Data proposes settings for an answer that may be all data of a person: where the data is, or its media type. A part is
// not the data.
func Data(a Answer) (all []Settings) {
	v := a.json()
	if v == nil {
		return inForm(a)
	}

	inside := places(v)
	found := dataPlaces(inside)
	if !slices.ContainsFunc(found, place.isFull) || slices.ContainsFunc(inside, place.leadsOn) {
		return nil
	}
	for _, p := range found {
		all = append(all, Settings{"/all_data/at": string(p.at)})
	}

	return all
}

// dataPlaces returns which places may have all data of a person: lists of what the interface has of a person,
// which are there even if they are empty, and then what is named like content, the innermost first. What describes
// work or stands inside of that is not data. What stands beside it may be: an answer has an id of its call.
func dataPlaces(inside []place) (lists []place) {
	var work []jsontext.Pointer
	var named []place
	for _, p := range inside {
		switch {
		case p.isInside(work), p.hasObject(place.isOfWork):
			work = append(work, p.at)
		case p.isListOfKind():
			lists = append(lists, p)
		case p.isFull() && isLike(p.name, envelopes):
			named = slices.Insert(named, 0, p)
		}
	}

	return append(lists, named...)
}

// inForm proposes the media type of data that are not JSON.
func inForm(a Answer) []Settings {
	_, notJSON := jsonvalue.Parse(a.Body)
	isOther := notJSON == nil || a.MediaType == "" || a.MediaType == "text/html" || strings.HasSuffix(a.MediaType, "json")
	if isOther || len(a.Body) == 0 {
		return nil
	}
	return []Settings{{"/all_data/media_type": a.MediaType}}
}

// leadsOn reports whether a place says that there is more.
func (p place) leadsOn() bool {
	isNext := p.role() == roleNext && !p.isEmpty()
	return isNext || p.saysMore()
}

func (p place) isListOfKind() bool {
	isWhole := p.isEmpty() || p.isFull()
	return p.value.Kind() == '[' && isWhole && meaningOf(p.name, kindWords) != ""
}

func (p place) isFull() bool { return p.hasObject(place.isFilled) }

// hasObject reports whether an object, or an object in an array, has a member that meets a condition.
func (p place) hasObject(meets func(place) bool) bool {
	for _, object := range append(jsonvalue.Elements(p.value), p.value) {
		if slices.ContainsFunc(places(object)[1:], meets) {
			return true
		}
	}
	return false
}

// workNames are names of members that describe work that goes on.
const workNames = "jobid taskid requestid status state percent progress"

// isOfWork reports whether a member of an object describes work that goes on, or its result elsewhere: a status other
// than one of success, a job or a link, but for those of HAL.
func (p place) isOfWork() bool {
	isDone := isLike(p.name, "status") && isLike(p.text, "success ok")
	isNested := p.at.Parent() != ""
	if isDone || isNested || p.name == "_links" {
		return false
	}
	return isLike(p.name, workNames+" link links url urls downloadurl href expires")
}
