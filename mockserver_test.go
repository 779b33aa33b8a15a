// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

// startMockServer starts a command that prints the environment of a mock server, waits for
// the address, and returns what else the command prints until all that it has started ended.
func startMockServer(t *testing.T, command *exec.Cmd) (rest func() string) {
	t.Helper()
	read, write, err := os.Pipe()
	command.Stdout = write
	command.Env = append(acctest.Environment(), asProgram+"=1")
	// A mock server that stays would keep the pipe open.
	if err := errors.Join(err, command.Start(), write.Close(), read.SetReadDeadline(time.Now().Add(time.Minute))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })

	lines := bufio.NewReader(read)
	for line := ""; !strings.HasPrefix(line, "export ANALYTICS_BASE_URL="); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}

	return func() string {
		text, err := io.ReadAll(lines)
		if err != nil {
			t.Errorf("the mock server does not end: %v", err)
		}
		return string(text)
	}
}

func TestMockServer_ends(t *testing.T) {
	t.Parallel()
	wantUnix(t)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		server := exec.CommandContext(t.Context(), os.Args[0], "mockserver")
		rest := startMockServer(t, server)
		if err := errors.Join(server.Process.Signal(s), server.Wait()); err != nil || rest() != "" {
			t.Errorf("after %v it ended with %v", s, err)
		}
	}

	shell := exec.CommandContext(t.Context(), "sh", "-c", `"$0" mockserver & read -r line`, os.Args[0])
	stdin, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	rest := startMockServer(t, shell)
	_ = stdin.Close() // ends the shell that started the server, and not the server
	_ = shell.Wait()
	if text := rest(); text != "" {
		t.Errorf("it printed %q", text)
	}
}

// TestMockServer_ofTheProgramHasNothingOfTests checks what depguard cannot see, since it looks
// at one package at a time.
func TestMockServer_ofTheProgramHasNothingOfTests(t *testing.T) {
	t.Parallel()
	packages, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}

	for pkg := range strings.FieldsSeq(string(packages)) {
		for _, forbidden := range []string{"/kin-openapi/", "/internal/contract", "/internal/mockserver/mocktest", "/go-cmp/"} {
			if strings.Contains(pkg, forbidden) {
				t.Errorf("the program has %s", pkg)
			}
		}
	}
}
