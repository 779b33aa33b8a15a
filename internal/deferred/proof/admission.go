// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Kind is what distinguishes the requests of one type.
type Kind struct {
	Against    []string // types that must not be pending for the person at the same time
	Adopts     []string // types of which a pending request stands for one that is to be sent
	Once       bool     // a request of this process with the same idempotency key stands for it, too, even if it is fulfilled
	Repeatable bool     // the values are absolute: what seems not to have arrived is sent once more
}

// Kinds are the kinds of requests, by type.
var Kinds = map[string]Kind{
	decode.RequestDataDeletion:  {Against: []string{decode.RequestProfileUpdate, decode.RequestDataAccess}, Adopts: []string{decode.RequestDataDeletion}, Once: true},
	decode.RequestDataAccess:    {Against: []string{decode.RequestDataDeletion}, Adopts: []string{decode.RequestDataAccess}},
	decode.RequestProfileUpdate: {Against: []string{decode.RequestDataDeletion}, Repeatable: true},
}

// Admission is what other requests of the person mean for one that is about to be sent. The first of Adopt,
// Conflict and Gap that is set decides; if none is, the request may be sent.
type Admission struct {
	Adopt    *Submission             // stands for the request
	Others   []*decode.PendingRecord // could stand for it as well
	Conflict *decode.PendingRecord   // must end before
	Gap      string                  // why another request of the person cannot be excluded
}

// Admit decides whether a request may be sent beside what a listing shows of the person, and beside others that
// this process has sent. It notes which records are not the request. earlier is the request that the object stood for
// until now; nil if there is none. Admit enters that it has failed, or may have, if the listing shows that.
func (s *Submission) Admit(seen Snapshot, others []Submission, earlier *Submission, r Rules) Admission {
	a := Admission{Gap: seen.Gap}
	switch {
	case seen.Cached:
		a.Gap = gapStale
	case len(seen.Named)+len(seen.Uncertain)+len(others) > 0:
		a = s.admitAmong(seen, others, r)
	}
	if earlier == nil || !earlier.IsOpen() {
		return a
	}

	shows, gap := earlier.Evaluate(seen, r)
	if shows == SaysFailed || shows == Unclear { // the list may not show it later
		earlier.Conclude(shows, NoEffect, seen.Ended)
	}
	if gap == gapIdentity { // its ID is listed for somebody else
		a.Gap = cmp.Or(a.Gap, gap)
	}

	return a
}

// admitAmong is Admit beside records that are about the person, or may be, and beside others of this process.
func (s *Submission) admitAmong(seen Snapshot, others []Submission, r Rules) Admission {
	kind, equal := Kinds[s.Type], pick(seen.Named, []string{s.Type})
	s.Before, s.Explained = keysOf(equal...), len(pick(equal, []string{s.Type}, stillOpen...)) > 0
	unlisted := s.admitUnlisted(others, seen, r)

	waiting, against := pick(equal, kind.Adopts, decode.Waiting), pick(seen.Named, kind.Against, stillOpen...)
	unclear := pick(seen.Named, kind.Adopts, stillOpen...)
	switch {
	case len(waiting) > 0:
		return Admission{Adopt: s.adopted(waiting[0], seen), Others: waiting[1:]}
	case len(against) > 0:
		return Admission{Conflict: against[0]}
	case unlisted.Adopt != nil, unlisted.Conflict != nil:
		return unlisted
	case len(unclear) > 0 && !r.Partial:
		return Admission{Gap: gapStatus}
	}

	return Admission{Gap: seen.gap(r, append(kind.Against, s.Type)...)}
}

// adopted returns the submission of a request for which a record stands.
func (s *Submission) adopted(own *decode.PendingRecord, seen Snapshot) *Submission {
	a := &Submission{
		State: Listed, Type: s.Type, IdempotencyKey: s.IdempotencyKey, Adopted: true, Explained: true,
		ID: own.ID, Candidates: keysOf(own)[:1], Frozen: true, Before: s.Before,
		Begun: seen.Ended, Sent: seen.Ended, At: cmp.Or(own.CreatedAt, seen.Ended),
	}
	removeAny(&a.Before, a.Candidates)

	return a
}

// admitUnlisted is Admit for others of this process. The listing may not show them yet, and their IDs may be given
// again.
func (s *Submission) admitUnlisted(others []Submission, seen Snapshot, r Rules) Admission {
	kind := Kinds[s.Type]
	for _, other := range others {
		if key := keyOfID + other.ID; other.Type == s.Type {
			removeAny(&s.Before, []string{key}) // which the listing shows, too
			s.Explained, s.Before = s.Explained || other.IsOpen(), append(s.Before, key)
		}

		switch sent := (Mark{other.Sent, other.EndDate}); {
		case !other.IsOpen(), other.Sent.IsZero(), sent.isConfirmed(seen.Listing, r.Lag): // it would show it
		case slices.Contains(kind.Adopts, other.Type):
			other.IdempotencyKey = s.IdempotencyKey
			return Admission{Adopt: &other}
		case slices.Contains(kind.Against, other.Type):
			return Admission{Conflict: &decode.PendingRecord{ID: other.ID, RequestType: other.Type}}
		}
	}

	return Admission{}
}
