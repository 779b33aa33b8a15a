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

// Absent proposes settings by which an answer about an invented person says that there is nothing.
func Absent(a Answer) (all []Settings) {
	v := a.json()
	if v.Kind() != '{' { // only its status can say so
		return []Settings{{"/absent": []any{"json_404", "any_404"}}, {"/absent": []any{"json_404", "204"}}, {"/absent": []any{"json_404", "empty"}}}
	}

	for _, p := range places(v)[1:] {
		s := Settings{}
		switch {
		case isLike(p.name, envelopes):
			s.set("/envelope", p.at)
		case isLike(p.name, "consent consents"):
			s.set("/consent/at", p.at)
		case isLike(p.name, listNames): // of none or one
			s.set("/consent/at", p.at+"/0")
		default:
			continue
		}
		s.ignoreAround(v, p.at)
		all = append(all, s)
	}

	return all
}

// ignoreAround adds settings for the envelope around an empty place: what its code says, and what says yes. The strict
// reader knows words of success, and refuses all others.
func (s Settings) ignoreAround(v jsontext.Value, empty jsontext.Pointer) {
	for _, leaf := range leavesAround(v, empty) {
		switch {
		case leaf.role() == "failure" && isLike(leaf.text, "404* *notfound* *notexist* *nodata*"): // other codes may be failures
			s.set("/result/at", leaf.at)
			s.add("/result/absent", leaf.text)
			s.add("/result/success", "0") // the usual one
		case leaf.text == "true", isLike(leaf.name, "message msg"):
			s.ignore(leaf, "", "")
		}
	}
}

// Consent proposes settings for an answer that holds a consent record: where the record is, unless it is named as a
// former one, and in which format it has its time.
func Consent(a Answer) (all []Settings) {
	for _, p := range placesIn(a.json(), 1) {
		isFormer := func(name string) bool { return isLike(name, "previous former old history before") }
		if !isLike(p.name, "clause*consent") || slices.ContainsFunc(slices.Collect(p.at.Tokens()), isFormer) {
			continue
		}
		for _, format := range []string{"unix_s", "utc", "date"} {
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
	for _, p := range slices.Backward(placesIn(a.json(), 1)[1:]) {
		isNamed := isKnown || isLike(p.name, envelopes)
		if isNamed && p.value.Kind() == '{' {
			all = append(all, Settings{"/profile/at": string(p.at)})
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
	for _, p := range append(lists(v), places(v)...) { // a person without a profile may have lists all the same
		if p.isData() {
			content = append(content, p.at)
			all = append(all, Settings{"/all_data/at": string(p.at)})
		}
	}
	// The id of a call, and the links to other things, are not beside the data.
	isOfWork := func(p place) bool {
		isBeside := slices.ContainsFunc(content, p.at.Parent().Contains)
		return isBeside && isLike(p.name, "requestid link links url urls downloadurl href expires*")
	}
	leaves := leavesAround(v, content...)
	if slices.ContainsFunc(leaves, isOfWork) || slices.ContainsFunc(leaves, place.isOfPart) {
		return nil
	}

	return all
}

func (p place) isData() bool {
	first := jsonvalue.At(p.value, "/0")
	isOfWork := func(p place) bool {
		return isLike(string(p.at), "jobid taskid requestid status state percent progress")
	}
	isList := first.Kind() == '{' && meaningOf(p.name, kindWords) != "" && !slices.ContainsFunc(places(first), isOfWork)
	isProfile := p.value.Kind() == '{' && isLike(p.name, "profile")
	return isList || isProfile
}

// isOfPart reports whether a leaf says that what stands beside it is not all: that there is more, that it is being
// made, or that it failed.
func (p place) isOfPart() bool {
	isNext := p.role() == "next" && !jsonvalue.IsZero(p.value)
	return isNext || isLike(p.name, "*state") || isLike(p.role(), "part job failure")
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
