// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
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

// TestReserve_rightsThatAreMissing has a user who may not write the folder, or not the temporary
// file that a process with a strict umask left when it was killed.
func TestReserve_rightsThatAreMissing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		leftover       bool
		folder, rights os.FileMode
		want           error
	}{
		"a read-only folder":                 {false, 0o500, 0, ErrFolder},
		"a read-only folder with a leftover": {true, 0o500, 0o600, ErrFolder},
		"a leftover that cannot be opened":   {true, 0o700, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "day")
			asNobody(t, folder)
			if tc.leftover {
				put(t, temporaryOf(path), "Jane Canary")
				if err := os.Chmod(temporaryOf(path), tc.rights); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(folder, tc.folder); err != nil {
				t.Fatal(err)
			}

			if err := check(path); !errors.Is(err, tc.want) {
				t.Errorf("it is checked with %v, want %v", err, tc.want)
			}
			if tc.want == nil {
				wantFiles(t, folder)
			}
		})
	}
}
