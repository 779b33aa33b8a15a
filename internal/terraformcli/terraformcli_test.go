// SPDX-License-Identifier: MPL-2.0

package terraformcli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFind_namedProgramThatIsMissingIsAnError(t *testing.T) {
	t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(t.TempDir(), "terraform"))
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "TF_ACC_TERRAFORM_PATH") {
		t.Errorf("unexpected answer: %v", err)
	}
}

func TestFind_returnsOpenTofuWithoutTerraform(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TF_ACC_TERRAFORM_PATH", "")
	t.Setenv("PATH", dir)
	if _, err := Find(); !errors.Is(err, ErrNotFound) {
		t.Errorf("without any, the error is %v", err)
	}

	program := script(t, dir, "tofu", "exit 0")
	got, err := Find()
	if err != nil || got != program {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRun_exitStatusIsAResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cli := CLI{Path: script(t, dir, "terraform", "echo planned; echo careful >&2; exit 2"), Dir: dir}

	res, err := cli.Run(t.Context(), "plan")
	if err != nil || res.Code != PlanChanges || res.Stdout != "planned\n" || res.Stderr != "careful\n" {
		t.Errorf("got %+v, %v", res, err)
	}
	if !strings.Contains(res.Output, "planned\n") || !strings.Contains(res.Output, "careful\n") {
		t.Errorf("the output of both is %q", res.Output)
	}
}

func TestRun_laterVariablesCount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cli := CLI{Path: script(t, dir, "terraform", `echo "$NAME in $(basename "$PWD")"`), Env: []string{"NAME=first"}}

	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	res, err := cli.In(folder, "PATH="+os.Getenv("PATH"), "NAME=second").Run(t.Context(), "plan")
	if err != nil || res.Stdout != "second in folder\n" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestRun_cancelledCommandIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cli := CLI{Dir: dir, Path: script(t, dir, "terraform",
		`trap 'echo stopped; exit 1' INT; echo ready; while :; do sleep 0.05; done`)}

	ctx, cancel := context.WithCancel(t.Context())
	p, err := cli.Start(ctx, "apply")
	if err != nil {
		t.Fatal(err)
	}
	<-p.Printed("ready")
	cancel()

	_, err = p.Wait(ctx)
	if err == nil || !strings.Contains(TranscriptOf(err), "stopped") {
		t.Errorf("unexpected answer: %v, printed %q", err, TranscriptOf(err))
	}
}

func TestResult_wordsAreOneLineWithoutFrames(t *testing.T) {
	t.Parallel()
	r := Result{Output: "╷\n│ Warning: A sentence that\n│ was  wrapped\r\n╵\n"}
	if got := r.Words(); got != "Warning: A sentence that was wrapped" {
		t.Errorf("got %q", got)
	}
}

func TestVersion_oldestSupportedIsChecked(t *testing.T) {
	t.Parallel()

	for line, want := range map[string]struct {
		name string
		ok   bool
	}{
		"Terraform v1.5.0":       {"terraform", true},
		"Terraform v1.14.0-rc1":  {"terraform", true},
		"Terraform v2.0.0":       {"terraform", true},
		"Terraform v1.4.7":       {"terraform", false},
		"Terraform v0.15.5":      {"terraform", false},
		"OpenTofu v1.8.0":        {"tofu", true},
		"OpenTofu v1.7.3":        {"tofu", false},
		"command not recognized": {"terraform", false},
		"":                       {"terraform", false},
	} {
		v, err := parseVersion(line)
		if err == nil {
			err = v.Supported()
		}
		if v.Name() != want.name || (err == nil) != want.ok {
			t.Errorf("%q: %s, error %v", line, v.Name(), err)
		}
	}
}

// script writes a program for the shell and returns its path.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	return path
}
