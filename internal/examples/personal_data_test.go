// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// The lines of the guide: what an attribute belongs to, and where its value goes.
var (
	objectLine    = regexp.MustCompile("(?m)^### ((?:Provider block|Resource|Data source|Ephemeral resource|List resource|Action).*)$")
	attributeLine = regexp.MustCompile("(?m)^\\| `([a-z0-9_.]+)` \\| [^|]+ \\| ([^|]+) \\|$")
)

// harmless names the attributes that hold no personal data in any object.
//
//go:embed testdata/no-personal-data.txt
var harmless string

func TestPersonalDataGuide_hasEveryAttributeThatHoldsSome(t *testing.T) {
	t.Parallel()
	listed, object := map[string]string{}, "" // the class of each attribute, by its object and itself
	for line := range strings.Lines(readPage(t, "docs/guides/personal-data.md")) {
		if heading := objectLine.FindStringSubmatch(line); heading != nil {
			object = heading[1]
		}
		if attribute := attributeLine.FindStringSubmatch(line); object != "" && attribute != nil {
			name := object + ": " + attribute[1]
			if listed[name] != "" {
				t.Errorf("%s is listed twice", name)
			}
			listed[name] = attribute[2]
		}
	}

	without := strings.Fields(harmless)
	for _, d := range readSchemas(t) {
		name := d.object + ": " + d.path
		got, ok := listed[name]
		delete(listed, name)
		if d.class == "" {
			continue
		}
		if ok == slices.Contains(without, d.path) {
			t.Errorf("%s, which is %q, has to be in either templates/guides/personal-data.md.tmpl or testdata/no-personal-data.txt", name, d.class)
		}
		if ok && got != d.class {
			t.Errorf("%s is called %q, and is %q", name, got, d.class)
		}
	}

	for name := range listed {
		t.Errorf("%s is listed, and is no attribute", name)
	}
}

// TestCLIPersonalDataGuide_holdsForVariablesAndForTerraformsLog holds what the guide says of
// the provider's settings in a saved plan, and of the log of Terraform's core.
func TestCLIPersonalDataGuide_holdsForVariablesAndForTerraformsLog(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	service.PutConsent(mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, "canary-person", mockserver.ConsentRecord{})
	const configuration = `
variable "key" {
  type      = string
  sensitive = true
}

provider "analytics" {
  api_secret_key = var.key
}

resource "analytics_consent" "x" {
  identity_id      = "canary-person"
  clause_1_consent = false
  clause_2_consent = false
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false
}

import {
  to = analytics_consent.x
  id = "canary-person"
}
`
	service.AddSecretKey("canary-in-a-variable")
	environment := service.Environment()
	delete(environment, "ANALYTICS_API_SECRET_KEY")
	environment["TF_VAR_key"], environment["ANALYTICS_HEADERS"] = "canary-in-a-variable", `{"X-Canary":"canary-in-the-environment"}`
	environment["TF_LOG_CORE"], environment["TF_LOG_PROVIDER"] = "TRACE", "TRACE"
	cli := clitest.New(t, configuration, environment)
	planned := cli.MustRun("plan", "-out=tfplan")

	plan := cli.ReadFile("tfplan")
	if !strings.Contains(plan, "canary-in-a-variable") {
		t.Error("the saved plan does not hold the sensitive variable")
	}
	if strings.Contains(plan, "canary-in-the-environment") {
		t.Error("the saved plan holds a value of the environment")
	}

	var core, provider bool
	for line := range strings.Lines(planned.Output) {
		if !strings.Contains(line, "canary-person") {
			continue
		}
		core = core || strings.Contains(line, "[TRACE]")
		provider = provider || strings.Contains(line, "provider.terraform-provider-analytics")
	}
	if !core || provider {
		t.Errorf("the person is in the log of Terraform: %v, of the provider: %v", core, provider)
	}
	if strings.Contains(planned.Output, "canary-in-") {
		t.Error("the output shows a secret")
	}
}
