// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// TestCLISchema_isWhatTheCLIPrints compares the schemas with those that Terraform prints
// of the same provider, as far as Terraform knows of them.
func TestCLISchema_isWhatTheCLIPrints(t *testing.T) {
	t.Parallel()
	cli := clitest.New(t, "", nil)
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	var printed struct {
		Schemas map[string]*tfjson.ProviderSchema `json:"provider_schemas"`
	}
	if err := json.Unmarshal([]byte(cli.MustRun("providers", "schema", "-json").Output), &printed); err != nil {
		t.Fatal(err)
	}
	if len(printed.Schemas) != 1 {
		t.Fatalf("%d providers are in use", len(printed.Schemas))
	}

	text, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var reread tfjson.ProviderSchemas
	if err := json.Unmarshal(text, &reread); err != nil {
		t.Fatal(err)
	}

	sameType := cmp.Comparer(func(a, b cty.Type) bool { return a.Equals(b) })
	for _, theirs := range printed.Schemas {
		ours := reread.Schemas[address]
		for section, part := range map[string]struct {
			since        int // the minor version of the CLI
			theirs, ours any
		}{
			"provider":            {0, theirs.ConfigSchema, ours.ConfigSchema},
			"resources":           {0, theirs.ResourceSchemas, ours.ResourceSchemas},
			"data sources":        {0, theirs.DataSourceSchemas, ours.DataSourceSchemas},
			"functions":           {0, theirs.Functions, ours.Functions},
			"ephemeral resources": {0, theirs.EphemeralResourceSchemas, ours.EphemeralResourceSchemas},
			"identities":          {12, theirs.ResourceIdentitySchemas, ours.ResourceIdentitySchemas},
			"list resources":      {14, theirs.ListResourceSchemas, ours.ListResourceSchemas},
			"actions":             {14, theirs.ActionSchemas, ours.ActionSchemas},
		} {
			if acctest.CLI.Minor < part.since {
				continue
			}
			if diff := cmp.Diff(part.theirs, part.ours, sameType, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s differ (-printed +ours):\n%s", section, diff)
			}
		}
	}
}
