// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// childVariable makes the test binary act as another process. Its value is "COMMAND
// PATH".
const childVariable = "ANALYTICS_OUTFILE_CHILD"

func TestMain(m *testing.M) {
	if command, path, ok := strings.Cut(os.Getenv(childVariable), " "); ok {
		child(command, path)
	}
	os.Exit(m.Run())
}

// childKilled is where a program of tests ends that is killed at one of its system calls, on
// systems that count them.
var childKilled = func(_, _ string) {}

// child writes half a file, prints "ready", and waits for the end of its input.
func child(command, path string) {
	if command == "create" || command == "replace" {
		childKilled(command, path)
	}

	var paths PathsInUse
	r, err := paths.Reserve(Target{Path: path, Replace: true})
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}

	w, err := r.Writer(0)
	if err == nil {
		_, err = io.WriteString(w, "Jane Canary")
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}

	_, _ = fmt.Fprintln(os.Stdout, "ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	r.Close()
	os.Exit(0)
}

// startChild returns once the child has written. stop ends it in an orderly way.
func startChild(t *testing.T, command, path string) (stop func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childVariable+"="+command+" "+path)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}

	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := c.Start(); err != nil {
		t.Fatal(err)
	}

	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}

	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })

	return func() { _ = in.Close(); _ = c.Wait() }
}

func TestReserve_anotherProcessIsWriting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	stop := startChild(t, "half", path)
	if err := check(path); !errors.Is(err, ErrBusy) {
		t.Errorf("while the other writes: %v", err)
	}
	if err := check(filepath.Join(folder, "other")); err != nil {
		t.Errorf("another path: %v", err)
	}

	stop()
	if err := check(path); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	wantFiles(t, folder)
}
