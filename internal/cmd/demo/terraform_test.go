package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestVersionsBeforeTheOldestSupportedAreRefused(t *testing.T) {
	t.Parallel()
	for line, c := range map[string]struct{ tofu, ok bool }{
		"Terraform v1.5.0":       {false, true},
		"Terraform v1.14.0-rc1":  {false, true},
		"Terraform v2.0.0":       {false, true},
		"Terraform v1.4.7":       {false, false},
		"Terraform v0.15.5":      {false, false},
		"OpenTofu v1.8.0":        {true, true},
		"OpenTofu v1.7.3":        {true, false},
		"command not recognized": {false, false},
		"":                       {false, false},
	} {
		tofu, err := checkVersion(line)
		if tofu != c.tofu || (err == nil) != c.ok {
			t.Errorf("%q: tofu %t, error %v", line, tofu, err)
		}
	}
}

func TestANamedTerraformThatIsNotThereIsAnError(t *testing.T) {
	t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(t.TempDir(), "terraform"))
	_, err := findTerraform(t.Context(), t.TempDir(), newScreen(io.Discard, false))
	if err == nil || !strings.Contains(err.Error(), "TF_ACC_TERRAFORM_PATH") {
		t.Errorf("unexpected answer: %v", err)
	}
}

func TestOpenTofuIsFoundWhereThereIsNoTerraform(t *testing.T) {
	dir := t.TempDir()
	program := script(t, dir, "tofu", "exit 0")
	t.Setenv("TF_ACC_TERRAFORM_PATH", "")
	t.Setenv("PATH", dir)
	got, err := findTerraform(t.Context(), dir, newScreen(io.Discard, false))
	if err != nil || got != program {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTheExitStatusOfACommandIsAResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tf := &terraform{name: "terraform", path: script(t, dir, "terraform", "echo planned; echo careful >&2; exit 2"), dir: dir}
	res, err := tf.run(t.Context(), "plan")
	if err != nil || res.exit != planChanges || res.stdout != "planned\n" || res.stderr != "careful\n" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestACancelledCommandIsAskedToEndAndToldOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tf := &terraform{name: "terraform", dir: dir, path: script(t, dir, "terraform",
		`trap 'echo stopped; exit 1' INT; : > ready; while :; do sleep 0.05; done`)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for _, err := os.Stat(filepath.Join(dir, "ready")); err != nil; _, err = os.Stat(filepath.Join(dir, "ready")) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		cancel()
	}()
	_, err := tf.run(ctx, "apply")
	if err == nil || !strings.Contains(transcriptOf(err), "stopped") {
		t.Errorf("unexpected answer: %v, printed %q", err, transcriptOf(err))
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
