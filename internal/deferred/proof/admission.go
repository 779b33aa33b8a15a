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

// Admission is what a listing means for a request that is about to be sent. The first of Adopt, Conflict and
// Gap that is set decides; if none is, the request may be sent.
type Admission struct {
	Adopt    []*answer.PendingRecord // stand for the request, the oldest first
	Conflict *answer.PendingRecord   // must end before
	Gap      string                  // why another request of the person cannot be excluded

	Before    []string // the keys of records of the type, which are not the request
	Explained bool     // one of them may cause the effect
}

// Admit decides whether a request of a type may be sent beside what a listing shows of the person. earlier is
// the ID of the request that the object stands for; empty if it stands for none. While the list shows it for
// somebody else, nothing is sent beside it.
func Admit(requestType, earlier string, seen Snapshot, r Rules) (a Admission) {
	if seen.Cached {
		return Admission{Gap: gapStale}
	}

	kind := Kinds[requestType]
	for _, record := range seen.Named {
		a.add(record, requestType, kind)
	}
	if r.Partial {
		a.Gap = ""
	}
	a.Gap = cmp.Or(a.Gap, seen.gap(r, append(kind.Against, requestType)...))
	for _, record := range seen.ByID[earlier] {
		if record.Identity != seen.Person && record.RequestType == requestType && IsOpen(record) {
			a.Gap = gapIdentity
		}
	}

	return a
}

// add adds what a record of the person means.
func (a *Admission) add(record *answer.PendingRecord, requestType string, kind Kind) {
	if record.RequestType == requestType {
		a.addEqual(record, kind)
		return
	}
	if a.Conflict == nil && IsOpen(record) && slices.Contains(kind.Against, record.RequestType) {
		a.Conflict = record
	}
}

// addEqual adds what a record of the same type means.
func (a *Admission) addEqual(record *answer.PendingRecord, kind Kind) {
	a.Before = append(a.Before, KeysOf(record)...)
	if !IsOpen(record) {
		return
	}
	a.Explained = true
	if !kind.Adopts {
		return
	}
	if record.Progress == answer.Waiting {
		a.Adopt = append(a.Adopt, record)
	} else {
		a.Gap = gapStatus
	}
}

// Adopted returns the submission of a request of a type for which the oldest record to adopt stands.
func (a Admission) Adopted(requestType string, seen Snapshot) Submission {
	own := a.Adopt[0]
	s := Submission{State: Listed, Type: requestType, Adopted: true, Explained: true, Frozen: true, Begun: seen.Ended, Sent: seen.Ended}
	s.At = cmp.Or(own.CreatedAt, seen.Ended)
	if own.ID != "" {
		s.ID, s.IsListed, s.ListedAt = own.ID, true, own.CreatedAt
		return s
	}
	s.Candidates = KeysOf(own)[:1]
	s.Before = Without(a.Before, s.Candidates[0])

	return s
}
