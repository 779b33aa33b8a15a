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

// TestConsentListDay_takesUpToTheLargestNumber reads a day of more people than one list takes.
func TestConsentListDay_takesUpToTheLargestNumber(t *testing.T) {
	t.Parallel()
	run := &listing{source: source{fields: []string{"identityId"}, known: map[string]bool{}, people: make([]string, limitDayPeople-1)}, service: &tfkit.Service{}}
	for _, tc := range []struct {
		identity string
		want     error
		says     string
	}{{"user-1", nil, "[]"}, {"user-1", nil, "[]"}, {"user-2", errMorePeople, "Too many people for one list"}} {
		if err := run.Record(records.Person, jsontext.Value(fmt.Sprintf(`{"identityId":%q}`, tc.identity))); !errors.Is(err, tc.want) {
			t.Errorf("%d people, %v", len(run.people), err)
		}

		var diags diag.Diagnostics
		run.next = len(run.people)
		run.conclude(t.Context(), &diags)
		if text := fmt.Sprint(diags); !strings.Contains(text, tc.says) {
			t.Errorf("the list says %s", text)
		}
	}
}
