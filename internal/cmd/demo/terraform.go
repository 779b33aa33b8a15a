package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	install "github.com/hashicorp/hc-install"
	"github.com/hashicorp/hc-install/checkpoint"
	"github.com/hashicorp/hc-install/product"
	"github.com/hashicorp/hc-install/src"
)

// commandLimit is the longest that one command of Terraform may take.
const commandLimit = 2 * time.Minute

// The exit status of `plan -detailed-exitcode`.
const (
	planEmpty   = 0
	planChanges = 2
)

// terraform runs Terraform or OpenTofu in one folder with one environment.
type terraform struct {
	path string
	// name is what the screen shows as the program: terraform or tofu.
	name string
	// version is the program's own line, such as "Terraform v1.11.4".
	version string
	dir     string
	env     []string
}

// result is what a command of Terraform printed, and its exit status.
type result struct {
	stdout string
	stderr string
	exit   int
}

func (r result) all() string { return r.stdout + r.stderr }

// findTerraform returns the path of the program to use: the one that
// TF_ACC_TERRAFORM_PATH names, else terraform or tofu on PATH, else a Terraform
// downloaded into dir.
func findTerraform(ctx context.Context, dir string, scr *screen) (string, error) {
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
	scr.fact("neither terraform nor tofu is on PATH: downloading Terraform for this run")
	path, err := install.NewInstaller().Ensure(ctx, []src.Source{
		&checkpoint.LatestVersion{Product: product.Terraform, InstallDir: dir},
	})
	if err != nil {
		return "", fmt.Errorf("the demo needs Terraform >= 1.5 or OpenTofu >= 1.8. Neither terraform nor tofu is on PATH, and Terraform could not be downloaded (%w). Install one of them, or name it in TF_ACC_TERRAFORM_PATH", err)
	}
	return path, nil
}

// newTerraform asks the program for its version and refuses one that is too old.
func newTerraform(ctx context.Context, path, dir string, env []string) (*terraform, error) {
	t := &terraform{path: path, name: "terraform", dir: dir, env: env}
	res, err := t.run(ctx, "version")
	if err != nil {
		return nil, err
	}
	t.version, _, _ = strings.Cut(res.stdout, "\n")
	tofu, err := checkVersion(t.version)
	if err != nil {
		return nil, err
	}
	if tofu {
		t.name = "tofu"
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

// run runs one command. A non-zero exit status is part of the result; an error
// means that there is no result, because the command could not run to its end.
func (t *terraform) run(ctx context.Context, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()

	var stdout, stderr bytes.Buffer
	cmd := command(ctx, t.path, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.dir, t.env, &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			killGroup(cmd.Process)
		}
		return result{}, &unexpected{
			reason:     fmt.Sprintf("%s %s did not come to its end: %v", t.name, args[0], context.Cause(ctx)),
			transcript: stdout.String() + stderr.String(),
		}
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return result{}, fmt.Errorf("%s %s could not be run: %w", t.name, args[0], err)
	}
	return result{stdout: stdout.String(), stderr: stderr.String(), exit: cmd.ProcessState.ExitCode()}, nil
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
