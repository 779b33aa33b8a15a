// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Listing is the pending list as it was read once.
type Listing struct {
	decode.PendingList
	Began, Ended time.Time // when reading it did

	// ByID are the records with an ID, of all people. byPerson are those that name somebody and have a text of an
	// decode.PersonKey, and nameless those that name nobody. The oldest is the first.
	ByID     map[string][]*decode.PendingRecord
	byPerson map[string][]*decode.PendingRecord
	nameless []*decode.PendingRecord
}

// NewListing returns the listing of an answer that was read in that time.
func NewListing(began, ended time.Time, list decode.PendingList) Listing {
	l := Listing{PendingList: list, Began: began, Ended: ended, ByID: map[string][]*decode.PendingRecord{}, byPerson: map[string][]*decode.PendingRecord{}}
	for i := range list.Records {
		record := &list.Records[i]
		if record.ID != "" {
			l.ByID[record.ID] = append(l.ByID[record.ID], record)
		}
		if record.Identity == "" {
			l.nameless = append(l.nameless, record)
			continue
		}
		for _, key := range slices.Compact(slices.Sorted(slices.Values(record.PersonKeys()))) {
			l.byPerson[key] = append(l.byPerson[key], record)
		}
	}

	return l
}

// Snapshot is what a listing shows of one person: the records that name the person exactly, and those that may be about
// the person: with another spelling, in another place, or without a name.
type Snapshot struct {
	Listing

	Person           string
	Named, Uncertain []*decode.PendingRecord
}

// About returns what the listing shows of a person.
func (l Listing) About(identity string) Snapshot {
	seen := Snapshot{Listing: l, Person: identity, Uncertain: slices.Clone(l.nameless)}
	for _, record := range l.byPerson[decode.PersonKey(identity)] {
		if record.Identity == identity {
			seen.Named = append(seen.Named, record)
		} else {
			seen.Uncertain = append(seen.Uncertain, record)
		}
	}

	return seen
}

// stillOpen is what the records say of requests on which the service may still work.
var stillOpen = []decode.Progress{decode.Waiting, decode.Unclear}

// pick returns the records of some request types and of some progress, or of any progress if none is given. The
// empty type stands for records whose type is not known.
func pick(records []*decode.PendingRecord, types []string, progress ...decode.Progress) (found []*decode.PendingRecord) {
	for _, record := range records {
		isOfProgress := len(progress) == 0 || slices.Contains(progress, record.Progress)
		if isOfProgress && slices.Contains(types, record.RequestType) {
			found = append(found, record)
		}
	}

	return found
}

// Why a listing proves less than it could, and which setting admits it, without a value of a record.
const (
	gapStale     = "it comes from a cache, or is older than the request"
	gapPerson    = "a record may name this person elsewhere"
	gapType      = "a record of this person names no operation that is known"
	gapStatus    = "it holds a request of the same type for this person with a status that is not known; wire.pending.statuses says what a status means, or " + partialTakes
	gapIdentity  = "it holds the id of this request in a record about somebody else"
	gapEqual     = "it holds another request of the same type for this person, and nothing shows which of them this one is"
	gapUnclear   = "its statuses, errors, flags or times are not known, or contradict each other; wire.pending.statuses says what a status means"
	partialTakes = `wire.pending.use = "partial" leaves it out`
)

// gap returns why the listing may not be whole, or hide an open request of one of the types about the
// person; empty if it does not, or if what is understood of it is taken for the whole.
func (seen Snapshot) gap(r Rules, types ...string) string {
	if r.Partial {
		return ""
	}

	types = append(types, "") // of none that is known
	if found := pick(seen.Uncertain, types, stillOpen...); len(found) > 0 {
		return gapPerson + decode.Members(found[0].JSON, seen.Person) + "; " + cmp.Or(seen.Hint, "wire.pending.identity says where, or "+partialTakes)
	}
	if found := pick(seen.Named, []string{""}, stillOpen...); len(found) > 0 {
		return gapType + decode.Members(found[0].JSON, seen.Person) + "; " + cmp.Or(seen.Hint, "wire.pending.types has its word, or "+partialTakes)
	}

	return seen.Gap
}
