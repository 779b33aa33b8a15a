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

// absentCodes are the patterns of codes that say that there is nothing. Others may say as well that the service fails,
// that it does not admit the caller, or that it was asked too often.
const absentCodes = "404* *notfound* *notexist* *nodata*"

// emptied are where an answer may have nothing, by the names of the place, and the setting that says so.
var emptied = []struct {
	names       string
	setting, at jsontext.Pointer // from the place
}{
	{envelopes, "/envelope", ""},
	{"consent consents", "/consent/at", ""},
	{listNames, "/consent/at", "/0"}, // of none or one
}

// Absent proposes settings by which an answer about an invented person says that there is nothing.
func Absent(a Answer) (all []Settings) {
	v := a.json()
	if v.Kind() != '{' { // only its status can say so
		return []Settings{{"/absent": []any{"json_404", "any_404"}}, {"/absent": []any{"json_404", "204"}}, {"/absent": []any{"json_404", "empty"}}}
	}

	for _, p := range places(v)[1:] {
		for _, row := range emptied {
			if p.isNothing() && isLike(p.name, row.names) {
				s := Settings{row.setting: string(p.at + row.at)}
				s.ignoreAround(v, p.at)
				all = append(all, s)
			}
		}
	}

	return all
}

// ignoreAround adds settings for the envelope around an empty place: what its code says, and what says yes. The strict
// reader refuses what is neither a word of envelopes nor ignored.
func (s Settings) ignoreAround(v jsontext.Value, empty jsontext.Pointer) {
	for _, leaf := range leavesAround(v, empty) {
		role := leaf.role()
		saysYes := role == roleSuccess || role == roleFlag || leaf.text == "true"
		switch {
		case role == roleFailure && isLike(leaf.text, absentCodes):
			s.set("/result/at", leaf.at)
			s.add("/result/absent", leaf.text)
			s.add("/result/success", "0") // the usual one
		case saysYes, isLike(leaf.name, "message msg"):
			s.ignore(leaf, "", "")
		}
	}
}

// Consent proposes settings for an answer that holds a consent record: where the record is, unless it is named as a
// former one, and in which format it has its time.
func Consent(a Answer) (all []Settings) {
	for _, p := range placesInside(a.json()) {
		isFormer := isLike(p.around, "previous former old history before")
		isFirst := len(all) == 0 || all[len(all)-1]["/consent/at"] != string(p.at.Parent())
		if !isLike(p.name, "clause*consent") || isFormer || !isFirst {
			continue
		}
		for _, format := range []string{"rfc3339", "unix_s", "utc", "date"} {
			all = append(all, Settings{"/consent/at": string(p.at.Parent()), "/consent/time_format": format})
		}
	}

	return all
}

// WrittenConsent proposes settings for an answer with a consent that was written: those of Consent, and that false
// clauses are missing. What was written shows whether they are.
func WrittenConsent(a Answer) []Settings {
	all := Consent(a)
	for _, s := range all {
		all = append(all, s.Merge(Settings{"/consent/omits_false": true}))
	}
	return all
}

// Profile proposes where a profile is: in the objects inside of an answer, the inner ones first. Where nobody knows a
// member of it, only documented envelopes may hold it.
func Profile(a Answer, isKnown bool) (all []Settings) {
	for _, p := range slices.Backward(placesInside(a.json())[1:]) {
		isNamed := isKnown || isLike(p.name, envelopes)
		if isNamed && p.value.Kind() == '{' {
			all = append(all, Settings{"/profile/at": string(p.at)})
		}
	}
	return all
}

// placesInside is places with the elements of arrays that have one only.
func placesInside(v jsontext.Value) []place {
	all := places(v)
	for _, p := range places(v) {
		if elements := jsonvalue.Elements(p.value); len(elements) == 1 {
			for _, inside := range places(elements[0]) {
				all = append(all, placeOf(p.at.AppendToken("0")+inside.at, inside.value))
			}
		}
	}

	return all
}

// Data proposes settings for an answer that may be all data of a person: lists of what the interface has of a person,
// or else a profile; or the media type. What describes work, or leads on, stands beside a part or an acknowledgement.
func Data(a Answer) (all []Settings) {
	v := a.json()
	if v == nil {
		return inForm(a)
	}

	var content []jsontext.Pointer
	for _, p := range places(v) {
		isList := p.value.Kind() == '[' && meaningOf(p.name, kindWords) != ""
		isProfile := p.value.Kind() == '{' && isLike(p.name, "profile")
		switch {
		case isList && p.isFull():
			content = slices.Insert(content, 0, p.at)
		case isProfile && p.isFull():
			content = append(content, p.at)
		}
	}
	if slices.ContainsFunc(leavesAround(v, content...), place.isOfPart) {
		return nil
	}
	for _, at := range content {
		all = append(all, Settings{"/all_data/at": string(at)})
	}

	return all
}

// isFull reports whether an object, or an object in an array, has a text or a number.
func (p place) isFull() bool {
	for _, object := range append(jsonvalue.Elements(p.value), p.value) {
		if slices.ContainsFunc(places(object)[1:], place.isFilled) {
			return true
		}
	}
	return false
}

// workNames are patterns of the pointers to members that describe work that goes on.
const workNames = "*jobid *taskid requestid *status *state *percent *progress"

// isOfPart reports whether a leaf says that what stands beside it is not all: that there is more, that it is being
// made, or that it is elsewhere. The id of a call is deeper inside than that of a request.
func (p place) isOfPart() bool {
	isNext := p.role() == roleNext && !jsonvalue.IsZero(p.value)
	isDone := isLike(p.text, "success ok")
	isOfWork := isLike(string(p.at), workNames+" link url urls downloadurl href expires*")

	isUndone := isOfWork && !isDone

	return isNext || isUndone || p.role() == rolePart
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
