package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	install "github.com/hashicorp/hc-install"
	"github.com/hashicorp/hc-install/checkpoint"
	"github.com/hashicorp/hc-install/product"
	"github.com/hashicorp/hc-install/src"
)

// commandLimit is the longest that one command of Terraform may take where nothing
// else is said.
const commandLimit = 2 * time.Minute

// The exit status of `plan -detailed-exitcode`.
const (
	PlanEmpty   = 0
	PlanChanges = 2
)

// Terraform runs Terraform or OpenTofu in one folder with one environment.
type Terraform struct {
	// Name is what people call the program: terraform or tofu.
	Name string
	// Version is the program's own line, such as "Terraform v1.11.4".
	Version string
	// Dir is the folder that commands run in.
	Dir string
	// Limit is the longest that a command may take.
	Limit time.Duration

	path string
	env  []string
}

// Result is what a command of Terraform printed, and its exit status.
type Result struct {
	Stdout string
	Stderr string
	Exit   int
}

// All is everything that was printed.
func (r Result) All() string { return r.Stdout + r.Stderr }

// UnexpectedError says that a command did not do what it should, and carries what
// Terraform printed, so that the reason can be read without running anything again.
type UnexpectedError struct {
	Reason     string
	Transcript string
}

func (u *UnexpectedError) Error() string { return u.Reason }

// TranscriptOf is what Terraform printed before an error; empty where it is none of
// Terraform's.
func TranscriptOf(err error) string {
	if u, ok := errors.AsType[*UnexpectedError](err); ok {
		return u.Transcript
	}
	return ""
}

// findTerraform returns the path of the program to use: the one that
// TF_ACC_TERRAFORM_PATH names, else terraform or tofu on PATH, else a Terraform
// downloaded into dir.
func findTerraform(ctx context.Context, dir string, note func(string, ...any)) (string, error) {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("TF_ACC_TERRAFORM_PATH names no program that can be run: %w", err)
		}
		return filepath.Abs(found)
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	note("neither terraform nor tofu is on PATH: downloading Terraform for this run")
	path, err := install.NewInstaller().Ensure(ctx, []src.Source{
		&checkpoint.LatestVersion{Product: product.Terraform, InstallDir: dir},
	})
	if err != nil {
		return "", fmt.Errorf("this needs Terraform >= 1.5 or OpenTofu >= 1.8. Neither terraform nor tofu is on PATH, and Terraform could not be downloaded (%w). Install one of them, or name it in TF_ACC_TERRAFORM_PATH", err)
	}
	return path, nil
}

// newTerraform asks the program for its version and refuses one that is too old.
func newTerraform(ctx context.Context, path, dir string, env []string) (*Terraform, error) {
	t := &Terraform{Name: "terraform", Dir: dir, Limit: commandLimit, path: path, env: env}
	res, err := t.Run(ctx, "version")
	if err != nil {
		return nil, err
	}
	t.Version, _, _ = strings.Cut(res.Stdout, "\n")
	tofu, err := checkVersion(t.Version)
	if err != nil {
		return nil, err
	}
	if tofu {
		t.Name = "tofu"
	}
	return t, nil
}

// checkVersion reads a line such as "OpenTofu v1.8.1", says whether it is
// OpenTofu's and refuses a version before the oldest supported one.
func checkVersion(line string) (tofu bool, err error) {
	var name string
	var major, minor int
	if _, err := fmt.Sscanf(line, "%s v%d.%d", &name, &major, &minor); err != nil {
		return false, fmt.Errorf("no version of Terraform or OpenTofu: %q", line)
	}
	tofu = name == "OpenTofu"
	oldest := 5
	if tofu {
		oldest = 8
	}
	if major < 1 || major == 1 && minor < oldest {
		return tofu, fmt.Errorf("%s is too old: the provider works from Terraform 1.5 and OpenTofu 1.8 on", line)
	}
	return tofu, nil
}

// In is the same Terraform in another folder and with more environment.
func (t *Terraform) In(dir string, environment ...string) *Terraform {
	other := *t
	other.Dir = dir
	other.env = slices.Concat(t.env, environment)
	return &other
}

// Run runs one command. A non-zero exit status is part of the result; an error
// means that there is no result, because the command could not run to its end.
func (t *Terraform) Run(ctx context.Context, args ...string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Limit)
	defer cancel()

	var stdout, stderr bytes.Buffer
	cmd := command(ctx, t.path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.Dir, t.env, &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			killGroup(cmd.Process)
		}
		return Result{}, &UnexpectedError{
			Reason:     fmt.Sprintf("%s %s did not come to its end: %v", t.Name, args[0], context.Cause(ctx)),
			Transcript: stdout.String() + stderr.String(),
		}
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return Result{}, fmt.Errorf("%s %s could not be run: %w", t.Name, args[0], err)
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), Exit: cmd.ProcessState.ExitCode()}, nil
}

// command prepares a program that is asked to end, once, when the context ends,
// and gets ten seconds to do so.
func command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	ownGroup(cmd)
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
