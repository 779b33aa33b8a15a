// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// How many words a description has at most, those of attributes have on average, and those
// that every object repeats have.
const (
	mostWords     = 40
	meanWords     = 18
	repeatedWords = 20
)

func TestDocs_descriptionsAreShortSentences(t *testing.T) {
	t.Parallel()
	sentences := regexp.MustCompile(`^[A-Z].*\.$`)
	attributes, words := 0, 0
	for _, d := range readSchemas(t) {
		limit := mostWords
		switch d.path {
		case "org_id", "project_id", "account_id", "identity_id":
			limit = repeatedWords
		}

		if !sentences.MatchString(d.description) {
			t.Errorf("%s: %s is described as %q", d.object, d.path, d.description)
		}
		n := len(strings.Fields(d.description))
		if n > limit {
			t.Errorf("%s: %s is described in %d words, and may have %d: %s", d.object, d.path, n, limit, d.description)
		}
		if d.class != "" {
			attributes, words = attributes+1, words+n
		}
	}

	if words > attributes*meanWords {
		t.Errorf("%d attributes are described in %d words, more than %d each", attributes, words, meanWords)
	}
}

// home is where pictures are: the registry shows none with a relative address.
const home = "https://raw.githubusercontent.com/terraform-analytics/terraform-provider-analytics/main/"

// TestDocs_pagesKeepTheRules compares pages with a pattern that each has, or that none has.
func TestDocs_pagesKeepTheRules(t *testing.T) {
	t.Parallel()
	for rule, tc := range map[string]struct {
		pages   []string
		has     bool
		pattern string
	}{
		"what deletes or overwrites what only the service holds calls that out": {
			[]string{
				"docs/resources/consent*.md", "docs/resources/data_deletion.md", "docs/resources/profile.md",
				"docs/actions/clear_profile.md", "docs/actions/delete_data.md", "docs/guides/erase-or-hand-out.md",
			}, true, `\n!> \*\*`,
		},
		"what is read first says that the provider has not met a live service": {[]string{"README.md", "docs/index.md"}, true, `has not met a live service`},
		"README has at most 90 lines":                                          {[]string{"README.md"}, false, `(?s)(.*\n){91}`},
		"a guide is in a group":                                                {[]string{"docs/guides/*.md"}, true, `(?m)^subcategory: "(Start here|How to|Reference)"$`},
		"every object leads to a guide":                                        {[]string{"docs/[adefrl]*s/*.md"}, true, `(?m)^See also: .*\.\./guides/`},

		"figures have a page of their own": {
			[]string{"README.md", "docs/index.md", "docs/[adefrl]*s/*.md", "docs/guides/[a-eg]*.md", "docs/guides/first-day.md", "docs/guides/[i-z]*.md"},
			false,
			`(?i)\d (MB|kB)/s|\d MB per |\d (rows|people|records) per second\b|\bx ?\d\.\d|×\d|\bmeasured [^.]*\d`,
		},
		"the provider is required in a version": {
			[]string{"README.md", "docs/index.md", "docs/*/*.md", "examples/*/*.tf", "examples/*/*/*.tf", "examples/*/*/*/*.tf", "examples/*/*/*/*/*.tf"}, false, `source += "terraform-analytics/analytics"\n *[^ v]`,
		},
		"a picture is described in eight words or more":   {[]string{"README.md", "docs/*.md", "docs/*/*.md"}, false, `!\[(\S+ ){0,6}\S+\]`},
		"a picture of the registry has its whole address": {[]string{"docs/*.md", "docs/*/*.md"}, false, `!\[[^\]]*\]\([^h]`},
	} {
		pattern := regexp.MustCompile(tc.pattern)
		for _, page := range pagesLike(t, tc.pages...) {
			// A page calculates this bound before the reader's eyes.
			text := strings.ReplaceAll(readPage(t, page), " = 200 people per second at most", "")
			if pattern.MatchString(text) != tc.has {
				t.Errorf("%s: %s", page, rule)
			}
		}
	}

	for _, task := range pagesLike(t, "docs/guides/seed-test-users.md", "docs/guides/erase-or-hand-out.md", "docs/guides/nightly-lake.md", "docs/guides/bring-existing-people.md") {
		if n := len(strings.Fields(readPage(t, task))); n > 2000 { // ten minutes
			t.Errorf("%s has %d words", task, n)
		}
	}
}

// link matches a link to another page or a picture of the repository, or to a heading of a page.
var link = regexp.MustCompile(`\]\(((?:` + regexp.QuoteMeta(home) + `)?)([a-zA-Z0-9_/.-]*)(?:#([a-z0-9_-]+))?\)`)

func TestDocs_linksLeadToPagesAndHeadings(t *testing.T) {
	t.Parallel()
	for _, page := range pagesLike(t, "*.md", ".github/*.md", "docs/*.md", "docs/*/*.md") {
		for _, target := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			to := page
			if target[1] != "" {
				to = target[2]
			} else if target[2] != "" {
				to = filepath.Join(filepath.Dir(page), target[2])
			}

			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, target[0])
			} else if target[3] != "" && !slices.Contains(fragments(readPage(t, to)), target[3]) {
				t.Errorf("%s: %s has no heading #%s", page, to, target[3])
			}
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$|<a id="([^"]+)">`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// fragments returns the parts of a page that a link can name.
func fragments(text string) (all []string) {
	for _, title := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, title[2], strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(title[1]), ""), " ", "-"))
	}
	return all
}

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

// TestGuide_eachGuaranteeNamesItsTests reads the table of guarantees in a guide, and looks for the tests.
func TestGuide_eachGuaranteeNamesItsTests(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(readPage(t, "templates/guides/erasure-and-access.md.tmpl"), "| guarantee | how | tested by |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if table == "" {
		t.Fatal("the guide has no table of guarantees")
	}

	tests := ""
	for _, file := range pagesLike(t, "internal/*/*_test.go", "internal/*/*/*_test.go") {
		tests += readPage(t, file)
	}
	testName := regexp.MustCompile("`(Test[A-Za-z0-9]+_[A-Za-z0-9]+)`")
	for line := range strings.Lines(table) {
		named := testName.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("no test is named for %s", line)
		}
		for _, name := range named {
			if !strings.Contains(tests, "\nfunc "+name[1]+"(") {
				t.Errorf("%s does not exist", name[1])
			}
		}
	}
}

// pagesLike returns the pages that match patterns, by their paths from the root.
func pagesLike(t *testing.T, patterns ...string) (pages []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("there are no pages like %s (%v)", pattern, err)
		}
		pages = append(pages, found...)
	}

	return pages
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
