package examples_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

// The lines of the guide: what an attribute belongs to, and where its value goes.
var (
	objectLine    = regexp.MustCompile("(?m)^### ((?:Provider block|Resource|Data source|Ephemeral resource).*)$")
	attributeLine = regexp.MustCompile("(?m)^\\| `([a-z0-9_.]+)` \\| [^|]+ \\| ([^|]+) \\|$")
)

func TestThePersonalDataGuideHasEveryAttributeInTheRightClass(t *testing.T) {
	t.Parallel()
	described := describedClasses(t)
	classes := schemaClasses(t)
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		switch got, ok := described[name]; {
		case !ok:
			t.Errorf("templates/guides/personal-data.md.tmpl lacks %s, which is %q", name, classes[name])
		case got != classes[name]:
			t.Errorf("%s is called %q, and is %q", name, got, classes[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(described)) {
		if _, ok := classes[name]; !ok {
			t.Errorf("%s is described, and is no attribute", name)
		}
	}
}

// describedClasses reads the guide. An attribute is named by its object and itself.
func describedClasses(t *testing.T) map[string]string {
	t.Helper()
	guide, err := os.ReadFile(root + "/docs/guides/personal-data.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	headings := objectLine.FindAllSubmatchIndex(guide, -1)
	for i, heading := range headings {
		end := len(guide)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		object := string(guide[heading[2]:heading[3]])
		for _, line := range attributeLine.FindAllSubmatch(guide[heading[1]:end], -1) {
			name := object + ": " + string(line[1])
			if _, twice := described[name]; twice {
				t.Errorf("%s is described twice", name)
			}
			described[name] = string(line[2])
		}
	}
	return described
}

// schemaClasses is what the schemas say of the same names.
func schemaClasses(t *testing.T) map[string]string {
	t.Helper()
	schemas := acctest.MustStart(t, acctest.Attributes{
		"base_url": "https://analytics.example.com", "api_secret_key": "invented",
		"org_id": "example-org", "project_id": "example-project",
	}).Schemas()
	classes := map[string]string{}
	classify(classes, "Provider block: ", "provider", "provider, sensitive", schemas.Provider.Block)
	for name, schema := range schemas.ResourceSchemas {
		classify(classes, "Resource `"+name+"`: ", "open", "sensitive", schema.Block)
	}
	for name, schema := range schemas.DataSourceSchemas {
		classify(classes, "Data source `"+name+"`: ", "open", "sensitive", schema.Block)
	}
	for name, schema := range schemas.EphemeralResourceSchemas {
		classify(classes, "Ephemeral resource `"+name+"`: ", "ephemeral", "ephemeral", schema.Block)
	}
	return classes
}

func classify(classes map[string]string, prefix, plain, sensitive string, block *tfprotov6.SchemaBlock) {
	classifyAttributes(classes, prefix, plain, sensitive, block.Attributes)
	for _, nested := range block.BlockTypes {
		classify(classes, prefix+nested.TypeName+".", plain, sensitive, nested.Block)
	}
}

func classifyAttributes(classes map[string]string, prefix, plain, sensitive string, attributes []*tfprotov6.SchemaAttribute) {
	for _, attribute := range attributes {
		class := plain
		switch {
		case attribute.WriteOnly:
			class = "write-only"
		case attribute.Sensitive:
			class = sensitive
		}
		classes[prefix+attribute.Name] = class
		if attribute.NestedType != nil {
			// What is inside something sensitive is hidden with it.
			classifyAttributes(classes, prefix+attribute.Name+".", class, sensitive, attribute.NestedType.Attributes)
		}
	}
}
