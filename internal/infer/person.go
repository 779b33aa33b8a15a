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

// failureCodes are the patterns of codes by which a service that may hold something does not show it: one that
// fails, that does not know or does not admit who asks, or that was asked too often.
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
	v := a.value()
	if v.Kind() != '{' {
		for _, form := range []string{"any_404", "204", "empty"} {
			all = append(all, Settings{"/absent": []any{"json_404", form}})
		}
		return all
	}

	for _, p := range places(a.json())[1:] {
		around, isNone := emptyEnvelope(v, p.at)
		if p.isScalar() || !p.isEmpty() || !isNone {
			continue
		}
		for _, row := range emptied {
			if isLike(p.name, row.names) {
				all = append(all, around.Merge(Settings{row.setting: string(p.at + row.at)}))
			}
		}
	}

	return all
}

// emptyEnvelope returns settings for the envelope around an empty place. The strict reader refuses what is
// neither a word of envelopes nor ignored. isNone is false for the code of a service that has failed.
func emptyEnvelope(v jsontext.Value, at jsontext.Pointer) (s Settings, isNone bool) {
	s = Settings{}
	for _, leaf := range leavesAround(v, at) {
		switch role := leaf.role(); {
		case role == roleFailure && isLike(leaf.text, failureCodes):
			return nil, false
		case role == roleFailure:
			s.set("/result/at", leaf.at)
			s.add("/result/absent", leaf.text)
			s.add("/result/success", "0") // the usual one
		case role == roleSuccess, role == roleFlag, leaf.text == "true", isLike(leaf.name, "message msg"):
			s.ignore(leaf, pages{})
		}
	}

	return s, true
}

// Consent proposes settings for an answer that holds a consent record: where the record is, and
// in which format it has its time. What is named as a former record comes last.
func Consent(a Answer) []Settings {
	return consents(a, clauses, Settings{})
}

// WrittenConsent proposes settings for an answer that shows a consent which was written: those of Consent, and
// that clauses which are false are missing. What was written shows whether they are.
func WrittenConsent(a Answer) []Settings {
	return append(Consent(a), consents(a, 0, Settings{"/consent/omits_false": true})...)
}

// clauses is how many members a consent record has at least.
const clauses = 5

// consents proposes each object with so many members for the consent record, with other settings.
func consents(a Answer, members int, others Settings) (all []Settings) {
	inside := placesInside(a.json())
	for _, isFormer := range []bool{false, true} {
		for _, p := range inside {
			isRecord := p.value.Kind() == '{' && len(jsonvalue.Members(p.value)) >= members
			if !isRecord || isLike(p.name, "previous former old history before") != isFormer {
				continue
			}
			for _, format := range []string{"rfc3339", "unix_s", "utc", "date"} {
				all = append(all, others.Merge(Settings{"/consent/at": string(p.at), "/consent/time_format": format}))
			}
		}
	}

	return all
}

// Profile proposes where a profile is: the outermost object with a member that is managed, or
// else, where nobody knows a member of it, the objects in documented envelopes, the inner ones
// first.
func Profile(a Answer, managed []string) (all []Settings) {
	for _, p := range placesInside(a.json())[1:] {
		isProfile := len(managed) == 0 && p.value.Kind() == '{' && isLike(p.name, envelopes)
		for name := range jsonvalue.EachMember(p.value) {
			isProfile = isProfile || slices.Contains(managed, string(name))
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

// Data proposes settings for an answer that may be all data of a person: where the data is, or its media type.
func Data(a Answer) (all []Settings) {
	if v := a.value(); v == nil {
		return inForm(a)
	}
	inside := dataPlaces(a.json())
	if !slices.ContainsFunc(inside, place.isFull) {
		return nil
	}
	for _, p := range inside {
		all = append(all, Settings{"/all_data/at": string(p.at)})
	}

	return all
}

// inForm proposes the media type of data that are not JSON.
func inForm(a Answer) []Settings {
	isOther := a.MediaType == "" || a.MediaType == "text/html" || strings.HasSuffix(a.MediaType, "json")
	if isOther || len(a.Body) == 0 {
		return nil
	}
	return []Settings{{"/all_data/media_type": a.MediaType}}
}

// dataPlaces returns where an answer may have all data of a person: lists of what the interface has of a person,
// which are there even if they are empty, and then what is named like content, the innermost first. What describes
// work or stands inside of that, and a part, is not data.
func dataPlaces(v jsontext.Value) (lists []place) {
	var work []jsontext.Pointer
	var named []place
	for _, p := range places(v) {
		isWork := p.hasObject(place.isOfWork)
		for _, at := range work {
			isWork = isWork || at.Contains(p.at)
		}
		switch {
		case p.leadsOn():
			return nil
		case isWork:
			work = append(work, p.at)
		case p.isListOfKind():
			lists = append(lists, p)
		case p.isFull() && isLike(p.name, envelopes):
			named = slices.Insert(named, 0, p)
		}
	}

	return append(lists, named...)
}

// leadsOn reports whether a place says that there is more.
func (p place) leadsOn() bool {
	return p.saysMore() || p.role() == roleNext && !p.isEmpty()
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
	isDone := p.name == "status" && isLike(p.text, "success ok")
	isNested := p.at.Parent() != ""
	if isDone || isNested || p.name == "_links" {
		return false
	}
	isUndone := p.name == "done" && p.text == "false"

	return isUndone || isLike(p.name, workNames+" link links url urls downloadurl href expires")
}
