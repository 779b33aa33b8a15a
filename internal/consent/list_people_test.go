// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"errors"
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
	run := &listing{Service: &tfkit.Service{}, source: source{fields: []string{"identityId"}}}
	err := run.source.read(func(yield func(records.Kind, jsontext.Value) bool) {
		for i := range limitDayPeople + 2 { // the first one has two records
			if !yield(records.Person, jsontext.Value(fmt.Sprintf(`{"identityId":%d}`, max(1, i)))) {
				return
			}
		}
	})
	run.next = len(run.source.people)

	var diags diag.Diagnostics
	run.conclude(t.Context(), &diags)
	if !errors.Is(err, errMorePeople) || run.next != limitDayPeople || len(diags) != 1 || !strings.Contains(fmt.Sprint(diags), "The day has more than 100000 people") {
		t.Errorf("of %d people, the list says %v (%v)", run.next, diags, err)
	}
}
