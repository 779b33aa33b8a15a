// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAccConsentEphemeral_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Ephemeral)
	service := mocktest.Start(t)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: "2026-01-31T13:00:00+01:00"})

	echoed := func(name string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("echo.test", tfjsonpath.New("data").AtMapKey(name), want)
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: withEcho(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + ephemeralBlock(".."), ExpectError: acctest.Message("Unusable identifier", "change")},
			{Config: acctest.Block(service) + ephemeralBlock("nobody"), ExpectError: acctest.Message("Not found", "HTTP status: 404")},
			{
				Config: acctest.Block(service) + ephemeralBlock(person),
				ConfigStateChecks: []statecheck.StateCheck{
					echoed("identity_id", knownvalue.StringExact(person)),
					echoed("clause_1_consent", knownvalue.Bool(true)),
					echoed("clause_3_consent", knownvalue.Bool(false)),
					echoed("user_ipv6", knownvalue.StringExact("2001:db8::1")),
					echoed("agreement_time", knownvalue.StringExact(early)),
					echoed("manual", knownvalue.Null()),
					echoed("json", knownvalue.NotNull()),
				},
			},
		},
	})

	wantUpdates(t, service)
	if n := service.Count(mockserver.OpGetConsent); n < 3 {
		t.Errorf("%d reads: of nobody, in the plan and in the apply", n)
	}
}

// withEcho adds the provider that puts what it is configured with into state.
func withEcho() map[string]func() (tfprotov6.ProviderServer, error) {
	factories := acctest.Factories()
	factories["echo"] = echoprovider.NewProviderServer()

	return factories
}

// ephemeralBlock returns the ephemeral resource as text, and a resource that shows its values.
func ephemeralBlock(identity string) string {
	return fmt.Sprintf(`
ephemeral "analytics_consent" "jane" {
  identity_id = %q
}

provider "echo" {
  data = ephemeral.analytics_consent.jane
}

resource "echo" "test" {}
`, identity)
}
