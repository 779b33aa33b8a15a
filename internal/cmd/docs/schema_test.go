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
	since := map[string]int{".ResourceIdentitySchemas": 12, ".ListResourceSchemas": 14, ".ActionSchemas": 14} // minor versions of the CLI
	isUnknown := func(at cmp.Path) bool { return acctest.CLI.Minor < since[at.Last().String()] }
	for _, theirs := range printed.Schemas {
		if diff := cmp.Diff(theirs, reread.Schemas[address], sameType, cmpopts.EquateEmpty(), cmp.FilterPath(isUnknown, cmp.Ignore())); diff != "" {
			t.Errorf("the schemas differ (-printed +ours):\n%s", diff)
		}
	}
}
