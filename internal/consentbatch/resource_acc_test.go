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
