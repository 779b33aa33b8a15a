// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"slices"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Survey finds out how a service keeps records, from records that were written and what it shows
// of them. The zero Survey is ready for use, and safe for concurrent use.
type Survey struct {
	mu    sync.Mutex
	known int       // records that have the clauses that were written
	left  []Keeping // by which all of them are as they were written; nil before the first one
}

// Add adds a record that was written, as the service shows it. One with other clauses tells nothing.
func (s *Survey) Add(written Record, held answer.Consent) {
	if !held.HasClauses(written.Clauses) {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.known == 0 {
		s.left = everyKeeping()
	}
	s.known++
	s.left = slices.DeleteFunc(s.left, func(k Keeping) bool { return len(k.Differences(written, held)) > 0 })
}

// Proposal returns the Keeping that alters least and by which all records are as they were written,
// at least so many. ok is false if there is none, or if nothing needs to be told.
func (s *Survey) Proposal(atLeast int) (k Keeping, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.known < max(1, atLeast) || len(s.left) == 0 {
		return Keeping{}, false
	}
	k = s.left[0]

	return k, len(k.Altered) > 0 || k.Precision > 0 || k.SetsTime
}

// everyKeeping returns each Keeping that settings can tell, those that alter least first.
func everyKeeping() (all []Keeping) {
	for _, altered := range [][]string{nil, {"user_ipv6"}, {"manual"}, {"user_ipv6", "manual"}} {
		for _, precision := range []time.Duration{0, time.Second, time.Minute, 24 * time.Hour} {
			all = append(all, Keeping{Precision: precision, Altered: altered})
		}
		all = append(all, Keeping{SetsTime: true, Altered: altered})
	}

	return all
}
