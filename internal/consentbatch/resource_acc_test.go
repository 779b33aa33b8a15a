// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const address = "analytics_consent_batch.all"

// TestAccConsentBatchResource_basic begins with a create of which one row fails. The next apply
// destroys nothing, and writes what is missing.
func TestAccConsentBatchResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service, f := mocktest.Start(t), newFile(t, people(3))
	service.Inject(rejecting(400, 2)...)
	config := acctest.Block(service) + fmt.Sprintf("\nresource \"analytics_consent_batch\" \"all\" {\n  source = %q\n}\n", f.path)
	exactly := func(name string, n int64) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), knownvalue.Int64Exact(n))
	}

	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: []resource.TestStep{
		{Config: config, ExpectError: acctest.Message("1 of 3 rows were not written", "line 4", "In state now: nothing")},
		{
			Config: config,
			ConfigPlanChecks: acctest.Planned(
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("rows"), knownvalue.Int64Exact(3)),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("written")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				exactly("rows", 3), exactly("kept", 0), exactly("written", 1), exactly("missing", 0),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("source"), knownvalue.StringExact(f.path)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("digest"), knownvalue.NotNull()),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("keep_later_choice"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("on_destroy"), knownvalue.StringExact("retain")),
			},
		},
	}})

	want := map[string]int{userName(0): 1, userName(1): 1, userName(2): 1}
	if diff := cmp.Diff(want, written(service)); diff != "" {
		t.Errorf("updates by person (-want +got):\n%s", diff)
	}
}
