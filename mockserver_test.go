// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

// TestMockServer_endsWithTheShellThatStartedIt waits for the address of the server, ends the shell, and
// reads until nobody holds the pipe.
func TestMockServer_endsWithTheShellThatStartedIt(t *testing.T) {
	t.Parallel()
	wantUnix(t)
	shell := exec.CommandContext(t.Context(), "sh", "-c", `"$0" mockserver & read -r line`, os.Args[0])
	shell.Env = append(acctest.Environment(), asProgram+"=1")
	read, write, errPipe := os.Pipe()
	shell.Stdout = write
	stdin, errStdin := shell.StdinPipe()
	err := errors.Join(errPipe, errStdin, shell.Start(), write.Close(), read.SetReadDeadline(time.Now().Add(time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()

	printed := bufio.NewReader(read)
	for line := ""; !strings.HasPrefix(line, "export ANALYTICS_BASE_URL="); {
		if line, err = printed.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	_ = stdin.Close() // ends the shell, and not the server
	_ = shell.Wait()
	if rest, err := io.ReadAll(printed); err != nil || len(rest) > 0 {
		t.Errorf("the server printed %q, and does not end: %v", rest, err)
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
