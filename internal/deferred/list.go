package deferred

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// sight is one look at the pending list, as far as it concerns one person.
type sight struct {
	began   time.Time
	records []client.PendingRecord // the person's, the oldest first
	// unassigned are the records that do not say whom they are about.
	unassigned []client.PendingRecord
	// gap says why the list cannot be read as a whole; empty where it can.
	gap string
}

// progressOf returns what a record's status says to this request.
func (r Request) progressOf(record client.PendingRecord) client.Progress {
	status, given := record.Status.Get()
	if given && slices.ContainsFunc(r.EndedStatuses, func(ended string) bool { return client.SameWord(ended, status) }) {
		return client.Done
	}
	return record.Progress()
}

func (r Request) isOpen(record client.PendingRecord) bool {
	progress := r.progressOf(record)
	return progress == client.Waiting || progress == client.Unclear
}

// equals returns the person's open records of the request's operation.
func (r Request) equals(seen sight) []client.PendingRecord {
	var found []client.PendingRecord
	for _, record := range seen.records {
		if record.Is(r.Type) && r.isOpen(record) {
			found = append(found, record)
		}
	}
	return found
}

// contrary returns an open record of the person that stands against the request.
func (r Request) contrary(seen sight) (client.PendingRecord, bool) {
	for _, record := range seen.records {
		if record.Is(r.Against...) && r.isOpen(record) {
			return record, true
		}
	}
	return client.PendingRecord{}, false
}

// gapIn returns why absence from the list proves nothing for this request: the list
// is not complete, a record that may be relevant does not say whom it is about, or
// one of the person does not say what it is.
func (r Request) gapIn(seen sight) string {
	if r.List == ListPartial {
		return ""
	}
	if seen.gap != "" {
		return seen.gap
	}

	for _, record := range seen.unassigned {
		if r.mayConcern(record) {
			return "it holds records that do not say in a known field whom they are about" + client.MemberNames(record.JSON)
		}
	}
	for _, record := range seen.records {
		if _, known := record.RequestType.Get(); !known && r.isOpen(record) {
			return "it holds a record of this person that does not say in a known way which operation it is" + client.MemberNames(record.JSON)
		}
	}
	return ""
}

// mayConcern reports whether a record without a person could be equal or contrary to
// the request.
func (r Request) mayConcern(record client.PendingRecord) bool {
	if !r.isOpen(record) {
		return false
	}
	_, known := record.RequestType.Get()
	return !known || record.Is(r.Type) || record.Is(r.Against...)
}

// keysOf returns the keys of all records of the request's operation.
func (r Request) keysOf(seen sight) []string {
	var keys []string
	for _, record := range seen.records {
		if record.Is(r.Type) {
			keys = append(keys, keyOf(record))
		}
	}
	return keys
}

// keyOf returns what tells a record from others: its id, its time, or a digest of
// all of it.
func keyOf(record client.PendingRecord) string {
	if id, ok := record.ID.Get(); ok {
		return keyOfID(id)
	}
	if at, ok := record.CreatedAt.Get(); ok {
		return "at " + client.FormatInstant(at)
	}
	sum := sha256.Sum256(record.JSON)
	return "as " + hex.EncodeToString(sum[:8])
}

func keyOfID(id string) string { return "id " + id }

// find returns the submission's own record. With an id it is the one with that id.
// Without one it is a record of the same operation that was not there before the
// request was sent: an open one if there is any, else the oldest.
func (r Request) find(s Submission, seen sight) (own client.PendingRecord, found bool) {
	before := slices.Clone(s.Before)

	for _, record := range seen.records {
		id, _ := record.ID.Get()
		if s.ID != "" && id != s.ID {
			continue
		}
		if s.ID == "" {
			if !record.Is(r.Type) {
				continue
			}
			if at := slices.Index(before, keyOf(record)); at >= 0 {
				before = slices.Delete(before, at, at+1)
				continue
			}
		}
		if !found || r.isOpen(record) && !r.isOpen(own) {
			own, found = record, true
		}
	}
	return own, found
}

// withoutOne returns the keys without the first that is equal to key.
func withoutOne(keys []string, key string) []string {
	if at := slices.Index(keys, key); at >= 0 {
		return slices.Delete(keys, at, at+1)
	}
	return keys
}

// others returns the ids of all records but one.
func others(records []client.PendingRecord, own client.PendingRecord) []string {
	var ids []string
	skipped := false
	for _, record := range records {
		if !skipped && keyOf(record) == keyOf(own) {
			skipped = true
			continue
		}
		id, _ := record.ID.Get()
		ids = append(ids, id)
	}
	return ids
}
