// SPDX-License-Identifier: MPL-2.0

package session_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const currentUserBlock = `data "analytics_current_user" "self" {}`

func TestAccCurrentUserDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	const address = "data.analytics_current_user.self"
	ofTheLogin := func(text string) error {
		if !json.Valid([]byte(text)) || !strings.Contains(text, service.Email) {
			return fmt.Errorf("the user is %s", text)
		}
		return nil
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				PreConfig: func() {
					service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 403, Body: []byte(`{}`)})
				},
				Config:      acctest.Block(service) + currentUserBlock,
				ExpectError: regexp.MustCompile(`Not permitted`),
			},
			{
				Config: acctest.Block(service) + currentUserBlock,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("json"), knownvalue.StringFunc(ofTheLogin)),
					statecheck.ExpectSensitiveValue(address, tfjsonpath.New("json")),
				},
			},
		},
	})

	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpGetCurrentUser && r.Operation != mockserver.OpLogin {
			t.Errorf("the service received %s", r.Operation)
		}
	}
}
