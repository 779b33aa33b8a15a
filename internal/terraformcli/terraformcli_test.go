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
	if err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("unexpected answer: %v", err)
	}
}

func TestResult_wordsAreOneLineWithoutFrames(t *testing.T) {
	t.Parallel()
	r := Result{Output: "╷\n│ Warning: A sentence that\n│ was  wrapped\r\n╵\n"}
	if got := r.Words(); got != "Warning: A sentence that was wrapped" {
		t.Errorf("got %q", got)
	}
}

func TestVersion_isTheFirstLine(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]Version{
		"Terraform v1.5.0":              {Product: "Terraform", Major: 1, Minor: 5, Line: "Terraform v1.5.0"},
		"Terraform v1.14.0-rc1":         {Product: "Terraform", Major: 1, Minor: 14, Line: "Terraform v1.14.0-rc1"},
		"OpenTofu v1.8.0\non linux_any": {Product: "OpenTofu", Major: 1, Minor: 8, Line: "OpenTofu v1.8.0"},
		"command not recognized":        {},
		"":                              {},
	} {
		dir := t.TempDir()
		got, err := CLI{Dir: dir, Path: script(t, dir, "terraform", "printf '"+printed+"'")}.Version(t.Context())
		if got != want || (err == nil) != (want.Line != "") {
			t.Errorf("%q: %+v, error %v", printed, got, err)
		}
	}
}

func TestVersion_beforeIsAMinorVersionOfOne(t *testing.T) {
	t.Parallel()
	for v, want := range map[Version]bool{{Major: 0, Minor: 15}: true, {Major: 1, Minor: 11}: true, {Major: 1, Minor: 12}: false, {Major: 2, Minor: 0}: false} {
		if got := v.Before(12); got != want {
			t.Errorf("%d.%d is before 1.12: %t", v.Major, v.Minor, got)
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
