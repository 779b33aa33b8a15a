// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"slices"
	"sync"
	"time"
)

// Survey finds out how a service keeps records, from records that were written and what it shows
// of them. The zero Survey is ready for use, and Add is safe for concurrent use.
type Survey struct {
	mu      sync.Mutex
	count   int      // of records with the clauses that were written
	altered []string // fields that one of them shows with another value, but for the time
	apart   int64    // the largest difference between two times, in milliseconds
}

// Add adds a record that was sent, as the service shows it. One with other clauses does not count.
func (s *Survey) Add(sent, shown Print) {
	if shown.Clauses != sent.Clauses {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	s.count++
	for _, name := range (Keeping{}).Differences(sent, shown) {
		if name == "agreement_time" {
			s.apart = max(s.apart, sent.Time-shown.Time, shown.Time-sent.Time)
		} else if !slices.Contains(s.altered, name) {
			s.altered = append(s.altered, name)
		}
	}
}

// Proposal returns the Keeping that alters least and by which all records are as they were sent,
// at least so many. It returns false if that is the one of a service without settings.
func (s *Survey) Proposal(atLeast int) (k Keeping, ok bool) {
	k = Keeping{Altered: s.altered, SetsTime: s.apart > 0}
	for _, unit := range []time.Duration{24 * time.Hour, time.Minute, time.Second} {
		if 0 < s.apart && s.apart < unit.Milliseconds() {
			k.Precision, k.SetsTime = unit, false
		}
	}

	return k, s.count >= max(1, atLeast) && len(s.altered)+int(s.apart) > 0
}
