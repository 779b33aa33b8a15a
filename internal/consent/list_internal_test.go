// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"strconv"
	"testing"
)

func TestConsentListDay_takesUpToTheLargestNumber(t *testing.T) {
	t.Parallel()
	for n, isCut := range map[int]bool{limitPeople + 1: false, limitPeople + 2: true} { // the first one has two records
		run := listing{known: map[string]bool{}}
		for i := range n {
			run.add(strconv.Itoa(max(1, i)))
		}
		if len(run.people) != limitPeople || run.isCut != isCut {
			t.Errorf("of %d records, %d people are taken, and it is cut: %v", n, len(run.people), run.isCut)
		}
	}
}
