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

// writeTexts writes one text to each output, in order.
func writeTexts(t *testing.T, outputs []*Output, texts ...string) {
	t.Helper()
	for i, content := range texts {
		err := outputs[i].Begin()
		if err == nil {
			_, err = io.WriteString(outputs[i], content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// reserveAll reserves targets until one fails.
func reserveAll(paths *PathsInUse, targets ...Target) (outputs []*Output, err error) {
	for _, target := range targets {
		o, err := paths.Reserve(target)
		if err != nil {
			return outputs, err
		}
		outputs = append(outputs, o)
	}

	return outputs, nil
}

func closeAll(outputs []*Output) {
	for _, o := range outputs {
		o.Close()
	}
}

func reserve(t *testing.T, paths *PathsInUse, targets ...Target) []*Output {
	t.Helper()
	outputs, err := reserveAll(paths, targets...)
	t.Cleanup(func() { closeAll(outputs) })
	if err != nil {
		t.Fatal(err)
	}

	return outputs
}

// wantText fails the test if a file has another text or mode. Windows keeps no such modes.
func wantText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	info, missing := os.Stat(path)
	if err != nil || missing != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	} else if info.Mode() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%s has the mode %v", path, info.Mode())
	}
}

// commit commits and closes outputs, and confirms their files.
func commit(t *testing.T, outputs []*Output) []File {
	t.Helper()
	files, err := Commit(outputs...)
	if err != nil {
		t.Fatal(err)
	}

	closeAll(outputs)
	for _, o := range outputs {
		Confirm(o.Path)
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
	for other, want := range map[string]error{path: ErrAltered, folder: ErrNotRegular} {
		if err := paths.Remove(t.Context(), other, digestOf("ours")); !errors.Is(err, want) {
			t.Errorf("what is not ours is removed with %v, want %v", err, want)
		}
	}
	put(t, temporaryOf(path), "Jane Canary") // of a killed process
	put(t, path, "ours")

	for range 2 {
		if err := paths.Remove(t.Context(), path, digestOf("ours")); err != nil {
			t.Errorf("our file is not removed: %v", err)
		}
	}

	closeAll(reserve(t, &paths, Target{Path: path})) // as an object does that is created instead
	wantFiles(t, folder)
}
