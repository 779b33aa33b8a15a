// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

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
	)
	wantEachOnce(t, service, 3)
}

func TestAccConsentBatchResource_update(t *testing.T) {
	service, f := startAcc(t, 3)

	runSteps(t,
		resource.TestStep{Config: acctest.Block(service) + f.block()},
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
	wantEachOnce(t, service, 5)
}

func TestAccConsentBatchResource_laterChoice(t *testing.T) {
	service, f := startAcc(t, 3)

	runSteps(t,
		resource.TestStep{
			PreConfig:         func() { chooseFor(service, 0, late) },
			Config:            acctest.Block(service) + f.block(`on_destroy = "withdraw"`),
			ConfigStateChecks: expectCounts(counts{Rows: 3, Kept: 1, Written: 2}),
		},
		resource.TestStep{
			PreConfig: func() { chooseFor(service, 1, late) },
			Config:    acctest.Block(service) + f.block(`on_destroy = "withdraw"`),
			PlanOnly:  true,
		},
	)

	// The second update of the last row is its withdrawal.
	wantWritten(t, service, map[string]int{userName(1): 1, userName(2): 2})
	for i := range 2 {
		if record, _ := service.Consent(scope, userName(i)); record.AgreementTime != late {
			t.Errorf("of row %d the service holds %+v", i, record)
		}
	}
	wantRow(t, service, 2, [5]bool{})
}

func TestAccConsentBatchResource_validation(t *testing.T) {
	service, f := startAcc(t, 3)
	wrong := newFile(t, people(3)+"jane.doe@example.com,yes,true,true,true,,then\n"+rowOf(1, early))

	steps := []resource.TestStep{
		{
			Config: acctest.Block(service) + wrong.block(),
			ExpectError: acctest.Message("Unusable rows", "line 5: clause_1_consent has to be true or false", "line 5: agreement_time must be an RFC 3339 time",
				"line 5: clause_5_consent is missing", "line 6: identity_id is the same as in line 3"),
		},
		{ // nobody is named
			Config:      acctest.Block(service) + wrong.block(),
			ExpectError: regexp.MustCompile(`\A[^@]*Unusable rows[^@]*\z`),
		},
	}
	missing := &batchFile{t, f.path + ".csv"}
	steps = append(steps, resource.TestStep{Config: acctest.Block(service) + missing.block(), ExpectError: acctest.Message("The rows cannot be read", "no such file")})

	runSteps(t, steps...)
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestAccConsentBatchResource_writeOnly(t *testing.T) {
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	service := mocktest.Start(t)
	rows := func(content string) config.Variables {
		return config.Variables{"people": config.StringVariable(content)}
	}

	runSteps(t,
		resource.TestStep{
			Config:          acctest.Block(service) + strings.Replace(writeOnlyBlock, "content_wo_version = 1", "", 1),
			ConfigVariables: rows(people(3)),
			ExpectError:     acctest.Message("content_wo_version"),
		},
		resource.TestStep{
			Config:          acctest.Block(service) + writeOnlyBlock,
			ConfigVariables: rows(people(3)),
			ConfigStateChecks: append(
				expectCounts(counts{Rows: 3, Written: 3}),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("content_wo"), knownvalue.Null()),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("content_wo_version"), knownvalue.Int64Exact(1)),
			),
		},
		resource.TestStep{ // another content is noticed without another version
			Config:            acctest.Block(service) + writeOnlyBlock,
			ConfigVariables:   rows(people(4)),
			ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
			ConfigStateChecks: expectCounts(counts{Rows: 4, Written: 1}),
		},
	)
	wantEachOnce(t, service, 4)
}

const address = "analytics_consent_batch.all"

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

const writeOnlyBlock = `
variable "people" {
  type      = string
  ephemeral = true
}

resource "analytics_consent_batch" "all" {
  content_wo         = var.people
  content_wo_version = 1
}
`

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
