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
// files as a run does, to its end. A signal to the whole process could reach another thread, which
// nobody traces and wakes.
func writeTraced(command, folder string) {
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)

	var paths PathsInUse
	outputs, err := reserveAll(&paths, exportTo(folder, killed[command].replaces...)...)
	for _, o := range outputs {
		err = errors.Join(err, o.Begin())
		for range 2 {
			_, failed := io.WriteString(o, "Jane Canary ")
			err = errors.Join(err, failed)
		}
	}

	_, failed := Commit(outputs...)
	closeAll(outputs)
	err = errors.Join(err, failed, os.WriteFile(stateOf(folder), nil, 0o600))
	Settle()
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// exported are the names of the files of the export that is killed.
var exported = []string{"events", "persons"}

// whole is what it writes into each.
const whole = "Jane Canary Jane Canary "

func exportTo(folder string, replaces ...bool) (targets []Target) {
	for i, name := range exported {
		targets = append(targets, Target{Path: filepath.Join(folder, name), Replace: replaces[i], CreateFolders: true})
	}
	return targets
}

// stateOf returns the path of a file that stands for the state of Terraform: the run is recorded once
// it is there.
func stateOf(folder string) string { return filepath.Join(filepath.Dir(filepath.Dir(folder)), "state") }

// killed are the runs that are killed.
var killed = map[string]struct {
	before   string // what puts there what is in the folder; empty for none
	replaces []bool // what is at each path
}{
	"create":       {"", []bool{false, false}},
	"replace":      {"printf old >events; printf old >persons", []bool{true, true}},
	"another-kind": {"printf old >events", []bool{true, false}},
	"recover": {
		fmt.Sprintf("printf old >events; ln events %s; printf old >persons; ln persons %s", temporaryOf("events"), temporaryOf("persons")), []bool{false, false},
	},
}

// TestCommit_killedAtEverySystemCall looks at the disk before and after each system call of a
// writing process, and kills it whenever something there has changed: between two changes, a kill
// leaves the same. Until then, nobody else may write there. What is left of each file is the old
// one or the whole new one, and at most the temporary file beside it. The next run goes through
// with the same targets, and leaves nothing else.
func TestCommit_killedAtEverySystemCall(t *testing.T) {
	t.Parallel()
	for command := range killed {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread() // which traces
			defer runtime.UnlockOSThread()

			changes := 0
			for wantWholeAfterKill(t, changes, command) {
				changes++
			}
			if changes < 13 {
				t.Errorf("the process was killed at %d changes of the disk only", changes)
			}
		})
	}
}

// wantWholeAfterKill returns false if the process ends before so many changes of the disk.
func wantWholeAfterKill(t *testing.T, change int, command string) (wasKilled bool) {
	t.Helper()
	run, folder := killed[command], filepath.Join(t.TempDir(), "lake", "dt")
	if run.before != "" {
		happens(t, filepath.Dir(filepath.Dir(folder)), "umask 077; mkdir -p lake/dt; cd lake/dt; "+run.before)
	}

	wasKilled = killAt(t, change, command, folder)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		info, err := entry.Info()
		isOurs := slices.Contains(exported, entry.Name()) || entry.Name() == temporaryOf(exported[0]) || entry.Name() == temporaryOf(exported[1])
		if err != nil || !isOurs || info.Mode()&^0o600 != 0 {
			t.Errorf("change %d: %s is left with mode %v, %v", change, entry.Name(), info, err)
		}
	}
	targets := exportTo(folder, run.replaces...)
	for i, target := range targets {
		content, err := os.ReadFile(target.Path)
		if string(content) != whole && string(content) != "old" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("change %d: %s holds %q", change, exported[i], content)
		}
		// A file that was replaced as the own one may have lost its state since.
		if IsUnrecorded(target.Path) {
			targets[i].Replace = false
		}
	}

	var paths, removing PathsInUse
	if _, err := os.Stat(stateOf(folder)); err == nil { // the next run knows the files
		for i, target := range targets {
			Confirm(target.Path)
			targets[i].Replace = true
		}
		wantFiles(t, folder, exported...)
	}
	if change%2 == 0 || command != "replace" { // and else a removal finds what the killed run has left
		r := reserve(t, &paths, targets...)
		writeTexts(t, r, "new", "new")
		commit(t, r)
		wantFiles(t, folder, exported...)
	}
	for _, target := range targets {
		content, _ := os.ReadFile(target.Path)
		if err := removing.Remove(t.Context(), target.Path, digestOf(string(content))); err != nil {
			t.Errorf("change %d: the removal ends with %v", change, err)
		}
	}
	if entries, _ := os.ReadDir(folder); len(entries) > 0 || t.Failed() {
		t.Fatalf("change %d: %v are left after a removal", change, entries)
	}

	return wasKilled
}

// killAt runs a child that writes files, and kills it after so many changes of what is on the disk,
// each at the system call that makes it. It returns false if the child ended before that.
func killAt(t *testing.T, change int, command, folder string) (wasKilled bool) {
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
			if now := fmt.Sprint(tree(t, filepath.Dir(filepath.Dir(folder)))); now != onDisk {
				onDisk = now
				change--
			}
		case stop != unix.SIGTRAP: // the stop after exec
			signal = int(stop)
		}
		if change < 0 {
			path := filepath.Join(folder, exported[0])
			if half, _ := os.ReadFile(temporaryOf(path)); strings.HasPrefix(string(half), "Jane") && !errors.Is(check(path), ErrBusy) {
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
