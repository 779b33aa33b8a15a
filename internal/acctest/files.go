package acctest

import (
	"os"
	"path/filepath"
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
