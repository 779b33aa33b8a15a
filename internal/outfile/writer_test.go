package outfile

import (
	"bytes"
	"errors"
	"io"
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
	if w, err := r.Writer(0); err != nil || w.Size() != 0 {
		t.Errorf("bytes are left, %v", err)
	}

	writeTexts(t, r, "second")
	files, err := r.Commit()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	wantText(t, path, "second")
	if read, err := Read(t.Context(), path); err != nil || read != files[0] || read.Bytes != 6 {
		t.Errorf("read is %v, %v", read, err)
	}
	wantFiles(t, folder, "day.ndjson")
}

func TestWriter_fullDiskKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day.ndjson")
	if _, err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}

	looks := 0
	_, err := Write(path, func(out *Writer) error {
		out.free = func(*os.File) (int64, bool) {
			looks++
			return spaceMargin + 2*spaceStep - out.n, true
		}
		_, err := io.Copy(out, endless{})
		return err
	})
	if !errors.Is(err, ErrNoSpace) || looks < 3 {
		t.Errorf("it ended with %v after %d looks", err, looks)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
		t.Errorf("the old file is %q, %v", content, err)
	}
	wantFiles(t, folder, "day.ndjson")
}

func TestWriter_smallFileOnAnAlmostFullDisk(t *testing.T) {
	t.Parallel()
	_, err := Write(filepath.Join(t.TempDir(), "day.ndjson"), func(out *Writer) error {
		out.free = func(*os.File) (int64, bool) { return 1, true }
		_, err := out.Write(bytes.Repeat([]byte("x"), spaceStep-1))
		return errors.Join(err, text("x")(out))
	})
	if err != nil {
		t.Error(err)
	}
}

func TestFreeSpace_isKnownOrNot(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if free, known := freeSpace(f); known && free <= 0 {
		t.Errorf("%d bytes are free", free)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestCreate_neverReplaces(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day.ndjson")
	if err := CheckNew(path); err != nil {
		t.Error(err)
	}

	// Somebody else is faster.
	_, err := Create(path, func(out *Writer) error {
		return errors.Join(text("ours")(out), os.WriteFile(path, []byte("theirs"), 0o600))
	})
	if !errors.Is(err, ErrExists) {
		t.Errorf("it ended with %v", err)
	}
	if err := CheckNew(path); !errors.Is(err, ErrExists) {
		t.Errorf("it is checked with %v", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs" {
		t.Errorf("the file holds %q, %v", content, err)
	}
	wantFiles(t, folder, "day.ndjson")
	if _, err := Create(filepath.Join(folder, "new"), text("new")); err != nil {
		t.Error(err)
	}
	wantFiles(t, folder, "day.ndjson", "new")
}

func TestRemove_onlyWhatWasWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day.ndjson")
	var paths PathsInUse
	written, err := Create(path, text("ours"))
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	if gone, err := paths.Remove(t.Context(), path, written.SHA256); gone || err != nil {
		t.Errorf("an altered file: gone %t, %v", gone, err)
	}
	if gone, err := paths.Remove(t.Context(), folder, written.SHA256); gone || err != nil {
		t.Errorf("a folder: gone %t, %v", gone, err)
	}
	if err := os.WriteFile(path, []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}

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
	release, free := paths.Take(filepath.Join(folder, "real", "day"))
	if !free {
		t.Fatal("the first has to get it")
	}

	for _, spelled := range []string{folder + "/real/day", folder + "/real/../real/./day", folder + "/link/day"} {
		if _, free := paths.Take(spelled); free {
			t.Errorf("%s is free", spelled)
		}
	}

	if _, free := paths.Take(filepath.Join(folder, "day")); !free {
		t.Error("another path is taken")
	}

	release()
	if _, free := paths.Take(folder + "/link/day"); !free {
		t.Error("it is still taken")
	}
}
