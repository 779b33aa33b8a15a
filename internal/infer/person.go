// SPDX-License-Identifier: MPL-2.0

package infer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Consent proposes settings for an answer that holds a consent record: where the record is, and
// in which form it has its time.
func Consent(a Answer) []Settings {
	v := a.json()
	if v == nil || SaysNo(v) {
		return nil
	}

	var all []Settings
	for _, p := range consents(v) {
		s := Settings{}
		if p.at != "" {
			s.set(string(p.at), "consent", "at")
		}
		for _, beside := range placesBeside(v, []jsontext.Pointer{p.at}) {
			if beside.isResult() {
				s.result(beside)
			}
		}
		if form := timeForm(timeOf(v, p)); form != "" {
			s.set(form, "consent", "time_format")
		}
		all = append(all, s)
	}

	return all
}

// consents returns the objects that have the first and the fifth clause, also as the first element
// of an array. What is named as the present one comes first.
func consents(v jsontext.Value) []place {
	var found []place
	for _, p := range append(places(v), inArray(v)...) {
		clauses := 0
		for name := range jsonvalue.EachMember(p.value) {
			if isClause.MatchString(jsonvalue.Fold(string(name))) {
				clauses++
			}
		}
		if clauses == 5 {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b place) int { return rank(a.name) - rank(b.name) })

	return found
}

var isClause = regexp.MustCompile(`^clause[1-5]`)

// rank is lower for what is named as the present state than for what is named as a former one.
func rank(name string) int {
	switch {
	case isNamed(name, "current latest consent active state"):
		return 0
	case isNamed(name, "previous former old history before"):
		return 2
	}
	return 1
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

// timeOf returns the time of a record: beside its clauses, or around them.
func timeOf(v jsontext.Value, record place) jsontext.Value {
	inside := places(record.value)
	if p, ok := first(inside, "agreementtime", isScalar); ok {
		return p.value
	}
	p, _ := first(places(v), "agreementtime", isScalar)
	return p.value
}

var (
	noZone = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$`)
	date   = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// timeForm returns the word of wire for the form of a time; empty for one that is read by default.
func timeForm(v jsontext.Value) string {
	text := scalar(v)

	number, err := strconv.ParseFloat(text, 64)
	const in2000, inMilliseconds = 946_684_800, 100_000_000_000
	switch {
	case err == nil && number >= in2000 && number < inMilliseconds:
		return "unix_s"
	case noZone.MatchString(text):
		return "utc"
	case date.MatchString(text):
		return "date"
	}

	return ""
}

// envelopes are names of members that hold content.
const envelopes = "data attributes profile user person traits properties result results response payload content item value record body"

// Profile proposes where a profile is: the outermost object with a member that is managed, or
// else, where nobody knows a member of it, the objects in documented envelopes, the inner ones
// first.
func Profile(a Answer, managed []string) []Settings {
	v := a.json()
	if v == nil || SaysNo(v) {
		return nil
	}

	var all []Settings
	for _, p := range append(places(v), inArray(v)...) {
		isProfile := slices.ContainsFunc(managed, func(name string) bool { return jsonvalue.Members(p.value)[name] != nil })
		if len(managed) == 0 {
			isProfile = p.value.Kind() == '{' && isEnvelope(p.name)
		}
		if isProfile && p.at != "" {
			s := Settings{}
			s.set(string(p.at), "profile", "at")
			all = append(all, s)
		}
	}
	if len(managed) == 0 {
		slices.Reverse(all)
	}

	return all
}

func isEnvelope(name string) bool { return isNamed(strings.TrimPrefix(name, "$"), envelopes) }

// Data proposes settings for an answer that may be all data of a person: where the data is, or
// its media type. It proposes nothing for what describes work or links to the data.
func Data(a Answer) []Settings {
	s := Settings{}
	v := a.json()
	if v == nil {
		if a.MediaType == "" || strings.HasSuffix(a.MediaType, "json") || a.MediaType == "text/html" || len(a.Body) == 0 {
			return nil
		}
		s.set(a.MediaType, "all_data", "media_type")
		return []Settings{s}
	}
	if SaysNo(v) || isHollow(v) {
		return nil
	}

	// What is alone in an object stands in an envelope.
	at := jsontext.Pointer("")
	all := []Settings{{"all_data": map[string]any{"at": ""}}}
	for {
		name, inside := onlyComposite(v)
		if inside == nil || isHollow(inside) {
			return all
		}
		v, at = inside, at.AppendToken(name)
		all = slices.Insert(all, 0, Settings{"all_data": map[string]any{"at": string(at)}})
	}
}

// onlyComposite returns the only object or array in an object; nil where there is none or several.
func onlyComposite(v jsontext.Value) (name string, inside jsontext.Value) {
	for n, value := range jsonvalue.EachMember(v) {
		if value.Kind() != '{' && value.Kind() != '[' {
			continue
		}
		if inside != nil {
			return "", nil
		}
		name, inside = string(n), value
	}

	return name, inside
}

// isHollow reports whether a value holds no data: it describes work, or has nothing but nulls, empty
// values and such values.
func isHollow(v jsontext.Value) bool {
	if isWork(v) || !jsonvalue.Told(v) {
		return true
	}

	inside := 0
	for _, value := range jsonvalue.EachMember(v) {
		if value.Kind() == '{' || value.Kind() == '[' || value.Kind() == 'n' {
			if inside++; !isHollow(value) {
				return false
			}
		}
	}

	return inside > 0
}

// isWork reports whether a value describes work that goes on, or its result elsewhere: it has a
// status, a job or a link, as an object or as each element of an array.
func isWork(v jsontext.Value) bool {
	if elements := jsonvalue.Elements(v); len(elements) > 0 {
		return !slices.ContainsFunc(elements, func(e jsontext.Value) bool { return !isWork(e) })
	}
	isList := false // which has links beside it
	for _, value := range jsonvalue.EachMember(v) {
		isList = isList || value.Kind() == '['
	}
	names := "jobid taskid percent progress url urls downloadurl href expires"
	if !isDone(v) {
		names += " status state requestid"
	}
	for name := range jsonvalue.EachMember(v) {
		folded := jsonvalue.Fold(string(name))
		isLink := isNamed(folded, "link links") && !isList
		if isLink || isNamed(folded, names) {
			return true
		}
	}

	return false
}

// isDone reports whether an answer has a status of success beside content: its request is the one that
// was answered.
func isDone(v jsontext.Value) (isDone bool) {
	hasContent := false
	for name, value := range jsonvalue.EachMember(v) {
		isDone = isDone || isNamed(jsonvalue.Fold(string(name)), flagNames) && isNamed(jsonvalue.Text(value), "success ok")
		hasContent = hasContent || value.Kind() == '{' && jsonvalue.Told(value)
	}
	return isDone && hasContent
}
