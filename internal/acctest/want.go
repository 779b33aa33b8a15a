package acctest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// WantAlone fails the test where anything but the file is in its folder.
func WantAlone(tb testing.TB, path string) {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		tb.Fatal(err)
	}

	for _, entry := range entries {
		if entry.Name() != filepath.Base(path) {
			tb.Errorf("%s was left behind", entry.Name())
		}
	}
}

// WantText fails the test where no text contains all the words.
func WantText(tb testing.TB, texts []string, words ...string) {
	tb.Helper()
	hasAll := func(text string) bool {
		for _, word := range words {
			if !strings.Contains(text, word) {
				return false
			}
		}
		return true
	}

	if !slices.ContainsFunc(texts, hasAll) {
		tb.Errorf("nothing says %q, only:\n%s", words, strings.Join(texts, "\n---\n"))
	}
}

// WantWords fails the test where a command's output lacks any of the words.
func WantWords(tb testing.TB, r Result, words ...string) {
	tb.Helper()
	for _, word := range words {
		if !strings.Contains(r.Words(), word) {
			tb.Errorf("%q is not shown:\n%s", word, r.Output)
		}
	}
}
