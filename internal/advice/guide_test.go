// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var testName = regexp.MustCompile("`(Test[A-Za-z0-9]+_[A-Za-z0-9]+)`")

// TestGuide_eachGuaranteeNamesItsTests reads the table of guarantees in the guide.
func TestGuide_eachGuaranteeNamesItsTests(t *testing.T) {
	t.Parallel()

	guide, err := os.ReadFile("../../templates/guides/erasure-and-access.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "| guarantee | how | tested by |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if !found || table == "" {
		t.Fatal("the guide has no table of guarantees")
	}

	tests := map[string]bool{}
	for test := range readSource(t).tests {
		_, name, _ := strings.Cut(test, ".")
		tests[name] = true
	}
	for line := range strings.Lines(table) {
		named := testName.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("no test is named for %s", line)
		}
		for _, name := range named {
			if !tests[name[1]] {
				t.Errorf("%s does not exist", name[1])
			}
		}
	}
}
