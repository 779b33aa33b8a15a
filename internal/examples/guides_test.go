// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// fenced matches a block of code, with its language and its text.
var fenced = regexp.MustCompile("(?s)\n[ \t]*```(terraform|hcl)\n(.*?)\n[ \t]*```\n")

// TestGuides_showExamplesOnly checks that what a guide shows of this provider is the
// text of a file under examples/, which is applied.
func TestGuides_showExamplesOnly(t *testing.T) {
	t.Parallel()
	examples := exampleTexts(t)
	guides, err := filepath.Glob(root + "/docs/guides/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides (%v)", err)
	}

	for _, guide := range guides {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}

		for _, block := range fenced.FindAllStringSubmatch(string(text), -1) {
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

// exampleTexts returns the texts of all files that TestCLIExamples applies or queries, and
// that TestCLIModules tests.
func exampleTexts(t *testing.T) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	err := filepath.WalkDir(root+"/examples", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".tf" && !strings.HasSuffix(path, queryFile) && !strings.HasSuffix(path, ".tftest.hcl") {
			return err
		}

		text, err := os.ReadFile(path)
		texts[strings.TrimSpace(string(text))] = true

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return texts
}

// TestExamples_seedsAreUnderstood reads the seeds of all examples, also of those that only show
// one.
func TestExamples_seedsAreUnderstood(t *testing.T) {
	t.Parallel()
	seeds := 0
	err := filepath.WalkDir(root+"/examples", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "seed.json" {
			return err
		}
		seeds++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := mockserver.ReadSeed(bytes.NewReader(text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}

		return nil
	})
	if err != nil || seeds == 0 {
		t.Errorf("%d seeds were read: %v", seeds, err)
	}
}
