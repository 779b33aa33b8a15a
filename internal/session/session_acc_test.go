// SPDX-License-Identifier: MPL-2.0

package session_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

func TestAccCurrentUserDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 403, Body: []byte(`{}`)})
	self := acctest.Block(service) + `data "analytics_current_user" "self" {}`
	json := tfjsonpath.New("json")

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: self, ExpectError: acctest.Message("Not permitted")},
			{
				Config: self,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.analytics_current_user.self", json, knownvalue.StringRegexp(regexp.MustCompile(regexp.QuoteMeta(service.Email)))),
					statecheck.ExpectSensitiveValue("data.analytics_current_user.self", json),
				},
			},
		},
	})
}

func TestAccSessionTokenEphemeral_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Ephemeral)
	service := mocktest.Start(t)
	withKey := fmt.Sprintf("provider \"analytics\" {\n  base_url       = %q\n  api_secret_key = %q\n}\n", service.URL, service.SecretKey)
	factories := acctest.Factories()
	factories["echo"] = echoprovider.NewProviderServer()
	const echoed = `
ephemeral "analytics_session_token" "tool" {}

provider "echo" {
  data = ephemeral.analytics_session_token.tool
}

resource "echo" "tool" {}
`

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: withKey + echoed, ExpectError: acctest.Message("Nothing to log in with")},
			{
				Config: acctest.Block(service) + echoed,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("echo.tool", tfjsonpath.New("data").AtMapKey("token"), knownvalue.StringRegexp(regexp.MustCompile(`^[\w-]+\.[\w-]+\.`))),
					statecheck.ExpectKnownValue("echo.tool", tfjsonpath.New("data").AtMapKey("expires_at"), knownvalue.NotNull()),
				},
			},
		},
	})
}
