// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCommit_severalFilesAppearTogether writes a file whose first try was longer, one that replaces
// another, an empty one, and one that is discarded.
func TestCommit_severalFilesAppearTogether(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	put(t, at("b"), "old")

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: at("a")}, Target{Path: at("b"), Replace: true}, Target{Path: at("c")}, Target{Path: at("discarded")})
	writeTexts(t, r, "a first try that is longer")
	writeTexts(t, r, "new a", "new b", "", "of the first try")
	r.Discard(3)
	if _, err := os.Lstat(at("a")); err == nil {
		t.Error("a is there before it is committed")
	}
	wantText(t, at("b"), "old")

	files := commit(t, r)
	wantFiles(t, folder, "a", "b", "c")
	for i, want := range []string{"new a", "new b", ""} {
		path := at([]string{"a", "b", "c"}[i])
		wantText(t, path, want)
		wantMode(t, path, 0o600)
		if written := (File{digestOf(want), int64(len(want)), files[i].Stamp}); files[i] != written {
			t.Errorf("%s was written as %v", path, files[i])
		}
		if read, err := Read(t.Context(), path); err != nil || read != files[i] {
			t.Errorf("%s is %v, %v; written was %v", path, read, err, files[i])
		}
		if stamp, err := Look(path); err != nil || stamp != files[i].Stamp {
			t.Errorf("%s looks like %v, %v; written was %v", path, stamp, err, files[i].Stamp)
		}
	}

	if files[3] != (File{}) {
		t.Errorf("a target without a writer is %v", files[3])
	}
}

// TestCommit_failureInTheMiddle lets the second of two files fail, after the first one was put
// in place.
func TestCommit_failureInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		old     bool // a file is replaced by the first one
		partial bool
		left    []string
	}{
		{"the first is new", false, false, []string{"b"}},
		{"the first replaces one", true, true, []string{"a", "b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			at := func(name string) string { return filepath.Join(folder, name) }
			if tc.old {
				put(t, at("a"), "old")
			}

			var paths PathsInUse
			r := reserve(t, &paths, Target{Path: at("a"), Replace: tc.old}, Target{Path: at("b")})
			writeTexts(t, r, "new a", "new b")
			put(t, at("b"), "theirs")

			_, err := r.Commit()
			target, ok := errors.AsType[*TargetError](err)
			if !errors.Is(err, ErrExists) || errors.Is(err, ErrPartial) != tc.partial || !ok || target.Target != 1 {
				t.Errorf("it ended with %v", err)
			}
			r.Close()
			wantText(t, at("b"), "theirs")
			wantFiles(t, folder, tc.left...)
			if _, err := paths.Reserve(Target{Path: at("a"), Replace: true}); err != nil {
				t.Errorf("the path is still in use: %v", err)
			}
		})
	}
}

// TestCommit_withoutAWriter covers the optional file of a set: one of an earlier set must not
// stay among the new ones.
func TestCommit_withoutAWriter(t *testing.T) {
	t.Parallel()
	for _, replace := range []bool{false, true} {
		folder := t.TempDir()
		at := func(name string) string { return filepath.Join(folder, name) }
		var paths PathsInUse
		r := reserve(t, &paths, Target{Path: at("a"), Replace: replace}, Target{Path: at("unknown"), Replace: replace})
		writeTexts(t, r, "new a")
		put(t, at("unknown"), "of another day")

		commit(t, r)
		if replace {
			wantFiles(t, folder, "a")
		} else {
			wantFiles(t, folder, "a", "unknown")
		}
	}
}

func TestReserve_oneObjectAtATime(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, "real"), 0o700), os.Symlink("real", filepath.Join(root, "link"))); err != nil {
		t.Fatal(err)
	}
	path, spelled := root+"/real/day", []string{root + "/real/day", root + "/real/../real/./day", root + "/link/day"}
	var paths, otherRun PathsInUse
	r := reserve(t, &paths, Target{Path: path})
	if _, err := otherRun.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrBusy) {
		t.Errorf("another run: %v", err)
	}
	wantInUse := func(spelled ...string) {
		for _, path := range spelled {
			if _, err := paths.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrInUse) {
				t.Errorf("another object of the run, at %s: %v", path, err)
			}
		}
	}

	wantInUse(spelled...)
	writeTexts(t, r, "first")
	if _, err := r.Commit(); err != nil {
		t.Fatal(err)
	}
	r.Keep()
	r.Close()
	wantInUse(spelled...)

	// As the same file has another name where case does not count.
	other := path + "-spelled-otherwise"
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	wantInUse(other)
	if gone, err := paths.Remove(t.Context(), other, digestOf("first")); !gone || err != nil {
		t.Errorf("the file of another object counts as gone: %t, %v", gone, err)
	}
	reserve(t, &otherRun, Target{Path: path, Replace: true}).Close()
	wantText(t, path, "first")

	// The path stays that of its object even without the file.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantInUse(spelled...)
}

func TestReserve_folders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	day := filepath.Join(root, "events", "dt=2026-11-20", "part-0")
	var paths PathsInUse
	if _, err := paths.Reserve(Target{Path: day}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("without the folder: %v", err)
	}

	targets := []Target{{Path: day, CreateFolders: true}, {Path: filepath.Join(filepath.Dir(day), "part-1"), CreateFolders: true}}
	reserve(t, &paths, targets...).Close()
	wantFiles(t, root)

	// Two days at once: the second one finds a folder that the first one has created.
	first := reserve(t, &paths, targets[0])
	second := reserve(t, &paths, Target{Path: filepath.Join(root, "events", "dt=2026-11-21", "part-0"), CreateFolders: true})
	first.Close()
	second.Close()
	wantFiles(t, root)

	r := reserve(t, &paths, targets...)
	writeTexts(t, r, "events")
	commit(t, r)
	wantText(t, day, "events")
	wantMode(t, filepath.Dir(day), os.ModeDir|0o700)

	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := paths.Reserve(Target{Path: filepath.Join(root, "file", "dt", "day"), CreateFolders: true}); !errors.Is(err, ErrFolder) {
		t.Errorf("below a file: %v", err)
	}
}

// TestReserve_looseLink puts a link in the place of a folder whose disk is not mounted.
func TestReserve_looseLink(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	lake, disk := filepath.Join(root, "lake"), filepath.Join(root, "not-mounted", "lake")
	if err := os.Symlink(disk, lake); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{filepath.Join(lake, "day"), filepath.Join(lake, "dt", "day")} {
		var paths PathsInUse
		if _, err := paths.Reserve(Target{Path: path, CreateFolders: true}); !errors.Is(err, ErrNoFolder) && !errors.Is(err, ErrFolder) {
			t.Errorf("%s: %v", path, err)
		}
	}
	wantFiles(t, root, "lake")
	if to, err := os.Readlink(lake); err != nil || to != disk {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// TestReserve_leftovers puts something in the place of the temporary file of a target.
func TestReserve_leftovers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		put  func(at, finished string) error
		want error
	}{
		"half a file":        {func(at, _ string) error { return os.WriteFile(at, []byte("Jane Canary"), 0o600) }, nil},
		"an empty file":      {func(at, _ string) error { return os.WriteFile(at, nil, 0o600) }, nil},
		"a second name":      {func(at, finished string) error { return os.Link(finished, at) }, nil},
		"a folder":           {func(at, _ string) error { return os.Mkdir(at, 0o700) }, ErrFolder},
		"a link":             {func(at, finished string) error { return os.Symlink(filepath.Base(finished), at) }, ErrBusy},
		"a link to nowhere":  {func(at, _ string) error { return os.Symlink("nowhere", at) }, ErrBusy},
		"a link out of here": {func(at, _ string) error { return os.Symlink("/etc/hostname", at) }, ErrFolder},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path, finished := filepath.Join(folder, "day"), filepath.Join(folder, "finished")
			if err := errors.Join(os.WriteFile(finished, []byte("whole"), 0o600), tc.put(temporaryOf(path), finished)); err != nil {
				t.Fatal(err)
			}

			var paths PathsInUse
			r, err := paths.Reserve(Target{Path: path})
			if !errors.Is(err, tc.want) {
				t.Fatalf("it ended with %v", err)
			}
			if err == nil {
				writeTexts(t, r, "new")
				commit(t, r)
			}

			wantText(t, finished, "whole")
			if tc.want == nil {
				wantText(t, path, "new")
				wantFiles(t, folder, "day", "finished")
			} else {
				wantFiles(t, folder, filepath.Base(temporaryOf(path)), "finished")
			}
		})
	}
}
