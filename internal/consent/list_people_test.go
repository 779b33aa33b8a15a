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
)

// TestConsentListDay_takesUpToTheLargestNumber reads a day of more people than one list takes.
func TestConsentListDay_takesUpToTheLargestNumber(t *testing.T) {
	t.Parallel()
	d := &dayReader{source: newSource(dayPlace), fields: defaultIdentityFields}
	read := func(i int) error {
		return d.Record(records.Person, jsontext.Value(fmt.Sprintf(`{"identityId":"user-%d"}`, i)))
	}
	conclusion := func() string {
		var diags diag.Diagnostics
		run := &listing{source: d.source, day: d, next: len(d.people)}
		run.conclude(t.Context(), &diags)
		return fmt.Sprint(diags)
	}

	for range 2 {
		for i := range limitDayPeople {
			if err := read(i); err != nil {
				t.Fatal(err)
			}
		}
	}
	if text := conclusion(); text != "[]" {
		t.Errorf("a list of as many people as it takes says %s", text)
	}

	if err := read(limitDayPeople); !errors.Is(err, errEnoughPeople) || len(d.people) != limitDayPeople {
		t.Errorf("%d people, %v", len(d.people), err)
	}
	if text := conclusion(); !strings.Contains(text, "Too many people for one list") {
		t.Errorf("a list of more people says %s", text)
	}
}
