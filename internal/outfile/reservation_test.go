package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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

func TestReserve_severalFilesAppearTogether(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if err := os.WriteFile(b, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: a}, Target{Path: b, Replace: true}, Target{Path: filepath.Join(folder, "unused")})
	writeTexts(t, r, "new a", "new b")
	if _, err := os.Lstat(a); err == nil {
		t.Error("a is there before it is committed")
	}
	wantText(t, b, "old")

	files, err := r.Commit()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	wantText(t, a, "new a")
	wantText(t, b, "new b")
	wantFiles(t, folder, "a", "b")
	for i, path := range []string{a, b} {
		if read, err := Read(t.Context(), path); err != nil || read != files[i] {
			t.Errorf("%s is %v, %v; written was %v", path, read, err, files[i])
		}
		if stamp, err := Look(path); err != nil || stamp != files[i].Stamp {
			t.Errorf("%s looks like %v, %v; written was %v", path, stamp, err, files[i].Stamp)
		}
	}

	if files[2] != (File{}) {
		t.Errorf("a target without a writer is %v", files[2])
	}
}

// TestCommit_failureInTheMiddle lets the last of three files fail: the first is new,
// the second replaces one.
func TestCommit_failureInTheMiddle(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(at("b"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: at("a")}, Target{Path: at("b"), Replace: true}, Target{Path: at("c")})
	writeTexts(t, r, "new a", "new b", "new c")
	if err := os.WriteFile(at("c"), []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, err := r.Commit()
	target, ok := errors.AsType[*TargetError](err)
	if !errors.Is(err, ErrExists) || errors.Is(err, ErrPartial) || !ok || target.Target != 2 {
		t.Errorf("it ended with %v", err)
	}
	r.Close()
	wantText(t, at("b"), "old")
	wantText(t, at("c"), "theirs")
	wantFiles(t, folder, "b", "c")
	if _, err := paths.Reserve(Target{Path: at("a")}); err != nil {
		t.Errorf("the path is still in use: %v", err)
	}
}

// TestCommit_cannotBeRolledBack puts a folder where the replaced file would be kept, so
// that the failure of the second file finds nothing to restore the first from.
func TestCommit_cannotBeRolledBack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if err := os.WriteFile(a, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}

	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: a, Replace: true}, Target{Path: b})
	if !r.targets[0].lock.held() {
		t.Skip("this system has no locks, so nothing is kept to restore")
	}

	writeTexts(t, r, "new a", "new b")
	if err := os.Mkdir(filepath.Join(folder, r.targets[0].lock.oldName()), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(b, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, err := r.Commit()
	target, ok := errors.AsType[*TargetError](err)
	if !errors.Is(err, ErrExists) || !errors.Is(err, ErrPartial) || !ok || target.Target != 1 {
		t.Errorf("it ended with %v", err)
	}
	wantText(t, a, "new a")
}

func TestReserve_oneObjectAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "day")
	var paths, otherRun PathsInUse
	r := reserve(t, &paths, Target{Path: path})
	if _, err := paths.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrInUse) {
		t.Errorf("another object of the run: %v", err)
	}
	if _, err := otherRun.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrBusy) {
		t.Errorf("another run: %v", err)
	}

	writeTexts(t, r, "first")
	if _, err := r.Commit(); err != nil {
		t.Fatal(err)
	}
	r.Close()

	if _, err := paths.Reserve(Target{Path: path, Replace: true}); !errors.Is(err, ErrInUse) {
		t.Errorf("another object of the run, later: %v", err)
	}
	reserve(t, &otherRun, Target{Path: path, Replace: true}).Close()
	wantText(t, path, "first")
}

func TestReserve_folders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	day := filepath.Join(root, "events", "dt=2026-11-20", "part-0")
	other := filepath.Join(root, "persons", "dt=2026-11-20", "part-0")
	var paths PathsInUse
	if _, err := paths.Reserve(Target{Path: day}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("without the folder: %v", err)
	}

	targets := []Target{{Path: day, CreateFolders: true}, {Path: other, CreateFolders: true}}
	reserve(t, &paths, targets...).Close()
	wantFiles(t, root)

	shared := filepath.Join(root, "lake")
	reserve(t, &paths, Target{Path: filepath.Join(shared, "events"), CreateFolders: true}, Target{Path: filepath.Join(shared, "persons"), CreateFolders: true}).Close()
	wantFiles(t, root)

	r := reserve(t, &paths, targets...)
	writeTexts(t, r, "events")
	if _, err := r.Commit(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	wantText(t, day, "events")
	wantFiles(t, root, "events")
	info, err := os.Stat(filepath.Dir(day))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}

	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := paths.Reserve(Target{Path: filepath.Join(root, "file", "dt", "day"), CreateFolders: true}); !errors.Is(err, ErrFolder) {
		t.Errorf("below a file: %v", err)
	}
}

// TestReserve_leftovers puts files beside a target: some that a killed process may have
// left, and some that only look like them.
func TestReserve_leftovers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	stem := stemOf(t, path)
	for _, name := range []string{stem + ".tmp", stem + ".old", stem + ".lock"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("Jane Canary"), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	stranger := ".analytics-0123456789abcdef.tmp"
	if err := os.WriteFile(filepath.Join(folder, stranger), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if err := Check(path); err != nil {
		t.Fatal(err)
	}

	wantFiles(t, folder, stranger)

	theirs := filepath.Join(folder, stem+".tmp")
	for name, put := range map[string]func() error{
		"a link":             func() error { return os.Symlink(stranger, theirs) },
		"a folder":           func() error { return os.Mkdir(theirs, 0o700) },
		"a file for readers": func() error { return errors.Join(os.WriteFile(theirs, nil, 0o600), os.Chmod(theirs, 0o644)) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}

		if err := Check(path); !errors.Is(err, ErrLeftover) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(theirs); err != nil {
			t.Errorf("%s was removed", name)
		}
		if err := os.Remove(theirs); err != nil {
			t.Fatal(err)
		}
	}
}

// stemOf returns how the names beside a target begin.
func stemOf(t *testing.T, path string) string {
	t.Helper()
	folder, name, err := openFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()

	lock, err := lockTarget(folder, name)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.release()

	return lock.stem
}

// TestTemporary_named covers systems that have no files without names.
func TestTemporary_named(t *testing.T) {
	t.Parallel()
	for _, replace := range []bool{false, true} {
		folder := t.TempDir()
		path := filepath.Join(folder, "day")
		if replace {
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		var paths PathsInUse
		r := reserve(t, &paths, Target{Path: path, Replace: replace})
		p := r.targets[0]
		f, err := p.folder.OpenFile(p.lock.temporaryName(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			t.Fatal(err)
		}

		p.out = newWriter(&temporary{folder: p.folder, lock: p.lock, f: f, name: p.lock.temporaryName()})
		writeTexts(t, r, "new")
		if entries, err := os.ReadDir(folder); err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == p.lock.temporaryName() }) {
			t.Errorf("the folder holds %v, %v", entries, err)
		}
		if _, err := r.Commit(); err != nil {
			t.Fatal(err)
		}
		r.Close()
		wantText(t, path, "new")
		wantFiles(t, folder, "day")
	}
}

// TestCommit_partial puts a folder in the place of a file that is to be rolled back.
func TestCommit_partial(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	var paths PathsInUse
	r := reserve(t, &paths, Target{Path: at("a")}, Target{Path: at("b")})
	writeTexts(t, r, "new a", "new b")
	first := &published{target: r.targets[0]}
	if err := errors.Join(os.Mkdir(at("a"), 0o700), os.WriteFile(filepath.Join(at("a"), "theirs"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}

	if first.rollBack() {
		t.Error("a folder that holds something was removed")
	}

	replaced := &published{target: r.targets[1], replaced: true}
	if replaced.rollBack() {
		t.Error("a file without a second name was restored")
	}
}
