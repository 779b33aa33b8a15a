// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func TestConsentListDay_takesUpToTheLargestNumber(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	credentials := transport.Credentials{APISecretKey: service.SecretKey}
	c, err := client.New(client.Config{BaseURL: service.URL, Config: transport.Config{Credentials: credentials}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)

	var persons []any
	for _, identity := range []int{1, 1, 2} {
		persons = append(persons, map[string]any{"id": "p", "plan": "gold", "identityId": identity})
	}
	service.PutExport(mockserver.Scope{OrgID: "org", ProjectID: "web"}, "2026-02-03", mockserver.ExportDay{Persons: persons})

	run := &listing{
		Service: &tfkit.Service{Client: c}, scope: client.Scope{OrgID: "org", ProjectID: "web"},
		source: source{limit: 1},
	}
	run.readDay(t.Context(), listModel{UTCDate: types.StringValue("2026-02-03")})
	run.next = len(run.people)

	var diags diag.Diagnostics
	run.conclude(t.Context(), &diags)
	if run.persons != 3 || len(run.people) != 1 || len(diags) != 1 || !strings.Contains(fmt.Sprint(diags), "The day has more than 1 people") {
		t.Errorf("of %d records and %d people, the list says %v", run.persons, len(run.people), diags)
	}
}
