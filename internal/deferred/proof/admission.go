// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Wanted is a request that is about to be sent.
type Wanted struct {
	Type string
	// Against are request types that must not be pending for the person at the same time.
	Against []string
	// Adopts lets a pending request of the same type stand for this one.
	Adopts bool
	// Earlier is the ID of an earlier request of the same object; empty if there is none.
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
func (w Wanted) Admit(v View, r Rules) Admission {
	if v.Cached {
		return Admission{Gap: gapStale}
	}

	equal := pick(v.Named, func(record answer.PendingRecord) bool { return record.Is(w.Type) && IsOpen(record) })
	adoptable := pick(equal, func(record answer.PendingRecord) bool { return record.Progress == answer.Waiting })
	if w.Adopts && len(adoptable) > 0 {
		return Admission{Adopt: adoptable}
	}
	for _, record := range v.Named {
		if record.Is(w.Against...) && IsOpen(record) {
			return Admission{Conflict: &record}
		}
	}

	return Admission{Gap: w.gapIn(v, r, w.Adopts && len(equal) > 0)}
}

// gapIn returns why a listing may hide a request that must not be sent beside; empty if it does not.
// hasUnclear reports whether it shows one of the type whose status is not known.
func (w Wanted) gapIn(v View, r Rules, hasUnclear bool) string {
	for _, record := range v.WithID(w.Earlier) {
		named, _ := record.Identity.Get()
		if named != v.Person && record.Is(w.Type) && IsOpen(record) {
			return gapIdentity
		}
	}
	if r.Partial {
		return ""
	}

	gap := cmp.Or(v.Gap, gapAbout(v, append(slices.Clone(w.Against), w.Type)...))
	if gap == "" && hasUnclear {
		gap = gapStatus + "; wire.pending.statuses says what a status means, and " + partialTakes
	}

	return gap
}

// Adopted returns the submission of a request for which the oldest of others' stands.
func (w Wanted) Adopted(records []answer.PendingRecord, v View) Submission {
	own := records[0]
	s := Submission{State: Listed, Type: w.Type, Adopted: true, Explained: true, Frozen: true}
	s.At, _ = own.CreatedAt.Get()
	s.ListedAt = s.At

	id, given := own.ID.Get()
	if given {
		s.ID, s.IsListed = id, true
		return s
	}

	s.Candidates = keysOf(own)[:1]
	rest := pick(v.Named, func(record answer.PendingRecord) bool { return record.Is(w.Type) })
	s.Before = KeysOf(slices.DeleteFunc(rest, func(record answer.PendingRecord) bool { return keysOf(record)[0] == s.Candidates[0] }))

	return s
}
