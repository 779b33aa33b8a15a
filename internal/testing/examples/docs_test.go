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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
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

// The patterns of the matters that pages must or must not have.
var (
	group    = regexp.MustCompile(`(?m)^subcategory: "(Start here|How to|Reference)"$`) // under which the registry lists a guide
	seeAlso  = regexp.MustCompile(`(?m)^See also: .*\.\./guides/`)
	measured = regexp.MustCompile(`(?i)\d (MB|kB)/s|\d MB per |\d (rows|people|records) per second\b|\bx ?\d\.\d|×\d|\bmeasured [^.]*\d`)
	picture  = regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+)\)`)
)

// home is where pictures are: the registry shows none with a relative address.
const home = "https://raw.githubusercontent.com/terraform-analytics/terraform-provider-analytics/main/"

func TestDocs_pagesKeepTheRules(t *testing.T) {
	t.Parallel()
	guides, all := pagesLike(t, "docs/guides/*.md"), pagesLike(t, "README.md", "docs/index.md", "docs/*/*.md")
	except := func(pages []string, others ...string) []string {
		return slices.DeleteFunc(slices.Clone(pages), func(page string) bool { return slices.Contains(others, page) })
	}
	has := func(words string) func(string) bool {
		return func(text string) bool { return strings.Contains(text, words) }
	}

	pictures := func(keep func(match []string) bool) func(string) bool {
		return func(text string) bool {
			return !slices.ContainsFunc(picture.FindAllStringSubmatch(text, -1), func(match []string) bool { return !keep(match) })
		}
	}

	for rule, tc := range map[string]struct {
		pages []string
		keeps func(text string) bool
	}{
		"what deletes or overwrites what only the service holds calls that out": {
			pagesLike(t, "docs/resources/consent*.md", "docs/resources/data_deletion.md", "docs/resources/profile.md",
				"docs/actions/clear_profile.md", "docs/actions/delete_data.md", "docs/guides/erase-or-hand-out.md"), has("\n!> **"),
		},
		"what is read first says that the provider has not met a live service": {
			[]string{"README.md", "docs/index.md"}, has("has not met a live service"),
		},

		// All words count, also those of examples: 2,000 are ten minutes.
		"a task has at most 2,000 words": {
			pagesLike(t, "docs/guides/seed-test-users.md", "docs/guides/erase-or-hand-out.md", "docs/guides/nightly-lake.md",
				"docs/guides/bring-existing-people.md"),
			func(text string) bool { return len(strings.Fields(text)) <= 2000 },
		},
		"README has at most 90 lines":   {[]string{"README.md"}, func(text string) bool { return strings.Count(text, "\n") <= 90 }},
		"README shows a picture":        {[]string{"README.md"}, picture.MatchString},
		"a guide is in a group":         {guides, group.MatchString},
		"every object leads to a guide": {except(pagesLike(t, "docs/*/*.md"), guides...), seeAlso.MatchString},

		// Figures are where the bench writes them, apart from a bound that a page calculates before the reader's eyes.
		"figures have a page of their own": {
			except(all, "docs/guides/figures.md", "docs/guides/how-it-is-tested.md"),
			func(text string) bool {
				return !measured.MatchString(strings.ReplaceAll(text, " = 200 people per second at most", ""))
			},
		},
		"a picture is described in eight words or more": {all, pictures(func(p []string) bool { return len(strings.Fields(p[1])) >= 8 })},
		"a picture of the registry has its whole address": {
			except(all, "README.md"), pictures(func(p []string) bool { return strings.HasPrefix(p[2], home) }),
		},
	} {
		for _, page := range tc.pages {
			if !tc.keeps(readPage(t, page)) {
				t.Errorf("%s: %s", page, rule)
			}
		}
	}
}

var (
	// link matches a link to another page or a picture of the repository, or to a heading of a page.
	link = regexp.MustCompile(`\]\((?:` + regexp.QuoteMeta(home) + `)?([a-zA-Z0-9_/.-]*)(?:#([a-z0-9_-]+))?\)`)

	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)">`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestDocs_linksLeadToPagesAndHeadings(t *testing.T) {
	t.Parallel()
	for _, page := range pagesLike(t, "*.md", ".github/*.md", "docs/*.md", "docs/*/*.md") {
		for _, target := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			to := page
			if strings.Contains(target[0], home) {
				to = target[1]
			} else if target[1] != "" {
				to = filepath.Join(filepath.Dir(page), target[1])
			}

			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, target[1])
			} else if target[2] != "" && !slices.Contains(fragments(readPage(t, to)), target[2]) {
				t.Errorf("%s: %s has no heading #%s", page, to, target[2])
			}
		}
	}
}

// fragments returns the parts of a page that a link can name.
func fragments(text string) (all []string) {
	for _, title := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(title[1]), ""), " ", "-"))
	}
	for _, id := range anchor.FindAllStringSubmatch(text, -1) {
		all = append(all, id[1])
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

func TestExamples_providersHaveAVersion(t *testing.T) {
	t.Parallel()
	ours := regexp.MustCompile(`source += "terraform-analytics/analytics"\n(.*)`)
	version := regexp.MustCompile(`^ +version = "~> `)

	pages := pagesLike(t, "README.md", "docs/index.md", "docs/*/*.md")
	err := filepath.WalkDir(filepath.Join(root, "examples"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".tf" {
			page, _ := filepath.Rel(root, path)
			pages = append(pages, page)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	for _, page := range pages {
		for _, block := range ours.FindAllStringSubmatch(readPage(t, page), -1) {
			if !version.MatchString(block[1]) {
				t.Errorf("%s: the provider is required without a version", page)
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
