// SPDX-License-Identifier: MPL-2.0

package session_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const testAccSessionConfig = `
data "analytics_current_user" "self" {}

ephemeral "analytics_session_token" "tool" {}

provider "echo" {
  data = ephemeral.analytics_session_token.tool
}

resource "echo" "tool" {}
`

func TestAccSession_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Ephemeral)
	service := mocktest.Start(t)
	factories := acctest.Factories()
	factories["echo"] = echoprovider.NewProviderServer()
	user, token := tfjsonpath.New("json"), tfjsonpath.New("data")

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: acctest.Block(service) + testAccSessionConfig,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.analytics_current_user.self", user, knownvalue.StringRegexp(regexp.MustCompile(regexp.QuoteMeta(service.Email)))),
				statecheck.ExpectSensitiveValue("data.analytics_current_user.self", user),
				statecheck.ExpectKnownValue("echo.tool", token.AtMapKey("token"), knownvalue.StringRegexp(regexp.MustCompile(`^[\w-]+\.[\w-]+\.`))),
				statecheck.ExpectKnownValue("echo.tool", token.AtMapKey("expires_at"), knownvalue.NotNull()),
			},
		}},
	})
}
