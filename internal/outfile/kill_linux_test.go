// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// The main goroutine of the program that is killed keeps the thread whose system calls are
// counted.
func init() {
	runtime.LockOSThread()
	childKilled = writeTraced
}

// writeTraced stops its own thread, so that its system calls are counted from here, and writes a
// file. A signal to the whole process could reach another thread, which nobody traces and wakes.
func writeTraced(command, path string) {
	if command == "replace" {
		syscall.Umask(0o277) // takes the owner's right to write
	}
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
	_, err := writeTarget(Target{Path: path, Replace: command == "replace", CreateFolders: true}, text("Jane Canary"))
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// killAt runs a child that writes a file, and kills it when it has come to the given system call,
// counting both its begin and its end. It returns false if the child ended before that.
func killAt(t *testing.T, call int, command, path string) (killed bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	c := exec.CommandContext(ctx, self)
	c.Env = append(os.Environ(), childVariable+"="+command+" "+path)
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := c.Start(); errors.Is(err, syscall.EPERM) {
		t.Skip("this machine does not allow a test to trace its own child")
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()

	counting, passed := false, 0
	for {
		var status unix.WaitStatus
		if _, err := unix.Wait4(c.Process.Pid, &status, unix.WALL, nil); err != nil {
			t.Fatal(err)
		}
		if status.Signaled() || status.ExitStatus() > 0 {
			t.Fatalf("call %d: the child ended with signal %d, exit code %d", call, status.Signal(), status.ExitStatus())
		}
		if status.Exited() {
			return false
		}

		signal := 0
		switch stop := status.StopSignal(); {
		case stop == unix.SIGSTOP:
			counting = true
		case stop == unix.SIGTRAP|0x80:
			passed++
		case stop != unix.SIGTRAP: // the stop after exec
			signal = int(stop)
		}
		if passed > call {
			return true
		}

		_ = unix.PtraceSetOptions(c.Process.Pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACESYSGOOD)
		resume := unix.PtraceCont
		if counting {
			resume = unix.PtraceSyscall
		}
		if err := resume(c.Process.Pid, signal); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCommit_killedAtEverySystemCall kills the writing process at each of its system calls. What
// is left is the old file or the whole new one, and at most the temporary file beside it, which
// the next process that writes or removes the file removes.
func TestCommit_killedAtEverySystemCall(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"create", "replace"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread() // which traces
			defer runtime.UnlockOSThread()

			calls := 0
			for wantWholeAfterKill(t, calls, command) {
				calls += soak.Raced(3, 1)
			}
			if calls < 20 {
				t.Errorf("only %d system calls were seen", calls)
			}
		})
	}
}

// wantWholeAfterKill returns false if there is no such system call.
func wantWholeAfterKill(t *testing.T, call int, command string) bool {
	t.Helper()
	root := t.TempDir()
	folder := filepath.Join(root, "lake")
	path := filepath.Join(folder, "day")
	allowed := []string{"", "Jane Canary"}
	if command == "replace" {
		allowed = []string{"old", "Jane Canary"}
		if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(path, []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}

	killed := killAt(t, call, command, path)
	content, _ := os.ReadFile(path)
	if !slices.Contains(allowed, string(content)) {
		t.Fatalf("call %d: the file holds %q", call, content)
	}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if name := entry.Name(); name != "day" && name != filepath.Base(temporaryOf(path)) {
			t.Fatalf("call %d: %s is left", call, name)
		}
		if info, err := entry.Info(); err != nil || info.Mode()&^0o600 != 0 {
			t.Fatalf("call %d: %s has mode %v, %v", call, entry.Name(), info, err)
		}
	}

	if info, err := os.Stat(path); err == nil && info.Mode() != 0o600 {
		t.Fatalf("call %d: the file has mode %v", call, info.Mode())
	}

	// The next process removes what it finds.
	var paths PathsInUse
	if gone, err := paths.Remove(t.Context(), path, digestOf(string(content))); !gone || err != nil {
		t.Fatalf("call %d: the removal ends with %t, %v", call, gone, err)
	}
	if entries, _ := os.ReadDir(folder); len(entries) > 0 {
		t.Fatalf("call %d: %v are left after a removal", call, entries)
	}

	return killed
}
