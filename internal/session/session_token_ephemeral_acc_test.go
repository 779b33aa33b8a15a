// SPDX-License-Identifier: MPL-2.0

package session_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// echoedToken issues a token and echoes it into state.
const echoedToken = `
ephemeral "analytics_session_token" "tool" {}

provider "echo" {
  data = ephemeral.analytics_session_token.tool
}

resource "echo" "tool" {}
`

func TestAccSessionTokenEphemeral_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Ephemeral)
	service := mocktest.Start(t)
	withKey := fmt.Sprintf("provider \"analytics\" {\n  base_url       = %q\n  api_secret_key = %q\n}\n", service.URL, service.SecretKey)
	factories := acctest.Factories()
	factories["echo"] = echoprovider.NewProviderServer()
	accepted := func(token string) error {
		if status := statusWith(t, service, token); status != http.StatusOK {
			return fmt.Errorf("the service answers the token with %d", status)
		}
		return nil
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config:      withKey + echoedToken,
				ExpectError: regexp.MustCompile(`Nothing to log in with`),
			},
			{
				Config: acctest.Block(service) + echoedToken,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("echo.tool", tfjsonpath.New("data").AtMapKey("token"), knownvalue.StringFunc(accepted)),
					statecheck.ExpectKnownValue("echo.tool", tfjsonpath.New("data").AtMapKey("expires_at"), knownvalue.NotNull()),
				},
			},
		},
	})

	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpLogin && r.Operation != mockserver.OpGetCurrentUser { // statusWith asks for the user
			t.Errorf("the service received %s", r.Operation)
		}
	}
}
