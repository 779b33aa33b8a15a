// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

func TestAccConsentDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	const ada = "data.analytics_consent.ada"
	service.PutConsent(scope, "ada", mockserver.ConsentRecord{
		Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: "2026-01-31T13:00:00+01:00",
		Extra: map[string]any{"version": int64(9007199254740993)},
	})

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + dataBlock("jane", `".."`), ExpectError: acctest.Message("Unusable identifier", "change")},
			{Config: acctest.Block(service) + dataBlock("jane", `"nobody"`), ExpectError: acctest.Message("Not found", "HTTP status: 404", "identity_id and the scope")},
			{
				Config: acctest.Block(service) + block(`user_ipv6 = "2001:db8::2"`) + dataBlock("jane", "analytics_consent.jane.identity_id") +
					dataBlock("ada", `"ada"`) + "output \"version\" {\n  value     = tostring(jsondecode(" + ada + ".json).version)\n  sensitive = true\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("clause_1_consent"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("clause_3_consent"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("user_ipv6"), knownvalue.StringExact("2001:db8::1")),
					statecheck.ExpectSensitiveValue(ada, tfjsonpath.New("user_ipv6")),
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("agreement_time"), knownvalue.StringExact(early)),
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("manual"), knownvalue.Null()),
					statecheck.ExpectSensitiveValue(ada, tfjsonpath.New("json")),
					statecheck.ExpectKnownOutputValue("version", knownvalue.StringExact("9007199254740993")),
					statecheck.CompareValuePairs(address, tfjsonpath.New("identity_id"), "data."+address, tfjsonpath.New("identity_id"), compare.ValuesSame()),
					statecheck.CompareValuePairs(address, tfjsonpath.New("user_ipv6"), "data."+address, tfjsonpath.New("user_ipv6"), compare.ValuesSame()),
					statecheck.CompareValuePairs(address, tfjsonpath.New("manual"), "data."+address, tfjsonpath.New("manual"), compare.ValuesSame()),
				},
			},
		},
	})
	wantUpdates(t, service, update(configured, map[string]any{"user_ipv6": "2001:db8::2"}))
}

// dataBlock returns the data source as text. identity is an expression.
func dataBlock(name, identity string) string {
	return fmt.Sprintf("\ndata \"analytics_consent\" %q {\n  identity_id = %s\n}\n", name, identity)
}

const listAddress = "analytics_consent.people"

func TestAccConsentList_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Lists)
	service := mocktest.Start(t)
	putConsents(service, "user-1", "user-2")
	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords("user-2", "nobody", "user-1")})
	user1 := queryfilter.ByResourceIdentity(identityOf(mocktest.Project, "user-1"))

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Query:  true,
				Config: acctest.Block(service) + listBlock(fmt.Sprintf("utc_date = %q", exportDay), "include_resource = true"),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(listAddress, 2),
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
	wantUpdates(t, service)
}

// listBlock returns a list block with the lines of its configuration, and lines above it.
func listBlock(config string, lines ...string) string {
	return fmt.Sprintf("list \"analytics_consent\" \"people\" {\n  provider = analytics\n%s\n  config {\n%s\n  }\n}\n", strings.Join(lines, "\n"), config)
}
