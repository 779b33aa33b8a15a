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
	mu         sync.Mutex
	count      int       // of records with the clauses that were written
	candidates []Keeping // by which all of them are as they were written; nil before the first one
}

// Add adds a record that was written, as the service shows it. One with other clauses does not count.
func (s *Survey) Add(written Record, held answer.Consent) {
	if !held.HasClauses(written.Clauses) {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if s.count == 0 {
		s.candidates = everyKeeping()
	}
	s.count++
	sent, shown := PrintOf(written.Shown()), PrintOf(held)
	s.candidates = slices.DeleteFunc(s.candidates, func(k Keeping) bool { return len(k.Differences(sent, shown)) > 0 })
}

// Proposal returns the Keeping that alters least and by which all records are as they were written,
// at least so many. It returns false if there is not one, or if it is that of a service without settings.
func (s *Survey) Proposal(atLeast int) (k Keeping, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.count < max(1, atLeast) || len(s.candidates) == 0 {
		return Keeping{}, false
	}
	k = s.candidates[0]

	return k, len(k.Altered) > 0 || k.Precision > 0 || k.SetsTime
}

// everyKeeping returns each Keeping that settings can express, those that alter least first.
func everyKeeping() (all []Keeping) {
	for _, altered := range [][]string{nil, {"user_ipv6"}, {"manual"}, {"user_ipv6", "manual"}} {
		for _, precision := range []time.Duration{0, time.Second, time.Minute, 24 * time.Hour} {
			all = append(all, Keeping{Precision: precision, Altered: altered})
		}
		all = append(all, Keeping{SetsTime: true, Altered: altered})
	}

	return all
}
