// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestAccRequestDataAccessAction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service := startWithData(t)
	path := output(t)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	configuration := acctest.Block(service) + triggerBlock("first", "action."+requestAccessName+".jane") +
		actionBlock(requestAccessName, deletesJane, fmt.Sprintf("output_path = %q", path))

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      configuration,
				ExpectError: regexp.MustCompile(`There is a file already`),
			},
			{
				PreConfig: func() {
					wantNothingSent(t, service)
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				},
				Config:        configuration,
				PostApplyFunc: func() { wantData(t, path) },
			},
		},
	})

	wantQueued(t, service, mockserver.OpGetAllData, 1)
}
