// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

func TestDocs_descriptionsAreShort(t *testing.T) {
	t.Parallel()
	attributes, words := 0, 0
	for _, d := range readSchemas(t) {
		limit := mostWords
		switch d.path {
		case "org_id", "project_id", "account_id", "identity_id":
			limit = repeatedWords
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

// TestDocs_whatCannotBeUndoneIsCalledOut checks the pages of everything that deletes or
// overwrites what only the service holds.
func TestDocs_whatCannotBeUndoneIsCalledOut(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		"resources/consent", "resources/consent_batch", "resources/data_deletion", "resources/profile",
		"actions/clear_profile", "actions/delete_data", "guides/erase-or-hand-out",
	} {
		if !strings.Contains(readPage(t, "docs/"+page+".md"), "\n!> **") {
			t.Errorf("docs/%s.md does not call out what cannot be undone", page)
		}
	}

	for _, page := range []string{"README.md", "docs/index.md"} {
		if !strings.Contains(readPage(t, page), "has not met a live service") {
			t.Errorf("%s does not say that the provider has not met a live service", page)
		}
	}
}

// TestDocs_whatIsReadFirstIsShort counts all words of the pages that carry out a task, also those of
// examples: 2,000 are ten minutes.
func TestDocs_whatIsReadFirstIsShort(t *testing.T) {
	t.Parallel()
	for _, task := range []string{"seed-test-users", "erase-or-hand-out", "nightly-lake", "bring-existing-people"} {
		if words := len(strings.Fields(readPage(t, "docs/guides/"+task+".md"))); words > 2000 {
			t.Errorf("docs/guides/%s.md has %d words, and may have 2000", task, words)
		}
	}

	if lines := strings.Count(readPage(t, "README.md"), "\n"); lines > 90 {
		t.Errorf("README.md has %d lines, and may have 90", lines)
	}
}

// group matches the group under which the registry lists a guide.
var group = regexp.MustCompile(`(?m)^subcategory: "(Start here|How to|Reference)"$`)

func TestDocs_guidesAreInThreeGroups(t *testing.T) {
	t.Parallel()
	for _, guide := range pagesLike(t, "docs/guides/*.md") {
		if !group.MatchString(readPage(t, guide)) {
			t.Errorf("%s is in none of the groups", guide)
		}
	}
}

func TestDocs_everyObjectLeadsToAGuide(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"resources", "data-sources", "ephemeral-resources", "list-resources", "actions", "functions"} {
		for _, page := range pagesLike(t, "docs/"+folder+"/*.md") {
			_, more, found := strings.Cut(readPage(t, page), "\nSee also: ")
			line, _, _ := strings.Cut(more, "\n")
			if !found || !strings.Contains(line, "../guides/") {
				t.Errorf("%s leads to no guide", page)
			}
		}
	}
}

// measured matches a figure that a bench may have measured.
var measured = regexp.MustCompile(`(?i)\d (MB|kB)/s|\d (rows|people|records) per second\b|\bx ?\d\.\d|×\d|\bmeasured [^.]*\d`)

// TestDocs_figuresHaveOnePage allows figures where the bench writes them, and bounds that a page
// calculates before the reader's eyes.
func TestDocs_figuresHaveOnePage(t *testing.T) {
	t.Parallel()
	for _, page := range append(pagesLike(t, "docs/*/*.md"), "README.md", "docs/index.md") {
		if page == "docs/guides/figures.md" || page == "docs/guides/how-it-is-tested.md" {
			continue
		}
		for line := range strings.Lines(readPage(t, page)) {
			if figure := measured.FindString(line); figure != "" && !strings.Contains(line, " = 200 people per second at most") {
				t.Errorf("%s has a figure of its own, %q, which belongs to docs/guides/figures.md", page, figure)
			}
		}
	}
}

var (
	// link matches a link to another page of the repository, or to a heading of a page.
	link = regexp.MustCompile(`\]\(([a-zA-Z0-9_/.-]*)(?:#([a-z0-9_-]+))?\)`)

	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)">`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestDocs_linksLeadToPagesAndHeadings(t *testing.T) {
	t.Parallel()
	pages := pagesLike(t, "*.md")
	for _, pattern := range []string{".github/*.md", "docs/*.md", "docs/*/*.md"} {
		pages = append(pages, pagesLike(t, pattern)...)
	}

	for _, page := range pages {
		for _, target := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			if err := wantTarget(t, page, target[1], target[2]); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// wantTarget returns an error if a page links to a file or a heading that is not there.
func wantTarget(t *testing.T, page, target, fragment string) error {
	t.Helper()
	to := page
	if target != "" {
		to = filepath.Join(filepath.Dir(page), target)
	}
	if _, err := os.Stat(filepath.Join(root, to)); err != nil {
		return fmt.Errorf("the link to %s leads nowhere", target)
	}
	if fragment == "" {
		return nil
	}

	text := readPage(t, to)
	for _, title := range heading.FindAllStringSubmatch(text, -1) {
		if strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(title[1]), ""), " ", "-") == fragment {
			return nil
		}
	}
	for _, id := range anchor.FindAllStringSubmatch(text, -1) {
		if id[1] == fragment {
			return nil
		}
	}

	return fmt.Errorf("%s has no heading #%s", to, fragment)
}

// picture matches a picture with its alternative text.
var picture = regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+)\)`)

// TestDocs_picturesAreThereAndDescribed wants absolute addresses in docs/, since the registry
// shows no picture with a relative one.
func TestDocs_picturesAreThereAndDescribed(t *testing.T) {
	t.Parallel()
	const home = "https://raw.githubusercontent.com/terraform-analytics/terraform-provider-analytics/main/"
	shown := 0
	for _, page := range append(pagesLike(t, "docs/*/*.md"), "README.md", "docs/index.md") {
		for _, p := range picture.FindAllStringSubmatch(readPage(t, page), -1) {
			shown++
			file, absolute := strings.CutPrefix(p[2], home)
			if !absolute && page != "README.md" {
				t.Errorf("%s shows %s, which is not below %s", page, p[2], home)
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s shows a picture that is not there: %v", page, err)
			}
			if len(strings.Fields(p[1])) < 8 {
				t.Errorf("%s does not say what %s shows", page, file)
			}
		}
	}

	if shown == 0 {
		t.Error("no page shows a picture")
	}
}

// pagesLike returns the pages that match a pattern, by their paths from the root.
func pagesLike(t *testing.T, pattern string) (pages []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no pages like %s (%v)", pattern, err)
	}

	for _, path := range found {
		page, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, filepath.ToSlash(page))
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
