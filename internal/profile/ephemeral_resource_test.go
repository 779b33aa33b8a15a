// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// copied reads the profile of one person and writes a member of it to another, through
// an attribute that is write-only.
const copied = `
ephemeral "analytics_profile" "source" {
  identity_id = "source-person"
}

resource "analytics_profile" "copy" {
  identity_id        = "other-person"
  profile_wo         = jsonencode({ phone = jsondecode(ephemeral.analytics_profile.source.profile).phone })
  profile_wo_version = 1
  wait_for_fulfilment = false
}
`

// TestCLIProfileEphemeral_staysOutOfStateAndPlan looks for what was read in everything
// that Terraform has written.
func TestCLIProfileEphemeral_staysOutOfStateAndPlan(t *testing.T) {
	t.Parallel()
	const secret = "secret-0100"
	service := mocktest.Start(t)
	service.PutProfile(scope, "source-person", `{"phone":"`+secret+`"}`)
	cli := clitest.New(t, copied, service.Environment())
	cli.Needs(acctest.WriteOnlyAttributes)

	planned := cli.MustRun("plan", "-out=saved.tfplan")
	applied := cli.MustRun("apply", "saved.tfplan")
	service.FulfilAll()
	if held, _ := service.Profile(scope, "other-person"); held["phone"] != secret {
		t.Errorf("the service holds %v", held)
	}

	for _, output := range []string{planned.Output, applied.Output, cli.MustRun("show", "saved.tfplan").Output} {
		if strings.Contains(output, secret) {
			t.Errorf("the value is shown:\n%s", output)
		}
	}
	for _, name := range []string{"terraform.tfstate", "saved.tfplan"} {
		if strings.Contains(cli.ReadFile(name), secret) {
			t.Errorf("%s holds the value", name)
		}
	}
}
