package client

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// PendingList is the pending list as far as it was understood.
type PendingList struct {
	// Records are in the order of their time, then id, then text, whatever the order of
	// the service.
	Records []PendingRecord
	// Gap says why the list cannot be read as a whole; empty where it can. It never
	// holds a value of the list.
	Gap string
}

// furtherPages returns why a list is not the whole list; empty where nothing says
// that there is more. The interface names no pages (section 8), so there is no way to
// ask for them.
func (a answer) furtherPages(list jsontext.Value) string {
	if a.continued {
		return "a Link header names a further page"
	}

	for name, value := range jsonvalue.EachMember(a.json) {
		found := jsonvalue.SignOf(name, value, statusNames)
		if found.Sign == jsonvalue.Paged || found.Sign == jsonvalue.Unfinished {
			return "its member " + strconv.Quote(found.Member) + " says that it is not all there is"
		}
	}
	if total, stated := jsonvalue.Total(a.json, nil); stated && total > int64(len(jsonvalue.Elements(list))) {
		return "it states a larger number of entries than it holds"
	}
	return ""
}

// findList finds the array: the answer itself, or below one or two wrappers. A
// null is an empty list.
func findList(v jsontext.Value) (jsontext.Value, bool) {
	for range 3 {
		switch v.Kind() {
		case '[', 'n':
			return v, true
		case '{':
			inner, ok := foldedMembers(v)[firstWrapper(v)]
			if !ok {
				return nil, false
			}
			v = inner
		default:
			return nil, false
		}
	}
	return nil, false
}

func firstWrapper(v jsontext.Value) string {
	m := foldedMembers(v)
	for _, name := range listWrappers {
		if kind := m[lettersOf(name)].Kind(); kind == '[' || kind == '{' || kind == 'n' && len(m) == 1 {
			return lettersOf(name)
		}
	}
	return ""
}

func compareRecords(a, b PendingRecord) int {
	at, _ := a.CreatedAt.Get()
	bt, _ := b.CreatedAt.Get()
	aid, _ := a.ID.Get()
	bid, _ := b.ID.Get()
	return cmp.Or(at.Compare(bt), cmp.Compare(aid, bid), cmp.Compare(string(a.JSON), string(b.JSON)))
}
