// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(*Writer) error {
	return func(w *Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// write creates or replaces the file at path with what writeTo writes.
func write(path string, writeTo func(*Writer) error) (File, error) {
	return writeTarget(Target{Path: path, Replace: true}, writeTo)
}

// create is write for a path without a file.
func create(path string, writeTo func(*Writer) error) (File, error) {
	return writeTarget(Target{Path: path}, writeTo)
}

func writeTarget(target Target, writeTo func(*Writer) error) (File, error) {
	var paths PathsInUse
	r, err := paths.Reserve(target)
	if err != nil {
		return File{}, err
	}
	defer r.Close()

	out, err := r.Writer(0)
	if err != nil {
		return File{}, err
	}
	if err := writeTo(out); err != nil {
		return File{}, err
	}

	files, err := r.Commit()
	if err != nil {
		return File{}, err
	}

	return files[0], nil
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
	if err != nil {
		t.Fatal(err)
	}

	if len(entries) != len(want) {
		t.Errorf("the folder holds %v, want %v", entries, want)
		return
	}

	for i, entry := range entries {
		if entry.Name() != want[i] {
			t.Errorf("the folder holds %v, want %v", entries, want)
		}
	}
}

func TestCommit_forItsOwnerAndDescribed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "jane.json")
	for _, content := range []string{"first", "second, which is longer", ""} {
		written, err := write(path, text(content))
		if err != nil {
			t.Fatal(err)
		}

		if written.SHA256 != digestOf(content) || written.Bytes != int64(len(content)) {
			t.Errorf("written is %v", written)
		}
		if read, err := Read(t.Context(), path); err != nil || read != written {
			t.Errorf("read is %v, %v", read, err)
		}

		wantMode(t, path, 0o600)
	}

	wantFiles(t, folder, "jane.json")
}

func TestCommit_failureLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	failure := errors.New("the source broke off")
	for name, writeTo := range map[string]func(*Writer) error{
		"an error": func(w *Writer) error {
			_, _ = io.WriteString(w, "half")
			return failure
		},
		"a panic": func(w *Writer) error {
			_, _ = io.WriteString(w, "half")
			panic(failure)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "jane.json")
			if _, err := write(path, text("old")); err != nil {
				t.Fatal(err)
			}

			func() {
				defer func() { _ = recover() }()
				if _, err := write(path, writeTo); !errors.Is(err, failure) {
					t.Errorf("it ended with %v", err)
				}
			}()

			wantText(t, path, "old")
			wantFiles(t, folder, "jane.json")
		})
	}
}

func TestCommit_refusesWhatIsNoRegularFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := errors.Join(
		os.Mkdir(at("folder"), 0o700), os.WriteFile(at("target"), []byte("theirs"), 0o644),
		os.Symlink("target", at("link")), os.Symlink("nowhere", at("loose")), os.Symlink("folder", at("to-folder")),
	); err != nil {
		t.Fatal(err)
	}

	// No device of the machine: a test that fails must not replace it.
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	for path, want := range map[string]error{
		at("folder"): ErrNotRegular, at("link"): ErrNotRegular, at("loose"): ErrNotRegular, at("to-folder"): ErrNotRegular,
		at("socket"): ErrNotRegular, at("missing/jane.json"): ErrNoFolder, at("target/jane.json"): ErrFolder,
		at("folder") + "/": ErrNoName, "": ErrNoName, "..": ErrNoName, ".": ErrNoName, at(strings.Repeat("x", 300)): syscall.ENAMETOOLONG,
	} {
		if err := check(path); !errors.Is(err, want) {
			t.Errorf("%q is checked with %v, want %v", path, err, want)
		}
		if _, err := write(path, text("new")); !errors.Is(err, want) {
			t.Errorf("%q is written with %v, want %v", path, err, want)
		}
	}

	wantText(t, at("target"), "theirs")
	if err := check(at("target")); err != nil {
		t.Errorf("a regular file is refused: %v", err)
	}
	wantFiles(t, folder, "folder", "link", "loose", "socket", "target", "to-folder")
	wantFiles(t, at("folder"))
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
		if _, err := Look(path); !errors.Is(err, want) {
			t.Errorf("%q is looked at with %v, want %v", path, err, want)
		}
	}
}

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

// temporaryOf returns the path of the temporary file of a target.
func temporaryOf(path string) string {
	sum := sha256.Sum256([]byte(filepath.Base(path)))
	return filepath.Join(filepath.Dir(path), ".analytics-"+hex.EncodeToString(sum[:8])+".tmp")
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
