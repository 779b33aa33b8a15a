// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommit_severalFilesAppearTogether writes a file whose first try was longer, one that replaces
// another, and an empty one.
func TestCommit_severalFilesAppearTogether(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	put(t, at("b"), "old")

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: at("a")}, Target{Path: at("b"), Replace: true}, Target{Path: at("c")})
	writeTexts(t, r, "a first try that is longer")
	writeTexts(t, r, "new a", "new b", "")
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
}

// tree describes everything below a folder.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		name := strings.TrimPrefix(path, root+string(filepath.Separator))
		found[name] = entry.Type().String()
		if entry.Type().IsRegular() {
			var content []byte
			content, err = os.ReadFile(path)
			found[name] = string(content)
		} else if entry.Type() == fs.ModeSymlink {
			found[name], err = os.Readlink(path)
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return found
}

// TestCommit_touchesNothingOfSomebodyElse writes two files among things that somebody else has put
// there, before the reservation or between it and the commit. After an error, everything is as
// they have left it, but for folders that were created.
func TestCommit_touchesNothingOfSomebodyElse(t *testing.T) {
	t.Parallel()
	type step func(at func(name string) string) error
	inOrder := func(steps ...step) step {
		return func(at func(string) string) error {
			for _, do := range steps {
				if err := do(at); err != nil {
					return err
				}
			}
			return nil
		}
	}
	folder := func(name string) step { return func(at func(string) string) error { return os.Mkdir(at(name), 0o700) } }
	link := func(name, to string) step {
		return func(at func(string) string) error { return os.Symlink(to, at(name)) }
	}
	moved := func(from, to string) step {
		return func(at func(string) string) error { return os.Rename(at(from), at(to)) }
	}
	gone := func(name string) step { return func(at func(string) string) error { return os.RemoveAll(at(name)) } }
	file := func(name, text string) step {
		return func(at func(string) string) error { return os.WriteFile(at(name), []byte(text), 0o600) }
	}

	temporary, tooLong := filepath.Base(temporaryOf("day")), strings.Repeat("x", 300)
	for name, tc := range map[string]struct {
		target            string // of the second file
		before, meanwhile step
		may               Target // what the second file may do
		want              error  // about it
	}{
		"nothing":            {target: "day"},
		"a folder":           {target: "folder", may: Target{Replace: true}, want: ErrNotRegular},
		"a link":             {target: "link", may: Target{Replace: true}, want: ErrNotRegular},
		"a socket":           {target: "socket", may: Target{Replace: true}, want: ErrNotRegular},
		"no folder":          {target: "missing/day", want: ErrNoFolder},
		"a file as folder":   {target: "theirs/day", want: ErrFolder},
		"no path":            {target: "", want: ErrNoName},
		"a path of a folder": {target: "folder/", want: ErrNoName},
		"the folder itself":  {target: ".", want: ErrNoName},
		"the folder above":   {target: "..", want: ErrNoName},
		"too long a name":    {target: tooLong, want: syscall.ENAMETOOLONG},

		// A folder whose disk is not mounted, and one that cannot be created below another one.
		"a loose link as folder": {target: "loose/dt/day", may: Target{CreateFolders: true}, want: ErrFolder},
		"too long a folder":      {target: "made/" + tooLong + "/day", may: Target{CreateFolders: true}, want: ErrFolder},

		// In the place of the temporary file.
		"half a file":        {target: "day", before: file(temporary, "Jane Canary")},
		"a link for it":      {target: "day", before: link(temporary, "theirs"), want: ErrBusy},
		"a loose link":       {target: "day", before: link(temporary, "nowhere"), want: ErrBusy},
		"a link out of here": {target: "day", before: link(temporary, "/etc/hostname"), want: ErrFolder},
		"a second name": {
			target: "day", before: func(at func(string) string) error { return os.Link(at("theirs"), at(temporary)) },
		},

		"a file meanwhile": {target: "day", meanwhile: file("day", "theirs"), want: ErrExists},
		"a file meanwhile, where the first replaces one": {
			target: "day", before: file("first", "old"), meanwhile: file("day", "theirs"), want: ErrExists,
		},
		"another folder": { // in which nobody would find what is written to the one that was opened
			target: "lake/day", meanwhile: inOrder(moved("lake", "moved"), folder("lake")), want: errRemoved,
		},
		"a link for a created folder": {
			target: "made/dt/day", may: Target{CreateFolders: true},
			meanwhile: inOrder(gone("made"), link("made", "elsewhere")), want: errRemoved,
		},
		"a file in a created folder": {
			target: "made/dt/day", may: Target{CreateFolders: true},
			meanwhile: inOrder(gone("made/dt"), file("made/theirs", "theirs")), want: errRemoved,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			at := func(name string) string { return filepath.Join(root, name) }
			socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", at("socket"))
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()

			var paths PathsInUse
			happens := func(steps ...step) {
				if err := inOrder(steps...)(at); err != nil {
					t.Fatal(err)
				}
			}
			happens(folder("folder"), folder("lake"), link("link", "theirs"), link("loose", "nowhere"),
				file("theirs", "theirs"))
			if tc.before != nil {
				happens(tc.before)
			}
			want := tree(t, root)
			_, replaces := want["first"]
			tc.may.Path = root + "/" + tc.target
			if tc.target == "" {
				tc.may.Path = ""
			}

			r, err := paths.Reserve(Target{Path: at("first"), Replace: replaces}, tc.may)
			if err == nil {
				writeTexts(t, r, "new first", "new")
				if tc.meanwhile != nil {
					happens(tc.meanwhile)
				}
				want = tree(t, root)
				maps.DeleteFunc(want, func(_, text string) bool { return strings.HasPrefix(text, "new") }) // unfinished
				if _, err = r.Commit(); err == nil {
					want["first"], want[tc.target] = "new first", "new"
				}
				r.Close()
				Confirm(at("first"))
				Confirm(tc.may.Path)
			}

			if !errors.Is(err, tc.want) || errors.Is(err, ErrPartial) {
				t.Errorf("it ended with %v, want %v", err, tc.want)
			}
			if target, ok := errors.AsType[*TargetError](err); err != nil && (!ok || target.Target != 1) {
				t.Errorf("the error is about another file: %v", err)
			}
			wantText(t, at("theirs"), "theirs")
			left := tree(t, root)
			for name, text := range left {
				if strings.HasPrefix(name, "made") && text == fs.ModeDir.String() {
					want[name] = text
				}
			}
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("left is (-want +got):\n%s", diff)
			}
		})
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
	commit(t, r)
	wantInUse(spelled...)

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

	r := reserve(t, &paths, Target{Path: day, CreateFolders: true}, Target{Path: filepath.Join(filepath.Dir(day), "part-1"), CreateFolders: true})
	writeTexts(t, r, "events", "more")
	commit(t, r)
	wantText(t, day, "events")
	wantMode(t, filepath.Dir(day), os.ModeDir|0o700)
}

// TestReservation_whatAKilledProcessHasNotRecordedIsNobodys leaves a new file as a process does that
// is killed, and looks at who may write there.
func TestReservation_whatAKilledProcessHasNotRecordedIsNobodys(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		then  func(t *testing.T, path string)
		taken bool
	}{
		"nothing else":             {then: func(*testing.T, string) {}},
		"it is recorded":           {then: func(_ *testing.T, path string) { Confirm(path) }, taken: true},
		"another one is put there": {then: func(t *testing.T, path string) { t.Helper(); _ = os.Remove(path); put(t, path, "theirs") }, taken: true},
		"another one is beside it": {then: func(t *testing.T, path string) {
			t.Helper()
			_ = os.Remove(temporaryOf(path))
			put(t, temporaryOf(path), "theirs")
		}, taken: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "day")
			put(t, temporaryOf(path), "ours")
			if err := os.Link(temporaryOf(path), path); err != nil {
				t.Skip("the file system has no links")
			}
			c.then(t, path)
			if IsUnrecorded(path) == c.taken {
				t.Errorf("unrecorded: %t", !c.taken)
			}

			var paths PathsInUse
			r, err := paths.Reserve(Target{Path: path})
			if errors.Is(err, ErrExists) != c.taken {
				t.Fatalf("%v", err)
			}
			if err == nil {
				r.Close()
				wantFiles(t, filepath.Dir(path))
			}
		})
	}
}
