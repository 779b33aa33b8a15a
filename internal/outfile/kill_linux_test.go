// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childVariable makes the test binary act as the process that is killed. Its value is "COMMAND FOLDER".
const childVariable = "ANALYTICS_OUTFILE_CHILD"

// The main goroutine of that process keeps the thread whose system calls are watched.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	if command, folder, ok := strings.Cut(os.Getenv(childVariable), " "); ok {
		writeTraced(command, folder)
	}
	os.Exit(m.Run())
}

// writeTraced stops its own thread, so that its system calls are watched from here, and writes two
// files as an export does. A signal to the whole process could reach another thread, which nobody
// traces and wakes.
func writeTraced(command, folder string) {
	if command == "replace" {
		syscall.Umask(0o277) // takes the owner's right to write
	}
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)

	var paths PathsInUse
	r, err := paths.Reserve(exportTo(folder, command == "replace")...)
	if err != nil {
		os.Exit(1)
	}
	for i := range exported {
		w, err := r.Writer(i)
		for range 2 {
			_, failed := io.WriteString(w, "Jane Canary ")
			err = errors.Join(err, failed)
		}
		if err != nil {
			os.Exit(1)
		}
	}

	_, err = r.Commit()
	if err == nil {
		r.KeepUnrecorded()
	}
	r.Close()
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// exported are the names of the files of the export that is killed.
var exported = []string{"events", "persons"}

func exportTo(folder string, replace bool) (targets []Target) {
	for _, name := range exported {
		targets = append(targets, Target{Path: filepath.Join(folder, name), Replace: replace, CreateFolders: true})
	}
	return targets
}

// TestCommit_killedAtEverySystemCall looks at the disk before and after each system call of a
// writing process, and kills it whenever something there has changed: between two changes, a kill
// leaves the same. Until then, nobody else may write there. What is left of each file is the old
// one or the whole new one, and at most the temporary file beside it, which the next process that
// writes or removes the file removes.
func TestCommit_killedAtEverySystemCall(t *testing.T) {
	t.Parallel()
	for command, least := range map[string]int{"create": 11, "replace": 10} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread() // which traces
			defer runtime.UnlockOSThread()

			changes := 0
			for wantWholeAfterKill(t, changes, command) {
				changes++
			}
			if t.Logf("%d changes", changes); changes < least {
				t.Errorf("the process was killed at %d changes of the disk only", changes)
			}
		})
	}
}

// wantWholeAfterKill returns false if the process ends before so many changes of the disk.
func wantWholeAfterKill(t *testing.T, change int, command string) bool {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "lake", "dt")
	allowed := []string{"", "Jane Canary Jane Canary "}
	names := slices.Clone(exported)
	for _, name := range exported {
		path := filepath.Join(folder, name)
		temporary := filepath.Base(temporaryOf(path))
		names = append(names, temporary, secondName(temporary))
		if command == "replace" {
			allowed[0] = "old"
			if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(path, []byte("old"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}

	killed := killAt(t, change, command, folder)
	for _, name := range exported {
		if content, _ := os.ReadFile(filepath.Join(folder, name)); !slices.Contains(allowed, string(content)) {
			t.Errorf("change %d: %s holds %q", change, name, content)
		}
	}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !slices.Contains(names, entry.Name()) || info.Mode()&^0o600 != 0 || slices.Contains(exported, entry.Name()) && info.Mode() != 0o600 {
			t.Errorf("change %d: %s is left with mode %v, %v", change, entry.Name(), info, err)
		}
	}

	// The next process removes what it finds, also if it may not replace what is somebody else's.
	var paths PathsInUse
	if change%2 == 0 || command == "create" {
		r := reserve(t, &paths, exportTo(folder, command == "replace")...)
		writeTexts(t, r, "new", "new")
		commit(t, r)
		wantFiles(t, folder, exported...)
	}
	for _, name := range exported {
		path := filepath.Join(folder, name)
		content, _ := os.ReadFile(path)
		if gone, err := paths.Remove(t.Context(), path, digestOf(string(content))); !gone || err != nil {
			t.Errorf("change %d: the removal of %s ends with %t, %v", change, name, gone, err)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) > 0 || t.Failed() {
		t.Fatalf("change %d: %v are left after a removal", change, entries)
	}

	return killed
}

// killAt runs a child that writes files, and kills it after so many changes of what is on the disk,
// each at the system call that makes it. It returns false if the child ended before that.
func killAt(t *testing.T, change int, command, folder string) (killed bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	c := exec.CommandContext(ctx, self)
	c.Env = append(os.Environ(), childVariable+"="+command+" "+folder)
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := c.Start(); errors.Is(err, syscall.EPERM) {
		t.Skip("this machine does not allow a test to trace its own child")
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()

	watching, onDisk := false, ""
	for {
		var status unix.WaitStatus
		if _, err := unix.Wait4(c.Process.Pid, &status, unix.WALL, nil); err != nil {
			t.Fatal(err)
		}
		if status.Signaled() || status.ExitStatus() > 0 {
			t.Fatalf("change %d: the child ended with signal %d, exit code %d", change, status.Signal(), status.ExitStatus())
		}
		if status.Exited() {
			return false
		}

		signal := 0
		switch stop := status.StopSignal(); {
		case stop == unix.SIGSTOP:
			watching = true
		case stop == unix.SIGTRAP|0x80:
			if now := diskAt(filepath.Dir(filepath.Dir(folder))); now != onDisk {
				onDisk = now
				change--
			}
		case stop != unix.SIGTRAP: // the stop after exec
			signal = int(stop)
		}
		if change < 0 {
			path := filepath.Join(folder, exported[0])
			if half, err := os.Stat(temporaryOf(path)); err == nil && half.Size() > 0 && !errors.Is(check(path), ErrBusy) {
				t.Error("another process may write what this one has begun")
			}
			return true
		}

		_ = unix.PtraceSetOptions(c.Process.Pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACESYSGOOD)
		resume := unix.PtraceCont
		if watching {
			resume = unix.PtraceSyscall
		}
		if err := resume(c.Process.Pid, signal); err != nil {
			t.Fatal(err)
		}
	}
}

// diskAt describes everything below a folder.
func diskAt(root string) string {
	var found []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if info, failed := entry.Info(); err == nil && failed == nil {
			found = append(found, fmt.Sprint(path, info.Mode(), info.Size(), inodeOf(info)))
		}
		return nil
	})

	return fmt.Sprint(found)
}
