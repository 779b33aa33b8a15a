// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReservation_discardForgets(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day.ndjson")
	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: path})
	writeTexts(t, r, "a first try that is longer")
	r.Discard(0)
	if w, err := r.Writer(0); err != nil || w.n != 0 {
		t.Errorf("bytes are left, %v", err)
	}

	writeTexts(t, r, "second")
	files := commit(t, r)
	wantText(t, path, "second")
	if read, err := Read(t.Context(), path); err != nil || read != files[0] || read.Bytes != 6 {
		t.Errorf("read is %v, %v", read, err)
	}
	wantFiles(t, folder, "day.ndjson")
}

func TestRemove_onlyWhatWasWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day.ndjson")
	var paths PathsInUse
	written, err := create(path, text("ours"))
	if err != nil {
		t.Fatal(err)
	}

	put(t, path, "theirs")

	if gone, err := paths.Remove(t.Context(), path, written.SHA256); gone || err != nil {
		t.Errorf("an altered file: gone %t, %v", gone, err)
	}
	if gone, err := paths.Remove(t.Context(), folder, written.SHA256); gone || err != nil {
		t.Errorf("a folder: gone %t, %v", gone, err)
	}
	put(t, temporaryOf(path), "Jane Canary") // of a killed process
	put(t, path, "ours")

	for range 2 {
		if gone, err := paths.Remove(t.Context(), path, written.SHA256); !gone || err != nil {
			t.Errorf("our file: gone %t, %v", gone, err)
		}
	}

	wantFiles(t, folder)
}

func TestPathsInUse_anySpellingOfAPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "real"), 0o700), os.Symlink("real", filepath.Join(folder, "link"))); err != nil {
		t.Fatal(err)
	}

	var paths PathsInUse
	release, err := paths.take(filepath.Join(folder, "real", "day"))
	if err != nil {
		t.Fatal(err)
	}

	for _, spelled := range []string{folder + "/real/day", folder + "/real/../real/./day", folder + "/link/day"} {
		if _, err := paths.take(spelled); !errors.Is(err, ErrInUse) {
			t.Errorf("%s is free", spelled)
		}
	}

	if _, err := paths.take(filepath.Join(folder, "day")); err != nil {
		t.Error("another path is taken")
	}

	release()
	if _, err := paths.take(folder + "/link/day"); err != nil {
		t.Error("it is still taken")
	}
}
