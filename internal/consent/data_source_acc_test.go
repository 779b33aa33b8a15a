package consent_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const dataAddress = "data.analytics_consent.jane"

func TestAccConsentDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	service.PutConsent(scope, person, mockserver.ConsentRecord{
		Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: "2026-01-31T13:00:00+01:00",
		Extra: map[string]any{"version": 9007199254740993},
	})

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.Block(service) + dataBlock(person) + "output \"version\" {\n  value     = tostring(jsondecode(data.analytics_consent.jane.json).version)\n  sensitive = true\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("clause_1_consent"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("clause_2_consent"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("clause_3_consent"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("clause_4_consent"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("clause_5_consent"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("user_ipv6"), knownvalue.StringExact("2001:db8::1")),
					statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("user_ipv6")),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("agreement_time"), knownvalue.StringExact(early)),
					statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("manual"), knownvalue.Null()),
					statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("json")),
					statecheck.ExpectKnownOutputValue("version", knownvalue.StringExact("9007199254740993")),
				},
			},
		},
	})
	wantUpdates(t, service)
}

// TestAccConsentDataSource_ofResource reads what a resource of the same configuration writes.
func TestAccConsentDataSource_ofResource(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	same := []statecheck.StateCheck{}
	for _, name := range []string{"identity_id", "clause_1_consent", "clause_3_consent", "user_ipv6", "agreement_time", "manual"} {
		same = append(same, statecheck.CompareValuePairs(address, tfjsonpath.New(name), dataAddress, tfjsonpath.New(name), compare.ValuesSame()))
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.Block(service) + block(`user_ipv6 = "2001:db8::1"`, `agreement_time = "`+early+`"`) + `
data "analytics_consent" "jane" {
  identity_id = analytics_consent.jane.identity_id
}
`,
				ConfigStateChecks: same,
			},
		},
	})
	wantUpdates(t, service, update(configured, map[string]any{"user_ipv6": "2001:db8::1", "agreement_time": early}))
}

func TestAccConsentDataSource_validation(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + dataBlock(".."), ExpectError: acctest.Message("Unusable identifier", "change")},
			{Config: acctest.Block(service) + dataBlock("nobody"), ExpectError: acctest.Message("Not found", "HTTP status: 404", "identity_id and the scope")},
		},
	})
	wantOperations(t, service, mockserver.OpGetConsent)
}

// dataBlock returns the data source as text.
func dataBlock(identity string) string {
	return fmt.Sprintf("\ndata \"analytics_consent\" \"jane\" {\n  identity_id = %q\n}\n", identity)
}
