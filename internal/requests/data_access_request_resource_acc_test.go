// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

const accessAddress = accessName + ".jane"

// accessBlock returns a resource block that writes the data of the person to a file.
func accessBlock(path string, lines ...string) string {
	return block(accessName, append(lines, fmt.Sprintf("output_path = %q", path))...)
}

// wantFileState checks that an object is carried out and describes its file.
func wantFileState(path string) []statecheck.StateCheck {
	digest := func(value string) error {
		content, err := os.ReadFile(path)
		if sum := sha256.Sum256(content); value != hex.EncodeToString(sum[:]) {
			return fmt.Errorf("%s is the digest of another file", value)
		}
		return err
	}
	size := func(value int64) error {
		info, err := os.Stat(path)
		if err == nil && info.Size() != value {
			return fmt.Errorf("%d is the size of another file", value)
		}
		return err
	}

	return []statecheck.StateCheck{
		statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("fulfilled"), knownvalue.Bool(true)),
		statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("sha256"), knownvalue.StringFunc(digest)),
		statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("bytes"), knownvalue.Int64Func(size)),
	}
}

func TestAccDataAccessRequestResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := startWithData(t)
	path := output(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Block(service) + accessBlock(path),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(accessAddress, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(accessAddress, tfjsonpath.New("sha256")),
			}},
			ConfigStateChecks: append(wantFileState(path),
				statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("output_path"), knownvalue.StringExact(path)),
				statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("request_id"), knownvalue.StringExact("request-1")),
				statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("overwrite"), knownvalue.Bool(false)),
				statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("requested_at"), instant),
				statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("fulfilled_at"), instant),
			),
		}},
	})

	wantQueued(t, service, mockserver.OpGetAllData, 1)
	wantData(t, path)
}

func TestAccDataAccessRequestResource_disappears(t *testing.T) {
	acctest.PreCheck(t)
	service := startWithData(t)
	path := output(t)
	configuration := acctest.Block(service) + accessBlock(path)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: configuration, ConfigStateChecks: wantFileState(path)},
			{
				PreConfig: func() {
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				},
				Config:            acctest.Block(service, inProfile) + accessBlock(path),
				ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(accessAddress, plancheck.ResourceActionCreate)),
				ConfigStateChecks: wantFileState(path),
			},
		},
	})

	wantQueued(t, service, mockserver.OpGetAllData, 1) // the service answers the other with the data
	wantData(t, path)
}

// inProfile is profileInData in a provider block.
const inProfile = `wire = { all_data_member = "profile" }`
