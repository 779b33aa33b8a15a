package outfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// child writes half a file or a whole one, prints "ready", and waits for the end of its
// input.
func child(command, path string) {
	var paths PathsInUse
	if command == "remove" {
		ctx := context.Background()
		sum, _ := Read(ctx, path)
		gone, err := paths.Remove(ctx, path, sum.SHA256)
		_, _ = fmt.Fprintln(os.Stdout, gone, err)
		os.Exit(0)
	}

	r, err := paths.Reserve(Target{Path: path, Replace: true})
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}

	w, err := r.Writer(0)
	if err == nil {
		_, err = io.WriteString(w, "Jane Canary")
	}
	if command == "whole" && err == nil {
		_, err = r.Commit()
		r.Close()
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

// runChild runs a child to its end and returns its output.
func runChild(t *testing.T, command, path string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childVariable+"="+command+" "+path)
	out, _ := c.Output() // a refusal is an exit code

	return strings.TrimSpace(string(out))
}

// startChild returns once the child has written. stop ends it in an orderly way; kill
// gives it no chance to clean up.
func startChild(t *testing.T, command, path string) (stop, kill func()) {
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

	stop = func() { _ = in.Close(); _ = c.Wait() }
	kill = func() { _ = c.Process.Kill(); _ = c.Wait() }
	t.Cleanup(kill)

	return stop, kill
}

func TestReserve_anotherProcessIsWriting(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	stop, _ := startChild(t, "half", path)
	if err := Check(path); !errors.Is(err, ErrBusy) {
		t.Errorf("while the other writes: %v", err)
	}
	if err := Check(filepath.Join(folder, "other")); err != nil {
		t.Errorf("another path: %v", err)
	}

	stop()
	if err := Check(path); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	wantFiles(t, folder)
}

// Two configurations of the provider in one run are two processes, and one may end before
// the other begins.
func TestReserve_anotherProcessHasWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	stop, _ := startChild(t, "whole", path)
	stop()
	if !canMark(t, folder) {
		t.Skip("this file system has no extended attributes")
	}

	for _, command := range []string{"half", "remove"} {
		if said := runChild(t, command, path); said != ErrBusy.Error() && said != "true <nil>" {
			t.Errorf("in the same run, %s: %q", command, said)
		}
		wantText(t, path, "Jane Canary")
	}

	if err := Check(path); err != nil { // whose parent is another
		t.Errorf("in another run: %v", err)
	}
}

// canMark reports whether the system and its file system support marking a file.
func canMark(t *testing.T, folder string) bool {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()

	f, err := root.Create("probe")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	return mark(f)
}

func TestReserve_afterAKill(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "day")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, kill := startChild(t, "half", path)
	kill()
	wantText(t, path, "old")
	if runtime.GOOS == "linux" {
		wantNobody(t, folder)
	}

	if _, err := Write(path, text("new")); err != nil {
		t.Fatal(err)
	}

	wantText(t, path, "new")
	wantFiles(t, folder, "day")
	wantNobody(t, folder)
}

// wantNobody fails the test if a file in the folder holds the person's name.
func wantNobody(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}

	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil || strings.Contains(string(content), "Canary") {
			t.Errorf("%s holds %q, %v", entry.Name(), content, err)
		}
	}
}
