// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// PendingRecord is one entry of the pending list. What is not recognised is absent, and
// only in JSON.
type PendingRecord struct {
	ID          Optional[string]
	Identity    Optional[string]
	RequestType Optional[string] // one of RequestTypes
	CreatedAt   Optional[time.Time]
	Status      Optional[string]
	// Progress is what all statuses, errors and flags of the record say; Unclear where they
	// disagree, which Disagrees reports, or are not known.
	Progress  Progress
	Disagrees bool
	Code      string // of a failure
	JSON      []byte // the complete record
}

// Is reports whether the record is of one of the request types.
func (r PendingRecord) Is(requestTypes ...string) bool {
	requestType, known := r.RequestType.Get()
	return known && slices.Contains(requestTypes, requestType)
}

// PendingList is the pending list as far as it was recognised.
type PendingList struct {
	// Records are in the order of their time, then id, then text, whatever the order of
	// the service.
	Records []PendingRecord
	// Gap says why the list is not whole, and which setting admits it; empty where it is
	// whole. It never holds a value of the list.
	Gap string
	// Cached reports that a cache has kept the answer for some time, and Date is when the
	// service made it; zero if it does not say so.
	Cached bool
	Date   time.Time
}

// ListCall is a call that answers with the pending list, and the settings for it.
type ListCall struct {
	Envelope Envelope
	At       jsontext.Pointer // wire.pending.at; empty finds the only array of the content
	// Next and Total are wire.pending.next and wire.pending.total, from the top of the answer.
	Next, Total jsontext.Pointer
	RecordMap   RecordMap
	Empty       bool // wire.pending.empty: an answer with nothing in it is an empty list
	// Continued reports that a header says that the answer is a part.
	Continued bool
}

// Read returns the list of an answer: an array of objects, where At says, or else the only array of
// its content. In place of an array, null is an empty one, and so is nothing where Total counts none. It is whole where nothing stands beside it but nulls, counts that agree with it, and
// what the settings name. The error of an answer without a list is a *Error.
func (c ListCall) Read(v jsontext.Value) (PendingList, error) {
	if c.Envelope.open(v, "").saysNo(outcomes) {
		return PendingList{}, refused()
	}
	at, problem := c.find(v)
	if problem != nil && c.countsNone(v) {
		at, problem = c.Total, nil
	}
	if problem != nil && c.Empty && isBlank(v) {
		return PendingList{}, nil
	}
	if problem != nil {
		return PendingList{}, problem
	}

	list := PendingList{}
	elements := jsonvalue.Elements(At(v, at))
	if c.Continued {
		list.Gap = Partial("a Content-Range header says that there is more")
	} else if beside := c.beside(v, at, len(elements)); len(beside) > 0 {
		list.Gap = besideList(beside).Error()
	}

	for _, element := range elements {
		if element.Kind() != '{' {
			list.Gap = Partial("it holds an entry that is no object")
			continue
		}
		list.Records = append(list.Records, c.RecordMap.Record(element))
	}
	list.Sort()

	return list, nil
}

// countsNone reports whether the answer has no list, and counts no records.
func (c ListCall) countsNone(v jsontext.Value) bool {
	isCounted := c.Total != "" && string(At(v, c.Total)) == "0"
	if c.At != "" {
		return isCounted && At(v, c.Envelope.At+c.At) == nil
	}
	return isCounted && len(c.arrays("", v)) == 0
}

// find returns where the list of an answer is.
func (c ListCall) find(v jsontext.Value) (jsontext.Pointer, *Error) {
	none := &Error{Why: "no list of pending requests was recognised in the answer; it is " + Structure(v), Advice: Admits(`wire.pending.use = "ignored"`)}
	at := c.Envelope.At + c.At
	switch found := At(v, at); {
	case found.Kind() == '[' || found.Kind() == 'n':
		return at, nil
	case c.At != "" || found.Kind() != '{':
		return "", none
	}

	lists := c.arrays(at, At(v, at))
	if len(lists) == 0 {
		return "", none
	}
	if len(lists) == 1 {
		return lists[0], nil
	}

	several := &Error{Why: "the answer holds more than one array, " + shownPlaces(lists) + ", and which of them is the list of pending requests is not known", Advice: Admits("wire.pending.at")}
	isList := func(at jsontext.Pointer) bool {
		elements := jsonvalue.Elements(At(v, at))
		return len(elements) > 0 && elements[0].Kind() == '{' && !IsLinks(At(v, at))
	}
	if i := slices.IndexFunc(lists, isList); i >= 0 && !slices.ContainsFunc(lists[i+1:], isList) && isShown(lists[i]) {
		several.Advice = Admits(`wire.pending.at = "` + strings.TrimPrefix(string(lists[i]), string(c.Envelope.At)) + `"`)
	}

	return "", several
}

// IsLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func IsLinks(v jsontext.Value) bool {
	elements := jsonvalue.Elements(v)
	isOther := func(element jsontext.Value) bool {
		o := Open(element)
		return !o.has("url") || !o.has("label")
	}
	return len(elements) > 0 && !slices.ContainsFunc(elements, isOther)
}

// arrays returns where the objects at a place have arrays, other than those that are ignored.
func (c ListCall) arrays(at jsontext.Pointer, v jsontext.Value) (found []jsontext.Pointer) {
	for name, value := range jsonvalue.EachMember(v) {
		inside := at.AppendToken(string(name))
		switch {
		case value.Kind() == '{':
			found = append(found, c.arrays(inside, value)...)
		case value.Kind() == '[' && !c.Envelope.Ignores(inside, value):
			found = append(found, inside)
		}
	}

	return found
}

// counts are the folded names of members that count all records of a list.
const counts = "total count totalcount totalelements numberofelements totalitems totalresults totalrecords odatacount itemcount"

// nexts are words in the folded names of members that lead to a next page.
const nexts = "next cursor after continuation"

func (l Leaf) isNamed(names string) bool { return isWord(l.At.LastToken(), names) }

// isLike reports whether the name of the leaf has one of these words in it.
func (l Leaf) isLike(words string) bool {
	name := jsonvalue.Fold(l.At.LastToken())
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool { return strings.Contains(name, word) })
}

// beside returns the leaves beside the list of an answer that may say that it is not whole.
func (c ListCall) beside(v jsontext.Value, at jsontext.Pointer, length int) (beside []Leaf) {
	for _, leaf := range c.Envelope.Beside(v, at) {
		isTold := leaf.At == c.Next || leaf.At == c.Total
		isCount := leaf.isNamed(counts) && string(leaf.Value) == strconv.Itoa(length)
		if !isTold && !isCount && !isNull(leaf.Value) {
			beside = append(beside, leaf)
		}
	}
	return beside
}

// besideList returns the Error of a list beside which leaves stand, with the settings for them: a
// count is the total, what leads to a page is the next one, and anything else can be ignored. None is
// named beside a word that may refuse the request.
func besideList(beside []Leaf) *Error {
	var at []jsontext.Pointer
	var settings []string
	isRefused := false // perhaps
	ignored := map[jsontext.Pointer]string{}
	for _, leaf := range beside {
		at = append(at, leaf.At)
		switch {
		case !isShown(leaf.At):
		case leaf.isNamed(resultFields) && !isWord(leafText(leaf.Value), successWords):
			isRefused = true
		case leaf.isLike("total count") && leaf.Value.Kind() == '0':
			settings = append(settings, `wire.pending.total = "`+string(leaf.At)+`"`)
		case leaf.isLike(nexts) && jsonvalue.Text(leaf.Value) != "":
			settings = append(settings, `wire.pending.next = "`+string(leaf.At)+`"`)
		default:
			ignored[leaf.At] = expected(leaf)
		}
	}
	if len(ignored) > 0 {
		settings = append(settings, IgnoredLeaves(ignored))
	}
	if len(settings) == 0 || isRefused {
		settings = []string{"wire.ignored"}
	}

	return &Error{
		Why:    "beside its list it has " + shownPlaces(at),
		Advice: "look at it: if it does not say that the answer is incomplete, " + strings.Join(settings, " and ") + " admits it",
	}
}

// expected returns the value of a leaf for wire.ignored: its own if it can say something else with
// another one, or AnyValue.
func expected(leaf Leaf) string {
	isText := leaf.Value.Kind() == '0' || jsonvalue.Text(leaf.Value) != ""
	if isText && !leaf.isNamed(resultFields) {
		return AnyValue
	}
	return leafText(leaf.Value)
}

// shownPlaces returns pointers for a message, with an ellipsis for each that must not be shown.
func shownPlaces(places []jsontext.Pointer) string {
	const limit = 12
	var shown []string
	for _, at := range places[:min(len(places), limit)] {
		if !isShown(at) {
			at = "…"
		}
		shown = append(shown, strconv.Quote(string(at)))
	}
	if len(places) > limit {
		shown = append(shown, "…")
	}

	return strings.Join(shown, ", ")
}

// Sort puts the records in their order.
func (l PendingList) Sort() {
	slices.SortFunc(l.Records, func(a, b PendingRecord) int {
		return cmp.Or(a.CreatedAt.value.Compare(b.CreatedAt.value), cmp.Compare(a.ID.value, b.ID.value), bytes.Compare(a.JSON, b.JSON))
	})
}

// Partial returns the gap of a list that only its user can declare to be whole.
func Partial(why string) string {
	return (&Error{Why: why, Advice: Admits(`wire.pending.use = "partial"`)}).Error()
}

// PersonKeys returns the PersonKey of every text and number in the record, other than words for its
// type and status.
func (r PendingRecord) PersonKeys() []string { return personKeys(nil, r.JSON) }

func personKeys(keys []string, v jsontext.Value) []string {
	if text := scalar(v); text != "" {
		keys = append(keys, PersonKey(text))
	}
	for _, element := range jsonvalue.Elements(v) {
		keys = personKeys(keys, element)
	}
	for _, m := range Open(v).members {
		if !m.isNamed(typeFields + " " + statusFields) {
			keys = personKeys(keys, m.value)
		}
	}

	return keys
}
