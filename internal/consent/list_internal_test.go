// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func TestConsentListDay_takesUpToTheLargestNumber(t *testing.T) {
	t.Parallel()
	run := &listing{Service: &tfkit.Service{}, known: map[string]bool{}}
	run.take(func(yield func(records.Kind, jsontext.Value) bool) {
		for i := range limitDayPeople + 2 { // the first one has two records
			if !yield(records.Person, jsontext.Value(fmt.Sprintf(`{"identityId":%d}`, max(1, i)))) {
				return
			}
		}
	}, []string{"identityId"})
	run.next = len(run.people)

	var diags diag.Diagnostics
	run.conclude(t.Context(), &diags)
	if run.next != limitDayPeople || len(diags) != 1 || !strings.Contains(fmt.Sprint(diags), "The day has more than 100000 people") {
		t.Errorf("of %d people, the list says %v", run.next, diags)
	}
}
