// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// writeTexts writes one text to each target of a reservation, in order.
func writeTexts(t *testing.T, r *Reservation, texts ...string) {
	t.Helper()
	for i, content := range texts {
		w, err := r.Writer(i)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func reserve(t *testing.T, paths *PathsInUse, targets ...Target) *Reservation {
	t.Helper()
	r, err := paths.Reserve(targets...)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(r.Close)
	return r
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
}

// wantMode fails the test if a file or folder has another mode. Windows keeps no such modes.
func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode() != want && runtime.GOOS != "windows" {
		t.Errorf("%s has the mode %v (%v)", path, info.Mode(), err)
	}
}

// commit commits and closes a reservation, and confirms its files.
func commit(t *testing.T, r *Reservation) []File {
	t.Helper()
	targets := r.targets
	files, err := r.Commit()
	if err != nil {
		t.Fatal(err)
	}

	r.Close()
	for _, target := range targets {
		Confirm(target.Path)
	}

	return files
}

// put writes a file without the package.
func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// check returns why the file at path cannot be written, and leaves nothing behind.
func check(path string) error {
	var paths PathsInUse
	r, err := paths.Reserve(Target{Path: path, Replace: true})
	if err == nil {
		r.Close()
	}
	return err
}

// wantFiles fails the test if the folder holds other files.
func wantFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, %v; want %q", names, err, want)
	}
}

// temporaryOf returns the path of the temporary file of a target.
func temporaryOf(path string) string {
	sum := sha256.Sum256([]byte(filepath.Base(path)))
	return filepath.Join(filepath.Dir(path), ".analytics-"+hex.EncodeToString(sum[:8])+".tmp")
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestRead_missingIsNotSomethingElse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}

	for path, want := range map[string]error{
		filepath.Join(folder, "missing"): fs.ErrNotExist, filepath.Join(folder, "no", "folder"): fs.ErrNotExist,
		filepath.Join(folder, "link"): ErrNotRegular, folder: ErrNotRegular, "/dev/zero": ErrNotRegular,
	} {
		if _, err := Read(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("%q is read with %v, want %v", path, err, want)
		}
		if _, err := StampAt(path); !errors.Is(err, want) {
			t.Errorf("%q has a stamp, with %v, want %v", path, err, want)
		}
	}
}

func TestRemove_onlyWhatWasWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day.ndjson")
	put(t, path, "theirs")
	var paths PathsInUse
	for _, other := range []string{path, folder} {
		if removed, err := paths.Remove(t.Context(), other, digestOf("ours")); removed || err != nil {
			t.Errorf("what is not ours: removed %t, %v", removed, err)
		}
	}
	put(t, temporaryOf(path), "Jane Canary") // of a killed process
	put(t, path, "ours")

	for range 2 {
		if removed, err := paths.Remove(t.Context(), path, digestOf("ours")); !removed || err != nil {
			t.Errorf("our file: removed %t, %v", removed, err)
		}
	}

	reserve(t, &paths, Target{Path: path}).Close() // as an object does that is created instead
	wantFiles(t, folder)
}
