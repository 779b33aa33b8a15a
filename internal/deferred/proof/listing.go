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

	records []answer.PendingRecord // about any person, the oldest first
	// index has the records by KeyOfID, by answer.PersonKey of every text of a record, and those that name
	// nobody.
	index map[string][]int
}

// Prefixes of the keys of an index other than KeyOfID.
const (
	aboutPerson = "person "
	aboutNobody = "nobody"
)

// NewListing returns the listing of an answer that was read in that time.
func NewListing(began, ended time.Time, list answer.PendingList) Listing {
	l := Listing{Began: began, Ended: ended, Date: list.Date, Gap: list.Gap, Cached: list.Cached, records: list.Records, index: map[string][]int{}}
	for i, record := range list.Records {
		var keys []string
		if record.Identity == "" {
			keys = append(keys, aboutNobody)
		}
		if record.ID != "" {
			keys = append(keys, KeyOfID(record.ID))
		}
		for _, key := range record.PersonKeys() {
			keys = append(keys, aboutPerson+key)
		}
		for _, key := range keys {
			l.index[key] = append(l.index[key], i)
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

// WithID returns the records that have an identifier, whatever person they name.
func (l Listing) WithID(id string) []answer.PendingRecord {
	var found []answer.PendingRecord
	for _, i := range l.index[KeyOfID(id)] {
		found = append(found, l.records[i])
	}
	return found
}

// Snapshot is what a listing shows of one person.
type Snapshot struct {
	Listing

	Person string
	// Named are the records that name the person exactly, the oldest first.
	Named []answer.PendingRecord
	// Uncertain are the records that may be about the person: they name the person in another
	// spelling or in another place, or they name nobody.
	Uncertain []answer.PendingRecord
}

// About returns what the listing shows of a person.
func (l Listing) About(identity string) Snapshot {
	seen := Snapshot{Listing: l, Person: identity}
	positions := slices.Concat(l.index[aboutNobody], l.index[aboutPerson+answer.PersonKey(identity)])
	slices.Sort(positions)
	for _, i := range slices.Compact(positions) {
		record := l.records[i]
		if record.Identity == identity {
			seen.Named = append(seen.Named, record)
		} else {
			seen.Uncertain = append(seen.Uncertain, record)
		}
	}

	return seen
}

// OfType returns the records of a type that name the person exactly.
func (seen Snapshot) OfType(requestType string) []answer.PendingRecord {
	return pick(seen.Named, func(record answer.PendingRecord) bool { return record.RequestType == requestType })
}

// IsOpen reports whether the service may still work on the request of a record.
func IsOpen(record answer.PendingRecord) bool {
	return record.Progress == answer.Waiting || record.Progress == answer.Unclear
}

// mayBe reports whether a record is of a type, or does not say of which.
func mayBe(record answer.PendingRecord, requestTypes ...string) bool {
	return record.RequestType == "" || slices.Contains(requestTypes, record.RequestType)
}

// pick returns the records that meet a condition.
func pick(records []answer.PendingRecord, meets func(answer.PendingRecord) bool) []answer.PendingRecord {
	return slices.DeleteFunc(slices.Clone(records), func(record answer.PendingRecord) bool { return !meets(record) })
}

// Why a listing proves less than it could, and which setting admits it. None holds a value of a
// record.
const (
	gapStale     = "it comes from a cache, or is older than the request"
	gapPerson    = "it holds a record that may be about this person and does not name the person exactly where the person is expected"
	gapType      = "it holds a record of this person that does not say in a known way which operation it is"
	gapStatus    = "it holds a request of the same type for this person with a status that is not known"
	gapIdentity  = "it holds the id of this request in a record about somebody else"
	gapEqual     = "it holds another request of the same type for this person, and nothing shows which of them this one is"
	gapDisagree  = "it holds requests of the same type for this person that may be this one, and they do not agree"
	gapReused    = "it holds this request as failed, with another time than before, so that it may be another request with the same id"
	gapUnknown   = "it holds this request with a status that is not known; wire.pending.statuses says what a status means"
	gapContrary  = "it holds a record of this request in which status, error, flags or the time of an end contradict each other"
	partialTakes = `wire.pending.use = "partial" takes what is understood for the whole list`
)

// gapAbout returns why a listing may hide an open request of one of the types about the person;
// empty if it does not.
func (seen Snapshot) gapAbout(requestTypes ...string) string {
	for _, record := range seen.Uncertain {
		if IsOpen(record) && mayBe(record, requestTypes...) {
			return gapPerson + answer.Members(record.JSON, seen.Person) + "; wire.pending.identity says where it is, and if there is no such place, " + partialTakes
		}
	}

	for _, record := range seen.Named {
		if record.RequestType == "" && IsOpen(record) {
			return gapType + answer.Members(record.JSON, seen.Person) + "; wire.pending.types says what a word means, and " + partialTakes
		}
	}

	return ""
}
