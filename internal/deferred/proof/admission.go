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

// Admission is what a listing means for a request that is about to be sent: at most one of its
// fields is set, and if none is, the request may be sent.
type Admission struct {
	Adopt    []answer.PendingRecord // stand for the request, the oldest first
	Conflict *answer.PendingRecord  // must end before
	Gap      string                 // why another request of the person cannot be excluded
}

// Admit decides whether a request may be sent beside what a listing shows of the person.
func (w Wanted) Admit(seen Snapshot, r Rules) Admission {
	if seen.Cached {
		return Admission{Gap: gapStale}
	}

	kind := Kinds[w.Type]
	equal := pick(seen.OfType(w.Type), IsOpen)
	waiting := pick(equal, func(record answer.PendingRecord) bool { return record.Progress == answer.Waiting })
	if kind.Adopts && len(waiting) > 0 {
		return Admission{Adopt: waiting}
	}
	for _, record := range pick(seen.Named, IsOpen) {
		if slices.Contains(kind.Against, record.RequestType) {
			return Admission{Conflict: &record}
		}
	}

	return Admission{Gap: w.gapIn(seen, r, kind.Adopts && len(equal) > 0)}
}

// gapIn returns why a listing may hide a request that must not be sent beside; empty if it does not.
// hasUnclear reports whether it shows one of the type whose status is not known.
func (w Wanted) gapIn(seen Snapshot, r Rules, hasUnclear bool) string {
	for _, record := range pick(seen.WithID(w.Earlier), IsOpen) {
		if record.Identity != seen.Person && record.RequestType == w.Type {
			return gapIdentity
		}
	}
	if r.Partial {
		return ""
	}

	gap := cmp.Or(seen.Gap, seen.gapAbout(append(slices.Clone(Kinds[w.Type].Against), w.Type)...))
	if gap == "" && hasUnclear {
		gap = gapStatus + "; wire.pending.statuses says what a status means, and " + partialTakes
	}

	return gap
}

// Adopted returns the submission of a request for which the oldest of records of others stands.
func (w Wanted) Adopted(records []answer.PendingRecord, seen Snapshot) Submission {
	own := records[0]
	s := Submission{State: Listed, Type: w.Type, Adopted: true, Explained: true, Frozen: true, Begun: seen.Ended, Sent: seen.Ended, At: seen.Ended}
	if !own.CreatedAt.IsZero() {
		s.At, s.ListedAt = own.CreatedAt, own.CreatedAt
	}

	if own.ID != "" {
		s.ID, s.IsListed = own.ID, true
		return s
	}

	s.Candidates = keysOf(own)[:1]
	s.Before = KeysOf(pick(seen.OfType(w.Type), func(record answer.PendingRecord) bool { return keysOf(record)[0] != s.Candidates[0] }))

	return s
}
