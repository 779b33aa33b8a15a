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

// child reserves a path, prints how that ended, and waits for the end of its input.
func child(command, path string) {
	if command == "create" || command == "replace" {
		childKilled(command, path)
	}

	var paths PathsInUse
	r, err := paths.Reserve(Target{Path: path})
	_, _ = fmt.Fprintln(os.Stdout, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	r.Close()
	os.Exit(0)
}

func TestReserve_anotherProcessIsWriting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	other := exec.CommandContext(t.Context(), self)
	other.Env = append(os.Environ(), childVariable+"=reserve "+path)
	in, failed := other.StdinPipe()
	out, err := other.StdoutPipe()
	if err := errors.Join(failed, err, other.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Errorf("the other says %q, %v", line, err)
	}

	if err := check(path); !errors.Is(err, ErrBusy) {
		t.Errorf("while the other writes: %v", err)
	}
	if err := errors.Join(in.Close(), other.Wait(), check(path)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	wantFiles(t, folder)
}
