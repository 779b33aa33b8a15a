package client

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// PendingList is the pending list as far as it was recognised.
type PendingList struct {
	// Records are in the order of their time, then id, then text, whatever the order of
	// the service.
	Records []PendingRecord
	// Gap says why the list is not complete; empty where it is. It never holds a value of
	// the list.
	Gap string
}

// pendingList returns the list in the answer. identityField is as for readRecord.
func (a answer) pendingList(identityField string) (PendingList, error) {
	found, ok := findList(a.json)
	if !ok {
		if err := a.complaint(); err != nil {
			return PendingList{}, err
		}
		return PendingList{}, a.unexpected("no list of pending requests was recognised in the answer")
	}

	elements := jsonvalue.Elements(found)
	list := PendingList{Gap: a.gap(len(elements))}
	for _, element := range elements {
		if element.Kind() != '{' {
			list.Gap = "it holds an entry that is no object"
			continue
		}
		list.Records = append(list.Records, readRecord(element, identityField))
	}

	slices.SortFunc(list.Records, compareRecords)

	return list, nil
}

// gap returns why a list of so many entries is not complete; empty where the answer does
// not say that there is more. The interface names no pages (section 8), so that there is no
// way to ask for them.
func (a answer) gap(entries int) string {
	if a.continued {
		return "a Link header names a further page"
	}
	if member := pagingMember(a.json); member != "" {
		return "its member " + strconv.Quote(member) + " says that it is not all there is"
	}
	if total, stated := jsonvalue.Total(a.json, nil); stated && total > int64(entries) {
		return "it states a larger number of entries than it holds"
	}

	return ""
}

// pagingMember returns the name of the first member that says that a document is not
// complete; empty where there is none.
func pagingMember(v jsontext.Value) string {
	for name, value := range jsonvalue.EachMember(v) {
		found := jsonvalue.SignOf(name, value, statusNames)
		if found.Sign == jsonvalue.Paged || found.Sign == jsonvalue.Unfinished {
			return found.Member
		}
	}
	return ""
}

var listWrappers = []string{"pending_requests", "pending", "requests", "actions", "data", "items", "results", "records", "list"}

// findList returns the array of an answer: the answer itself, or one below one or two
// wrappers. A null is an empty list. It reports false where there is none.
func findList(v jsontext.Value) (jsontext.Value, bool) {
	for range 3 {
		if v.Kind() == '[' || v.Kind() == 'n' {
			return v, true
		}

		inner, ok := listInside(v)
		if !ok {
			return nil, false
		}
		v = inner
	}

	return nil, false
}

// listInside returns the first of the wrappers in the object v that is an array, an object,
// or null and the only member.
func listInside(v jsontext.Value) (jsontext.Value, bool) {
	m := foldedMembers(v)
	for _, name := range listWrappers {
		inner := m[lettersOf(name)]
		if isComposite(inner) || inner.Kind() == 'n' && len(m) == 1 {
			return inner, true
		}
	}
	return nil, false
}

func compareRecords(a, b PendingRecord) int {
	at, _ := a.CreatedAt.Get()
	bt, _ := b.CreatedAt.Get()
	aid, _ := a.ID.Get()
	bid, _ := b.ID.Get()
	return cmp.Or(at.Compare(bt), cmp.Compare(aid, bid), cmp.Compare(string(a.JSON), string(b.JSON)))
}
