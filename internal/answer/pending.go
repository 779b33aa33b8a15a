// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
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
	// Advice says which settings admit an answer that is not a whole list; empty where they are not known.
	Advice string
}

// besideAdvice is the advice for what stands beside a list, if no settings are known that admit it.
const besideAdvice = "look at it: wire.pending.next leads to the next page, wire.pending.total counts all records, " +
	"and wire.ignored leaves out what does not say that the answer is refused or incomplete"

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
	var beside []*node
	for _, leaf := range answer.leaves(found.at) {
		isKnown := leaf.at == c.Next || leaf.at == c.Total
		isCount := leaf.isNamed(countFields) && string(leaf.Value) == strconv.Itoa(len(elements))
		if !isKnown && !isCount && !leaf.isNull() {
			beside = append(beside, leaf)
		}
	}

	switch {
	case c.Continued:
		list.Gap = Partial("a Content-Range header says that there is more")
	case len(beside) > 0:
		list.Gap = (&Error{Why: "beside its list it has " + shownPlaces(beside), Advice: cmp.Or(c.Advice, besideAdvice)}).Error()
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
		return nil, &Error{
			Why:    "the answer holds more than one array, " + shownPlaces(lists) + ", and which of them is the list of pending requests is not known",
			Advice: cmp.Or(c.Advice, Admits("wire.pending.at")),
		}
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
		Advice: cmp.Or(c.Advice, Admits(`wire.pending.use = "ignored"`)),
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
