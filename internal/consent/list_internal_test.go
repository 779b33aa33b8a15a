// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

func TestConsentListDay_takesUpToTheLargestNumber(t *testing.T) {
	t.Parallel()
	for n, isCut := range map[int]bool{limitDayPeople + 1: false, limitDayPeople + 2: true} { // the first one has two records
		var run listing
		run.takeDay(func(yield func(records.Kind, jsontext.Value) bool) {
			for i := range n {
				if !yield(records.Person, jsontext.Value(fmt.Sprintf(`{"identityId":%d}`, max(1, i)))) {
					t.Fatalf("the reading stops after %d records, which Export takes for an error", i)
				}
			}
		}, []string{"identityId"})
		if len(run.people) != limitDayPeople || run.isCut != isCut {
			t.Errorf("of %d records, %d people are taken, and it is cut: %v", n, len(run.people), run.isCut)
		}
	}
}
