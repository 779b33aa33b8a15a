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
	d := &dayReader{source: source{people: make([]candidate, limitDayPeople-1)}, fields: defaultIdentityFields}
	read := func(identity string, wantErr error, says string) {
		t.Helper()
		err := d.Record(records.Person, jsontext.Value(fmt.Sprintf(`{"identityId":%q}`, identity)))
		if !errors.Is(err, wantErr) {
			t.Errorf("%d people, %v", len(d.people), err)
		}

		var diags diag.Diagnostics
		run := &listing{source: d.source, service: &tfkit.Service{}, next: limitDayPeople}
		run.conclude(t.Context(), &diags)
		if text := fmt.Sprint(diags); !strings.Contains(text, says) {
			t.Errorf("the list says %s", text)
		}
	}

	read("user-1", nil, "[]")
	read("user-1", nil, "[]")
	read("user-2", errEnoughPeople, "Too many people for one list")
}
