// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Listing is the pending list as it was read once.
type Listing struct {
	Began, Ended time.Time // when reading it did
	Date         time.Time // when the service made it, by its clock; zero if it does not say so
	Gap          string    // why it is not whole; empty if it is
	Cached       bool      // a cache has kept it

	records  []answer.PendingRecord // about any person, the oldest first
	byPerson map[string][]int       // by answer.PersonKey, of every text of a record
	byID     map[string][]int
	nameless []int // records that name nobody
}

// NewListing returns the listing of an answer that was read in that time.
func NewListing(began, ended time.Time, list answer.PendingList) Listing {
	l := Listing{
		Began: began, Ended: ended, Date: list.Date, Gap: list.Gap, Cached: list.Cached,
		records: list.Records, byPerson: map[string][]int{}, byID: map[string][]int{},
	}

	for i, record := range list.Records {
		if _, named := record.Identity.Get(); !named {
			l.nameless = append(l.nameless, i)
		}
		if id, given := record.ID.Get(); given {
			l.byID[id] = append(l.byID[id], i)
		}
		for _, key := range record.PersonKeys() {
			l.byPerson[key] = append(l.byPerson[key], i)
		}
	}

	return l
}

// IsAfter reports whether reading the listing began at least a lag after a time. date is that time
// by the service's clock; zero if that is not known. The time may be that of another machine, so
// where the dates are known they have to agree. They are to the second.
func (l Listing) IsAfter(at, date time.Time, lag time.Duration) bool {
	if l.Began.Sub(at) < lag {
		return false
	}
	if date.IsZero() || l.Date.IsZero() {
		return true
	}
	return l.Date.Add(2*time.Second).Sub(date) >= lag
}

// isStale reports whether the listing was made before a date of the service, or kept by a cache.
func (l Listing) isStale(date time.Time) bool {
	isOld := !l.Date.IsZero() && l.Date.Before(date)
	return l.Cached || isOld
}

// View is what a listing shows of one person.
type View struct {
	Listing

	Person string
	// Named are the records that name the person exactly, the oldest first.
	Named []answer.PendingRecord
	// Uncertain are the records that may be about the person: they name the person in another
	// spelling or in another place, or they name nobody.
	Uncertain []answer.PendingRecord
}

// About returns what the listing shows of a person.
func (l Listing) About(identity string) View {
	v := View{Listing: l, Person: identity}
	found := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(l.nameless), l.byPerson[answer.PersonKey(identity)]...))))
	for _, i := range found {
		record := l.records[i]
		if named, _ := record.Identity.Get(); named == identity {
			v.Named = append(v.Named, record)
		} else {
			v.Uncertain = append(v.Uncertain, record)
		}
	}

	return v
}

// IsOpen reports whether the service may still work on the request of a record.
func IsOpen(record answer.PendingRecord) bool {
	progress := record.Progress
	return progress == answer.Waiting || progress == answer.Unclear
}

// WithID returns the records that have an identifier, about whomever they are.
func (l Listing) WithID(id string) []answer.PendingRecord {
	var found []answer.PendingRecord
	for _, i := range l.byID[id] {
		found = append(found, l.records[i])
	}
	return found
}

// hasID reports whether a record has an identifier.
func hasID(record answer.PendingRecord, want string) bool {
	id, given := record.ID.Get()
	return given && id == want
}

// mayBe reports whether a record is of a type, or does not say of which.
func mayBe(record answer.PendingRecord, requestTypes ...string) bool {
	_, typed := record.RequestType.Get()
	return !typed || record.Is(requestTypes...)
}

// pick returns the records that meet a condition.
func pick(records []answer.PendingRecord, meets func(answer.PendingRecord) bool) []answer.PendingRecord {
	var found []answer.PendingRecord
	for _, record := range records {
		if meets(record) {
			found = append(found, record)
		}
	}
	return found
}
