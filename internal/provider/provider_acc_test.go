// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

// TestAccProvider_block gives settings that contradict each other, that are out of bounds or that do not
// exist: none of them is dropped without a word, and the error is at the provider block. Then it takes
// everything from the block.
func TestAccProvider_block(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t, func(s *mockserver.Server) { s.Wire.Consent.ParametersIn = mockserver.InForm })
	var steps []resource.TestStep
	for block, words := range map[string]string{
		`token = "x"`:      `(?s)with provider\[.*excludes\s+the\s+other\s+credentials`,
		`max_retries = 99`: `(?s)with provider\[.*from\s+0\s+to\s+10`,

		"wire = {\n  lag = \"3s\"\n}":                    `argument\s+named\s+"wire"\s+is\s+not\s+expected`,
		"wire {\n  pendng_list_lag = \"3s\"\n}":          `argument\s+named\s+"pendng_list_lag"\s+is\s+not\s+expected`,
		"wire {\n  pending {\n    to = \"/x\"\n  }\n}":   `argument\s+named\s+"to"\s+is\s+not\s+expected`,
		"wire {\n  pendng {\n  }\n}":                     `type\s+"pendng"\s+are\s+not\s+expected`,
		"wire {\n  ignored = { took = \"*\" }\n}":        `wire.ignored\s+has\s+a\s+key\s+that\s+is\s+not\s+a\s+JSON\s+Pointer`,
		"wire {\n  consent {\n    at = \"data\"\n  }\n}": `wire.consent.at\s+must\s+be\s+a\s+JSON\s+Pointer`,
		"wire {\n  absent = [\"204\", \"nothing\"]\n}":   `wire.absent\s+must\s+be\s+one\s+of\s+json_404`,
	} {
		steps = append(steps, resource.TestStep{Config: acctest.Block(service, block) + consentBlock("user-1001"), ExpectError: regexp.MustCompile(words)})
	}

	steps = append(steps, resource.TestStep{
		Config:            acctest.Block(service, "headers = { X-Gateway = \"g1\" }\nwire {\n  lag = \"0s\"\n  consent {\n    parameters_in = \"form\"\n  }\n}") + consentBlock("user-1001"),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("analytics_consent.user-1001", tfjsonpath.New("org_id"), knownvalue.StringExact(mocktest.Org))},
	})
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})

	if writes := service.Count(mockserver.OpUpdateConsent); writes != 1 {
		t.Errorf("%d writes", writes)
	}
	for _, r := range service.Requests() {
		if r.Header.Get("X-Gateway") != "g1" {
			t.Errorf("%s came with the header %q", r.Operation, r.Header.Get("X-Gateway"))
		}
	}
}
