// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
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
	described := describedClasses(t)
	classes := schemaClasses(t)
	without := strings.Fields(harmless)

	for _, name := range slices.Sorted(maps.Keys(classes)) {
		_, attribute, _ := strings.Cut(name, ": ")
		got, ok := described[name]
		if ok == slices.Contains(without, attribute) {
			t.Errorf("%s, which is %q, has to be either in templates/guides/personal-data.md.tmpl or in testdata/no-personal-data.txt", name, classes[name])
			continue
		}
		if ok && got != classes[name] {
			t.Errorf("%s is called %q, and is %q", name, got, classes[name])
		}
	}

	for _, name := range slices.Sorted(maps.Keys(described)) {
		if _, ok := classes[name]; !ok {
			t.Errorf("%s is described, and is no attribute", name)
		}
	}
}

// describedClasses returns the class of each attribute in the guide, by the names of its
// object and itself.
func describedClasses(t *testing.T) classification {
	t.Helper()
	guide := readPage(t, "docs/guides/personal-data.md")

	described := classification{}
	headings := objectLine.FindAllStringSubmatchIndex(guide, -1)
	for i, heading := range headings {
		end := len(guide)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}

		object := guide[heading[2]:heading[3]]
		for _, line := range attributeLine.FindAllStringSubmatch(guide[heading[1]:end], -1) {
			name := object + ": " + line[1]
			if _, twice := described[name]; twice {
				t.Errorf("%s is described twice", name)
			}
			described[name] = line[2]
		}
	}

	return described
}

// schemaClasses returns the class of each attribute in the schemas, by the same names.
func schemaClasses(t *testing.T) classification {
	t.Helper()
	p := prototest.MustStart(t, prototest.Attributes{
		"base_url": "https://analytics.example.com", "api_secret_key": "invented",
		"org_id": "example-org", "project_id": "example-project",
	})
	schemas := p.Schemas()

	classes := classification{}
	classes.addBlock("Provider block: ", schemas.Provider.Block, words{"provider", "provider, sensitive", ""})
	for name, schema := range schemas.ResourceSchemas {
		classes.addBlock("Resource `"+name+"`: ", schema.Block, words{"open", "sensitive", "write-only"})
	}
	for name, schema := range p.IdentitySchemas() {
		for _, attribute := range schema.IdentityAttributes {
			classes["Resource `"+name+"`: identity."+attribute.Name] = "identity"
		}
	}
	for name, schema := range schemas.DataSourceSchemas {
		classes.addBlock("Data source `"+name+"`: ", schema.Block, words{"open", "sensitive", ""})
	}
	for name, schema := range schemas.EphemeralResourceSchemas {
		classes.addBlock("Ephemeral resource `"+name+"`: ", schema.Block, words{"ephemeral", "ephemeral", ""})
	}
	for name, schema := range schemas.ListResourceSchemas {
		classes.addBlock("List resource `"+name+"`: ", schema.Block, words{"list", "", ""})
	}
	for name, schema := range schemas.ActionSchemas {
		classes.addBlock("Action `"+name+"`: ", schema.Schema.Block, words{"action", "", "action, write-only"})
	}

	return classes
}

// classification is the class of each attribute, by its name.
type classification map[string]string

// words are the names of three classes.
type words struct{ plain, sensitive, writeOnly string }

func (c classification) addBlock(prefix string, block *tfprotov6.SchemaBlock, w words) {
	c.addAttributes(prefix, block.Attributes, w)
	for _, nested := range block.BlockTypes {
		c.addBlock(prefix+nested.TypeName+".", nested.Block, w)
	}
}

func (c classification) addAttributes(prefix string, attributes []*tfprotov6.SchemaAttribute, w words) {
	for _, attribute := range attributes {
		class := w.plain
		if attribute.Sensitive {
			class = w.sensitive
		}
		if attribute.WriteOnly {
			class = w.writeOnly
		}
		c[prefix+attribute.Name] = class

		if attribute.NestedType != nil {
			// What is inside something sensitive is hidden with it.
			c.addAttributes(prefix+attribute.Name+".", attribute.NestedType.Attributes, words{class, w.sensitive, w.writeOnly})
		}
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
