package deferred

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// view is the part of a listing that concerns one person.
type view struct {
	began   time.Time              // when reading the list began
	records []client.PendingRecord // the person's, the oldest first
	// unassigned are the records that do not name a person, or may name the person in
	// another spelling.
	unassigned []client.PendingRecord
	// all are the records of the list. A request that is known by its identifier is among
	// them whoever they name.
	all []client.PendingRecord
	// gap says why the list cannot be read completely; empty if it can.
	gap string
}

func isOpen(record client.PendingRecord) bool {
	progress := record.Progress()
	return progress == client.Waiting || progress == client.Unclear
}

// equalRecords returns the person's open records of the request's type.
func (r Request) equalRecords(v view) []client.PendingRecord {
	var found []client.PendingRecord
	for _, record := range v.records {
		if record.Is(r.Type) && isOpen(record) {
			found = append(found, record)
		}
	}
	return found
}

// conflicting returns an open record of the person that the request must not be sent
// beside.
func (r Request) conflicting(v view) (client.PendingRecord, bool) {
	return first(v.records, func(record client.PendingRecord) bool {
		return record.Is(r.Against...) && isOpen(record)
	})
}

// first returns the first record that meets a condition.
func first(records []client.PendingRecord, meets func(client.PendingRecord) bool) (client.PendingRecord, bool) {
	at := slices.IndexFunc(records, meets)
	if at < 0 {
		return client.PendingRecord{}, false
	}
	return records[at], true
}

// gapIn returns why absence from the list proves nothing for this request, and which
// setting admits it; empty if it does: the list is incomplete, a record that may be relevant
// does not name a person, or one of the person does not name its type.
func (r Request) gapIn(v view) string {
	if v.gap != "" {
		return v.gap
	}

	if record, found := first(v.unassigned, r.mayConcern); found {
		if _, named := record.Identity.Get(); named {
			return `it holds a record that may name this person in another spelling; wire.pending_list = "partial" takes it for another person`
		}

		return "it holds records that do not say in a known field whom they are about" + answer.Members(record.JSON) +
			`; wire.pending_identity_field names the field that does, and without one, wire.pending_list = "partial" takes what is understood for the whole list`
	}

	if record, found := first(v.records, r.lacksType); found {
		return "it holds a record of this person that does not say in a known way which operation it is" + answer.Members(record.JSON) +
			`; wire.pending_list = "partial" takes what is understood for the whole list`
	}

	return ""
}

// mayConcern reports whether a record without a person could be equal to the request, or
// conflict with it.
func (r Request) mayConcern(record client.PendingRecord) bool {
	if !isOpen(record) {
		return false
	}
	_, known := record.RequestType.Get()
	return !known || record.Is(r.Type) || record.Is(r.Against...)
}

// lacksType reports whether a record is open and does not name its type.
func (r Request) lacksType(record client.PendingRecord) bool {
	_, known := record.RequestType.Get()
	return !known && isOpen(record)
}

// keysOf returns the keys of all records of the request's type.
func (r Request) keysOf(v view) []string {
	var keys []string
	for _, record := range v.records {
		if record.Is(r.Type) {
			keys = append(keys, keyOf(record))
		}
	}
	return keys
}

// keyOf returns what distinguishes a record from others: its ID, its time, or a digest of
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

// find returns the submission's own record: of its candidates, the oldest open one, or
// else the oldest.
func (r Request) find(s Submission, v view) (own client.PendingRecord, found bool) {
	candidates := r.candidates(s, v)
	if len(candidates) == 0 {
		return client.PendingRecord{}, false
	}

	if own, found = first(candidates, isOpen); found {
		return own, true
	}

	return candidates[0], true
}

// candidates returns the records that may be the submission's own: those with its ID, or,
// if it has none, those of the same type that were not there before the request was
// sent.
func (r Request) candidates(s Submission, v view) []client.PendingRecord {
	if s.ID != "" {
		return withID(slices.Concat(v.records, v.all), s.ID)
	}

	var found []client.PendingRecord
	before := slices.Clone(s.Before)
	for _, record := range v.records {
		if !record.Is(r.Type) {
			continue
		}

		if at := slices.Index(before, keyOf(record)); at >= 0 {
			before = slices.Delete(before, at, at+1)
			continue
		}
		found = append(found, record)
	}

	return found
}

func withID(records []client.PendingRecord, want string) []client.PendingRecord {
	var found []client.PendingRecord
	for _, record := range records {
		if id, _ := record.ID.Get(); id == want {
			found = append(found, record)
		}
	}
	return found
}

// withoutOne returns the keys without the first one that equals key.
func withoutOne(keys []string, key string) []string {
	if at := slices.Index(keys, key); at >= 0 {
		return slices.Delete(keys, at, at+1)
	}
	return keys
}

// others returns the IDs of all records but one.
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
