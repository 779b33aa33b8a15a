// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

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
// its content. In place of an array, null is an empty one, and so is nothing where Total counts none. It
// is whole where nothing stands beside it but nulls, counts that agree with it, and what the settings
// name. The error of an answer without a list is an *Error.
func (c ListCall) Read(v jsontext.Value) (PendingList, error) {
	answer := c.Envelope.decode(v)
	if answer.saysNo(outcomeFields) {
		return PendingList{}, refused()
	}
	found, problem := c.find(answer)
	if problem != nil {
		return PendingList{}, problem
	}

	list := PendingList{}
	elements := jsonvalue.Elements(found.Value)

	beside := c.beside(answer, found, len(elements))
	switch {
	case c.Continued:
		list.Gap = Partial("a Content-Range header says that there is more")
	case len(beside) > 0:
		list.Gap = besideList(beside).Error()
	}

	for _, element := range elements {
		if element.Kind() != '{' {
			list.Gap = Partial("it holds an entry that is not an object")
			continue
		}
		list.Records = append(list.Records, c.RecordMap.record(element))
	}
	list.Sort()

	return list, nil
}

// find returns the list of an answer, or what stands for an empty one.
func (c ListCall) find(answer *node) (*node, *Error) {
	content := answer.find(c.Envelope.At + c.At)
	if content.Kind() == '[' || content.Kind() == 'n' {
		return content, nil
	}

	var lists []*node
	if c.At == "" {
		lists = content.arrays()
	}
	if len(lists) == 1 {
		return lists[0], nil
	}
	if len(lists) > 1 {
		return nil, c.several(lists)
	}

	total := answer.find(c.Total)
	isMissing := content.Value == nil
	if c.At == "" {
		isMissing = len(answer.arrays()) == 0
	}
	if c.Total != "" && string(total.Value) == "0" && isMissing {
		return total, nil
	}
	if c.Empty && answer.isBlank() {
		return answer, nil
	}

	return nil, &Error{
		Why:    "no list of pending requests was recognised in the answer; it is " + Structure(answer.Value),
		Advice: Admits(`wire.pending.use = "ignored"`),
	}
}

// arrays returns the arrays in an object and in the objects in it, other than those that are ignored.
func (n *node) arrays() (found []*node) {
	for _, m := range n.members {
		if m.Kind() == '[' && !m.ignored {
			found = append(found, m)
		}
		found = append(found, m.arrays()...)
	}
	return found
}

// several returns the Error of an answer with more than one array, with that which alone has objects.
func (c ListCall) several(lists []*node) *Error {
	setting := "wire.pending.at"
	isOther := func(n *node) bool {
		elements := jsonvalue.Elements(n.Value)
		return len(elements) == 0 || elements[0].Kind() != '{' || isLinks(n)
	}
	likely := slices.DeleteFunc(slices.Clone(lists), isOther)
	if len(likely) == 1 && isShown(likely[0].at) {
		setting += ` = "` + strings.TrimPrefix(string(likely[0].at), string(c.Envelope.At)) + `"`
	}

	return &Error{
		Why:    "the answer holds more than one array, " + shownPlaces(lists) + ", and which of them is the list of pending requests is not known",
		Advice: Admits(setting),
	}
}

// beside returns the leaves beside the list of an answer that may say that it is not whole.
func (c ListCall) beside(answer, list *node, length int) (beside []*node) {
	for _, leaf := range answer.leaves(list.at) {
		isTold := leaf.at == c.Next || leaf.at == c.Total
		isCount := leaf.isNamed(countFields) && string(leaf.Value) == strconv.Itoa(length)
		if !isTold && !isCount && !leaf.isNull() {
			beside = append(beside, leaf)
		}
	}
	return beside
}

// besideList returns the Error of a list beside which leaves stand, with the settings for them: a
// count is the total, what leads to a page is the next one, and anything else can be ignored. No setting is
// named beside a word that may refuse the request.
func besideList(beside []*node) *Error {
	var settings []string
	ignored := map[jsontext.Pointer]string{}
	isRefused := false // perhaps
	for _, leaf := range beside {
		isText := jsonvalue.Text(leaf.Value) != ""

		isNumber := leaf.Kind() == '0'
		isResult := leaf.isNamed(resultFields)
		switch {
		case !isShown(leaf.at):
		case isResult && !isWord(leaf.text, successWords):
			isRefused = true
		case isNumber && leaf.isLike(countParts):
			settings = append(settings, `wire.pending.total = "`+string(leaf.at)+`"`)
		case isText && leaf.isLike(nextParts):
			settings = append(settings, `wire.pending.next = "`+string(leaf.at)+`"`)
		case isResult || !isText && !isNumber:
			ignored[leaf.at] = leaf.text // with another value it may say something else
		default:
			ignored[leaf.at] = AnyValue
		}
	}
	if len(ignored) > 0 {
		settings = append(settings, ignoredLeaves(ignored))
	}
	if len(settings) == 0 || isRefused {
		settings = []string{"wire.ignored"}
	}

	return &Error{
		Why:    "beside its list it has " + shownPlaces(beside),
		Advice: "look at it: if it does not say that the answer is incomplete, " + strings.Join(settings, " and ") + " admits it",
	}
}

// isLike reports whether the name of a member has one of these words in it.
func (n *node) isLike(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(n.name, word) })
}

// ignoredLeaves returns the setting that ignores leaves, each with the value expected.
func ignoredLeaves(leaves map[jsontext.Pointer]string) string {
	var all []string
	for _, at := range slices.Sorted(maps.Keys(leaves)) {
		all = append(all, strconv.Quote(string(at))+" = "+strconv.Quote(leaves[at]))
	}
	return "wire.ignored = { " + strings.Join(all, ", ") + " }"
}
