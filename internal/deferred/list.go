// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// view is what a listing shows of one person.
type view struct {
	listing

	records []answer.PendingRecord // the person's, the oldest first
	// respelled are the records that name the person in another spelling, and unassigned
	// those that do not name a person, or name the person as a part of a longer text.
	respelled, unassigned []answer.PendingRecord
}

func isOpen(record answer.PendingRecord) bool {
	progress := record.Progress
	return progress == answer.Waiting || progress == answer.Unclear
}

// equalRecords returns the person's open records of the request's type.
func (r Request) equalRecords(v view) []answer.PendingRecord {
	return filter(v.records, func(record answer.PendingRecord) bool { return record.Is(r.Type) && isOpen(record) })
}

// first returns the first record that meets a condition.
func first(records []answer.PendingRecord, meets func(answer.PendingRecord) bool) (answer.PendingRecord, bool) {
	at := slices.IndexFunc(records, meets)
	if at < 0 {
		return answer.PendingRecord{}, false
	}
	return records[at], true
}

// filter returns the records that meet a condition.
func filter(records []answer.PendingRecord, meets func(answer.PendingRecord) bool) []answer.PendingRecord {
	var found []answer.PendingRecord
	for _, record := range records {
		if meets(record) {
			found = append(found, record)
		}
	}
	return found
}

// Why absence from a list proves nothing, and which setting admits the list.
const (
	gapCache     = "it comes from a cache, or is older than the request"
	gapSpelling  = `it holds a record that may name this person in another spelling; wire.pending.use = "partial" takes it for another person`
	gapType      = "it holds a record of this person that does not say in a known way which operation it is"
	gapPerson    = "it holds records that do not say in a known field whom they are about"
	gapStatus    = "it holds a request of the same type for this person with a status that is not known; wire.pending.statuses names the status if it means that the request is over"
	gapIdentity  = "it holds the id of this request in a record about somebody else"
	gapEqual     = "it holds another request of the same type for this person, and nothing shows which of them this one is"
	partialTakes = `wire.pending.use = "partial" takes what is understood for the whole list`
)

// gapIn returns why absence from the list proves nothing for this request, and which
// setting admits it; empty if it does: the list is incomplete, or a record that may be
// relevant is not understood.
func (r Request) gapIn(v view) string {
	if v.gap != "" {
		return v.gap
	}

	if _, found := first(v.respelled, r.mayConcern); found {
		return gapSpelling
	}

	if record, found := first(v.unassigned, r.mayConcern); found {
		if _, named := record.Identity.Get(); named {
			return gapSpelling
		}
		return gapPerson + answer.Members(record.JSON, r.Person.Identity) + "; wire.pending.identity names the field that does, and without one, " + partialTakes
	}

	lacksType := func(record answer.PendingRecord) bool {
		_, known := record.RequestType.Get()
		return !known && isOpen(record)
	}
	if record, found := first(v.records, lacksType); found {
		return gapType + answer.Members(record.JSON, r.Person.Identity) + "; " + partialTakes
	}

	return ""
}

// gapAbout is gapIn for a request that the service has accepted. held reports that the
// list holds a record that may be the request's own: not even its effect shows then that
// the request is over.
func (r Request) gapAbout(s Submission, v view) (gap string, held bool) {
	mayBeOwn := func(record answer.PendingRecord) bool {
		_, typed := record.RequestType.Get()
		return hasID(record, s.ID) && (!typed || record.Is(r.Type))
	}
	if _, found := first(v.all, mayBeOwn); found {
		return gapIdentity, true
	}

	if len(r.equalRecords(v)) > 0 || s.ID != "" && !s.Seen && len(r.newRecords(s, v)) > 0 {
		return gapEqual, true
	}

	gap = r.gapIn(v)

	return gap, gap != "" && gap != v.gap
}

// mayConcern reports whether a record without a person could be equal to the request, or
// conflict with it.
func (r Request) mayConcern(record answer.PendingRecord) bool {
	if !isOpen(record) {
		return false
	}
	_, known := record.RequestType.Get()
	return !known || record.Is(r.Type) || record.Is(r.Against...)
}

// keysOf returns the keys of all records of the request's type.
func (r Request) keysOf(v view) []string {
	var keys []string
	for _, record := range v.records {
		if record.Is(r.Type) {
			keys = append(keys, keysOf(record)...)
		}
	}
	return keys
}

// keysOf returns what distinguishes a record from others: its ID and its time, or else a
// digest of all of it.
func keysOf(record answer.PendingRecord) []string {
	var keys []string
	if id, ok := record.ID.Get(); ok {
		keys = append(keys, keyOfID(id))
	}
	if at, ok := record.CreatedAt.Get(); ok {
		keys = append(keys, "at "+client.FormatInstant(at))
	}
	if len(keys) > 0 {
		return keys
	}

	sum := sha256.Sum256(record.JSON)

	return []string{"as " + hex.EncodeToString(sum[:8])}
}

func keyOfID(id string) string { return "id " + id }

// find returns the submission's own record. An ID of a receipt that the list does not show
// once the lag is over is not the ID of the list: the only record that is new since the
// request was sent is its own then, if its time is that of sending it. So is one that
// may be over and was not seen before.
func (r Request) find(s Submission, v view, lag time.Duration) (own answer.PendingRecord, found bool) {
	if s.ID != "" {
		withID := filter(slices.Concat(v.records, v.respelled, v.unassigned), func(record answer.PendingRecord) bool {
			return hasID(record, s.ID) && record.Is(r.Type) && !s.isAnothers(record, lag)
		})
		if len(withID) > 0 {
			return current(withID), true
		}
		if s.Seen || !v.isAfter(s.Sent, s.EndDate, lag) {
			return answer.PendingRecord{}, false
		}
	}

	added := filter(r.newRecords(s, v), s.mayBe)
	if len(added) == 0 || s.ID != "" && len(added) > 1 {
		return answer.PendingRecord{}, false
	}

	return current(added), true
}

// mayBe reports whether a record that is new since the submission was sent may be its own: one
// that is pending and not older by the service's clock, or that says it is from the time when the
// submission was sent.
func (s Submission) mayBe(record answer.PendingRecord) bool {
	at, given := record.CreatedAt.Get()
	isOlder := given && at.Before(s.SentDate)
	isPending := s.ID == "" && record.Progress == answer.Waiting
	wasSent := given && !at.Before(s.Begun.Truncate(time.Second)) && !at.After(s.Sent)

	return s.Seen || isPending && !isOlder || wasSent
}

// isAnothers reports whether a record with the ID of the submission is of another time, so that
// the ID is a position or is reused: another than the list gave it before, or, by the service's
// clock, one before sending it or after the list has had time to show it.
func (s Submission) isAnothers(record answer.PendingRecord, lag time.Duration) bool {
	at, given := record.CreatedAt.Get()
	switch {
	case !given:
		return false
	case s.Seen:
		return !s.ListedAt.IsZero() && !at.Equal(s.ListedAt)
	case s.SentDate.IsZero():
		return false
	}

	return at.Before(s.SentDate) || at.After(s.EndDate.Add(lag))
}

// current returns the newest open record, or else the newest: one that is older and was
// not listed when the request was sent may be another's.
func current(records []answer.PendingRecord) answer.PendingRecord {
	newestFirst := slices.Clone(records)
	slices.Reverse(newestFirst)
	if open, found := first(newestFirst, isOpen); found {
		return open
	}
	return newestFirst[0]
}

// newRecords returns the person's records of the request's type that were not there before
// the request was sent. An ID or a time that was there is one of another request, except
// that of two requests without an ID at the same time, one may be new.
func (r Request) newRecords(s Submission, v view) []answer.PendingRecord {
	before := slices.Clone(s.Before)

	return filter(v.records, func(record answer.PendingRecord) bool {
		if !record.Is(r.Type) {
			return false
		}

		known := false
		for _, key := range keysOf(record) {
			if at := slices.Index(before, key); at >= 0 {
				before, known = slices.Delete(before, at, at+1), true
			}
		}

		return !known
	})
}

func hasID(record answer.PendingRecord, want string) bool {
	id, given := record.ID.Get()
	return given && id == want
}

// others returns all records but one.
func others(records []answer.PendingRecord, own answer.PendingRecord) []answer.PendingRecord {
	at := slices.IndexFunc(records, func(record answer.PendingRecord) bool { return slices.Equal(keysOf(record), keysOf(own)) })
	if at < 0 {
		return records
	}
	return slices.Delete(slices.Clone(records), at, at+1)
}
