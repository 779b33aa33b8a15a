// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// fenced matches a block of code, with its language and its text.
var fenced = regexp.MustCompile("(?s)\n[ \t]*```(terraform|hcl)\n(.*?)\n[ \t]*```\n")

// TestGuides_showExamplesOnly checks that what a guide shows of this provider is the
// text of a file under examples/, which is applied, queried or tested.
func TestGuides_showExamplesOnly(t *testing.T) {
	t.Parallel()
	examples := map[string]bool{}
	for _, path := range exampleFiles(t, ".tf", queryFile, ".tftest.hcl") {
		examples[strings.TrimSpace(readPage(t, "examples/"+path))] = true
	}

	for _, guide := range pagesLike(t, "docs/guides/*.md") {
		for _, block := range fenced.FindAllStringSubmatch(readPage(t, guide), -1) {
			language, code := block[1], strings.TrimSpace(block[2])
			if language == "terraform" && !examples[code] {
				t.Errorf("%s shows what is not applied anywhere, use tffile with a file of examples/:\n%s", guide, code)
			}
			if language == "hcl" && strings.Contains(code, `"analytics_`) {
				t.Errorf("%s shows an object of this provider as hcl, which nothing applies:\n%s", guide, code)
			}
		}
	}
}

// TestExamples_seedsAreUnderstood reads the seeds of all examples, also of those that only show
// one.
func TestExamples_seedsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, path := range exampleFiles(t, "/seed.json") {
		if _, err := mockserver.ReadSeed([]byte(readPage(t, "examples/"+path))); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
