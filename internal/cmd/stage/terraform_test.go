package stage

import (
	"context"
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
	_, err := findTerraform(t.Context(), t.TempDir(), silent)
	if err == nil || !strings.Contains(err.Error(), "TF_ACC_TERRAFORM_PATH") {
		t.Errorf("unexpected answer: %v", err)
	}
}

func TestOpenTofuIsFoundWhereThereIsNoTerraform(t *testing.T) {
	dir := t.TempDir()
	program := script(t, dir, "tofu", "exit 0")
	t.Setenv("TF_ACC_TERRAFORM_PATH", "")
	t.Setenv("PATH", dir)
	got, err := findTerraform(t.Context(), dir, silent)
	if err != nil || got != program {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTheExitStatusOfACommandIsAResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tf := &Terraform{Limit: commandLimit, Name: "terraform", path: script(t, dir, "terraform", "echo planned; echo careful >&2; exit 2"), Dir: dir}
	res, err := tf.Run(t.Context(), "plan")
	if err != nil || res.Exit != PlanChanges || res.Stdout != "planned\n" || res.Stderr != "careful\n" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestACancelledCommandIsAskedToEndAndToldOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tf := &Terraform{Limit: commandLimit, Name: "terraform", Dir: dir, path: script(t, dir, "terraform",
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
	_, err := tf.Run(ctx, "apply")
	if err == nil || !strings.Contains(TranscriptOf(err), "stopped") {
		t.Errorf("unexpected answer: %v, printed %q", err, TranscriptOf(err))
	}
}

func silent(string, ...any) {}

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
