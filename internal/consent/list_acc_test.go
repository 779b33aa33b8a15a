// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const listAddress = "analytics_consent.people"

func TestAccConsentList_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Lists)
	service := mocktest.Start(t)
	putConsents(service, "user-1", "user-2")
	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords("identityId", "user-2", "nobody", "user-1")})
	user1 := queryfilter.ByResourceIdentity(identityOf(mocktest.Project, "user-1"))

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Query:  true,
				Config: acctest.Block(service) + listBlock(fmt.Sprintf("utc_date = %q", exportDay), "include_resource = true"),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(listAddress, 2),
					querycheck.ExpectIdentity(listAddress, identityOf(mocktest.Project, "user-1")),
					querycheck.ExpectIdentity(listAddress, identityOf(mocktest.Project, "user-2")),
					querycheck.ExpectResourceDisplayName(listAddress, user1, knownvalue.StringExact("user-1")),
					querycheck.ExpectResourceKnownValues(listAddress, user1, []querycheck.KnownValueCheck{
						{Path: tfjsonpath.New("clause_1_consent"), KnownValue: knownvalue.Bool(true)},
						{Path: tfjsonpath.New("clause_3_consent"), KnownValue: knownvalue.Bool(false)},
						{Path: tfjsonpath.New("agreement_time"), KnownValue: knownvalue.StringExact(early)},
						{Path: tfjsonpath.New("org_id"), KnownValue: knownvalue.Null()},
					}),
				},
			},
		},
	})

	if exports, reads := service.Count(mockserver.OpExportRecords), service.Count(mockserver.OpGetConsent); exports != 1 || reads != 3 {
		t.Errorf("%d exports and %d reads", exports, reads)
	}
	wantUpdates(t, service)
}

// listBlock returns a list block with the lines of its configuration, and lines above it.
func listBlock(config string, lines ...string) string {
	return fmt.Sprintf("list \"analytics_consent\" \"people\" {\n  provider = analytics\n%s\n  config {\n%s\n  }\n}\n", strings.Join(lines, "\n"), config)
}
