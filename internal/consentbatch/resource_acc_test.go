// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const address = "analytics_consent_batch.all"

func TestAccConsentBatchResource_basic(t *testing.T) {
	service, f := startAcc(t, 3)

	runSteps(t,
		resource.TestStep{
			Config: acctest.Block(service) + f.block(),
			ConfigPlanChecks: acctest.Planned(
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("rows"), knownvalue.Int64Exact(3)),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("written")),
			),
			ConfigStateChecks: append(
				expectCounts(counts{Rows: 3, Written: 3}),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("source"), knownvalue.StringExact(f.path)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("digest"), knownvalue.NotNull()),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("keep_later_choice"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("on_destroy"), knownvalue.StringExact("retain")),
			),
		},
		resource.TestStep{ // two more rows
			PreConfig: func() { f.write(people(5)) },
			Config:    acctest.Block(service) + f.block(),
			ConfigPlanChecks: acctest.Planned(
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("rows"), knownvalue.Int64Exact(5)),
			),
			ConfigStateChecks: expectCounts(counts{Rows: 5, Written: 2}),
		},
		resource.TestStep{ // settings of the object alone send nothing
			Config:            acctest.Block(service) + f.block(`format = "csv"`),
			ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("rows"), knownvalue.Int64Exact(5))},
		},
	)
	wantEachOnce(t, service, every(1, 5)...)
}

// TestAccConsentBatchResource_failedRow creates a batch of which one row fails. What was written
// is not destroyed by the next apply.
func TestAccConsentBatchResource_failedRow(t *testing.T) {
	service, f := startAcc(t, 5)
	service.Inject(rejecting(400, 2)...)
	all := acctest.Block(service) + f.block(`on_destroy = "withdraw"`)

	runSteps(t,
		resource.TestStep{Config: all, ExpectError: acctest.Message("1 of 5 rows failed", "line 4", "In state now: nothing")},
		resource.TestStep{
			Config:            all,
			ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
			ConfigStateChecks: expectCounts(counts{Rows: 5, Written: 1}),
		},
	)
	for i := range 5 {
		wantRow(t, service, i, [5]bool{})
	}
}

// TestAccConsentBatchResource_unknownSource has a provider block and a path that are known only
// after apply. The plan then asks the service nothing, for the other batch neither.
func TestAccConsentBatchResource_unknownSource(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	later, now := newFile(t, people(3)), newFile(t, batchHeader+rowOf(7, middle))
	all := unknownBlocks(service, later, now)

	runSteps(t,
		resource.TestStep{
			Config: all, PlanOnly: true, ExpectNonEmptyPlan: true,
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue("analytics_consent_batch.later", tfjsonpath.New("rows")),
				plancheck.ExpectKnownValue("analytics_consent_batch.now", tfjsonpath.New("rows"), knownvalue.Int64Exact(1)),
			}},
		},
		resource.TestStep{
			PreConfig: func() { wantRequests(t, service, 0, 0) },
			Config:    all,
		},
	)
	wantEachOnce(t, service, 0, 1, 2, 7)
}

// TestAccConsentBatchResource_shards applies all shards of a file in one run, and computes the
// number of each row's shard in Terraform.
func TestAccConsentBatchResource_shards(t *testing.T) {
	service, f := startAcc(t, 60)

	runSteps(t,
		resource.TestStep{
			Config: acctest.Block(service) + shardBlocks(f),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("rows", knownvalue.ListSizeExact(3)),
				statecheck.ExpectKnownOutputValue("as_expected", knownvalue.Bool(true)),
			},
		},
	)
	wantEachOnce(t, service, every(1, 60)...)
}

// unknownBlocks returns a provider block with an unknown key, a batch with an unknown path, and
// one whose path is known.
func unknownBlocks(service *mocktest.Instance, later, now *batchFile) string {
	return fmt.Sprintf(`
resource "terraform_data" "known_later" {
  input = { key = %q, source = %q }
}

provider "analytics" {
  base_url       = %q
  api_secret_key = terraform_data.known_later.output.key
  org_id         = %q
  project_id     = %q
}

resource "analytics_consent_batch" "later" {
  source = terraform_data.known_later.output.source
}

resource "analytics_consent_batch" "now" {
  source = %q
}
`, service.SecretKey, later.path, service.URL, mocktest.Org, mocktest.Project, now.path)
}

// shardBlocks returns the three shards of a file, and outputs of how many rows they have and
// whether these are the numbers that they should have.
func shardBlocks(f *batchFile) string {
	return fmt.Sprintf(`
locals {
  source = %q
  people = csvdecode(file(local.source))
}

resource "analytics_consent_batch" "shard" {
  count  = 3
  source = local.source
  shard  = { index = count.index, count = 3 }
}

output "rows" {
  value = tolist(analytics_consent_batch.shard[*].rows)
}

output "as_expected" {
  value = tolist(analytics_consent_batch.shard[*].rows) == tolist([for index in range(3) : length([
    for person in local.people : person if parseint(substr(sha256(person.identity_id), 0, 16), 16) %% 3 == index
  ])])
}
`, f.path)
}

// startAcc starts the service and the file of an acceptance test.
func startAcc(t *testing.T, rows int) (*mocktest.Instance, *batchFile) {
	t.Helper()
	acctest.PreCheck(t)
	return mocktest.Start(t), newFile(t, people(rows))
}

// runSteps runs the steps of an acceptance test.
func runSteps(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})
}

// block returns a batch of the file as text.
func (f *batchFile) block(lines ...string) string {
	return fmt.Sprintf("\nresource \"analytics_consent_batch\" \"all\" {\n  source = %q\n  %s\n}\n", f.path, strings.Join(lines, "\n  "))
}

// expectCounts returns checks of the counts in state.
func expectCounts(want counts) []statecheck.StateCheck {
	expect := func(name string, n float64) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), knownvalue.Int64Exact(int64(n)))
	}

	return []statecheck.StateCheck{
		expect("rows", want.Rows), expect("kept", want.Kept),
		expect("written", want.Written), expect("missing", want.Missing),
	}
}
