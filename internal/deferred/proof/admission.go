// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Kind is what distinguishes the requests of one type.
type Kind struct {
	// Against are request types that must not be pending for the person at the same time.
	Against []string
	// Adopts lets a pending request of the type stand for another one, so that nothing is sent.
	Adopts bool
	// Once lets a request that this process has submitted with the same idempotency key stand for
	// another one, even if it is fulfilled.
	Once bool
	// Repeatable: sending twice does no harm, because the values are absolute. A request
	// that seems not to have arrived is sent once more.
	Repeatable bool
}

// Kinds are the kinds of requests, by type.
var Kinds = map[string]Kind{
	answer.RequestDataDeletion:  {Against: []string{answer.RequestProfileUpdate, answer.RequestDataAccess}, Adopts: true, Once: true},
	answer.RequestDataAccess:    {Against: []string{answer.RequestDataDeletion}, Adopts: true},
	answer.RequestProfileUpdate: {Against: []string{answer.RequestDataDeletion}, Repeatable: true},
}

// Wanted is a request that is about to be sent.
type Wanted struct {
	Type string // one of answer.RequestTypes
	// Earlier is the ID of the request that the object stands for; empty if it stands for none. While the
	// list shows it for somebody else, nothing is sent beside it.
	Earlier string
}

// Admission is what a listing means for a request that is about to be sent: the first of its fields that
// is set, and if none is, the request may be sent.
type Admission struct {
	Adopt    []*answer.PendingRecord // stand for the request, the oldest first
	Conflict *answer.PendingRecord   // must end before
	Gap      string                  // why another request of the person cannot be excluded
}

// Admit decides whether a request may be sent beside what a listing shows of the person.
func (w Wanted) Admit(seen Snapshot, r Rules) (a Admission) {
	if seen.Cached {
		return Admission{Gap: gapStale}
	}

	kind := Kinds[w.Type]
	unclear := ""
	for _, record := range seen.Named {
		isEqual := record.RequestType == w.Type && kind.Adopts
		switch {
		case !IsOpen(record):
		case isEqual && record.Progress == answer.Waiting:
			a.Adopt = append(a.Adopt, record)
		case isEqual:
			unclear = gapStatus + "; wire.pending.statuses says what a status means, and " + partialTakes
		case a.Conflict == nil && slices.Contains(kind.Against, record.RequestType):
			a.Conflict = record
		}
	}

	for _, record := range seen.ByID[w.Earlier] {
		if record.Identity != seen.Person && record.RequestType == w.Type && IsOpen(record) {
			a.Gap = gapIdentity
		}
	}
	if a.Gap == "" && !r.Partial {
		a.Gap = cmp.Or(seen.Gap, seen.gapAbout(append(slices.Clone(kind.Against), w.Type)...), unclear)
	}

	return a
}

// Adopted returns the submission of a request for which the oldest of records of others stands.
func (w Wanted) Adopted(records []*answer.PendingRecord, seen Snapshot) Submission {
	own := records[0]
	s := Submission{State: Listed, Type: w.Type, Adopted: true, Explained: true, Frozen: true, Begun: seen.Ended, Sent: seen.Ended}
	s.At = cmp.Or(own.CreatedAt, seen.Ended)
	if own.ID != "" {
		s.ID, s.IsListed, s.ListedAt = own.ID, true, own.CreatedAt
		return s
	}

	s.Candidates = KeysOf(own)[:1]
	for _, record := range seen.Named {
		if record.RequestType == w.Type && KeysOf(record)[0] != s.Candidates[0] {
			s.Before = append(s.Before, KeysOf(record)...)
		}
	}

	return s
}
