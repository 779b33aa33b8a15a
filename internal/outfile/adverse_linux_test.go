// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is a user without rights.
const nobody = 65534

// asNobody makes the test act as a user without rights, if it has all of them, in a temporary folder
// that belongs to that user.
func asNobody(t *testing.T, folder string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}

	if err := errors.Join(os.Chown(folder, nobody, nobody), os.Chown(filepath.Dir(folder), nobody, nobody)); err != nil {
		t.Fatal(err)
	}

	runtime.LockOSThread() // the rights are those of the thread
	_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, nobody, 0, 0)
	t.Cleanup(func() {
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, 0, 0, 0)
		runtime.UnlockOSThread()
	})
}

// TestCommit_failedHalfway puts one file in place and then not the other one, in a folder that may not be written any
// more. The next run replaces the first, although it may not replace what is somebody else's, and although a child
// process has both files open, as each child has between its start and its first instruction.
func TestCommit_failedHalfway(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	targets := []Target{{Path: filepath.Join(root, "open", "day")}, {Path: filepath.Join(root, "closed", "day")}}
	closed := filepath.Dir(targets[1].Path)
	if err := errors.Join(os.Mkdir(filepath.Join(root, "open"), 0o777), os.Mkdir(closed, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		_ = os.Chown(filepath.Dir(target.Path), nobody, nobody) // where the rights allow it
	}
	asNobody(t, root)
	rights := func(mode os.FileMode) {
		if err := os.Chmod(closed, mode); err != nil {
			t.Fatal(err)
		}
	}

	var failed, next PathsInUse
	r := reserve(t, &failed, targets...)
	writeTexts(t, r, "old", "old")
	for _, o := range r {
		inChild, err := unix.Dup(int(o.f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(inChild) })
	}
	rights(0o500)
	if _, err := Commit(r...); !errors.Is(err, ErrPartial) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("it ended with %v", err)
	}
	closeAll(r)
	wantText(t, targets[0].Path, "old")
	for _, path := range []string{targets[1].Path, filepath.Join(closed, "without a temporary file")} {
		if err := check(path); !errors.Is(err, ErrFolder) {
			t.Errorf("it is reserved with %v", err)
		}
	}

	rights(0o700)
	r = reserve(t, &next, targets...)
	writeTexts(t, r, "new", "new")
	commit(t, r)
	for _, target := range targets {
		wantText(t, target.Path, "new")
		wantFiles(t, filepath.Dir(target.Path), "day")
	}
}
