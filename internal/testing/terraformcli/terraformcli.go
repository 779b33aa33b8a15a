// SPDX-License-Identifier: MPL-2.0

// Package terraformcli runs Terraform or OpenTofu in a folder, with the provider that
// was built from this repository and without the settings of the person who runs it.
// Acceptance tests, the demo and the bench run the CLI through it.
package terraformcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CommandLimit is the longest that a command may take where CLI.Limit is zero.
const CommandLimit = 2 * time.Minute

// The exit status of `plan -detailed-exitcode`.
const (
	PlanEmpty   = 0
	PlanChanges = 2
)

// ErrNotFound is returned by Find where no CLI is installed.
var ErrNotFound = errors.New("neither terraform nor tofu is on PATH, and TF_ACC_TERRAFORM_PATH is not set")

// CLI is Terraform or OpenTofu in one folder with one environment.
type CLI struct {
	// Path is the program.
	Path string
	// Dir is the folder that commands run in.
	Dir string
	// Env is the whole environment, as "NAME=value". Of several entries with one name
	// the last one counts.
	Env []string
	// Limit is the longest that Run lets a command take. Zero is CommandLimit.
	Limit time.Duration
}

// Find returns the path of the program to run: the one that TF_ACC_TERRAFORM_PATH
// names, or else terraform or tofu on PATH.
func Find() (string, error) {
	if named := os.Getenv("TF_ACC_TERRAFORM_PATH"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("TF_ACC_TERRAFORM_PATH names no program that can be run: %w", err)
		}
		return filepath.Abs(path)
	}

	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}

	return "", ErrNotFound
}

// In returns the same CLI in another folder and with more environment.
func (c CLI) In(dir string, env ...string) CLI {
	c.Dir = dir
	c.Env = slices.Concat(c.Env, env)
	return c
}

// Command returns a command that its caller starts and ends. It shares the process
// group of its caller, and is killed when ctx ends.
func (c CLI) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	return cmd
}

// Run runs one command to its end. A non-zero exit status is part of the result; an
// error means that the command could not be started or did not end within c.Limit.
func (c CLI) Run(ctx context.Context, args ...string) (Result, error) {
	limit := c.Limit
	if limit == 0 {
		limit = CommandLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	p, err := c.Start(ctx, args...)
	if err != nil {
		return Result{}, err
	}

	return p.Wait(ctx)
}

// Start starts a command in a process group of its own. When ctx ends, the command is
// interrupted.
func (c CLI) Start(ctx context.Context, args ...string) (*Process, error) {
	cmd := GroupCommand(ctx, c.Path, args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env

	p := &Process{cmd: cmd}
	cmd.Stdout = io.MultiWriter(&p.stdout, &p.output)
	cmd.Stderr = io.MultiWriter(&p.stderr, &p.output)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s could not be run: %w", p.name(), err)
	}

	return p, nil
}

// Version is the version of a CLI.
type Version struct {
	// Product is "Terraform" or "OpenTofu".
	Product string
	Major   int
	Minor   int
	// Line is what the CLI itself prints, such as "Terraform v1.11.4".
	Line string
}

// Version asks the CLI for its version.
func (c CLI) Version(ctx context.Context) (Version, error) {
	res, err := c.Run(ctx, "version")
	if err != nil {
		return Version{}, err
	}

	v := Version{}
	v.Line, _, _ = strings.Cut(res.Stdout, "\n")
	if _, err := fmt.Sscanf(v.Line, "%s v%d.%d", &v.Product, &v.Major, &v.Minor); err != nil {
		return Version{}, fmt.Errorf("no version of Terraform or OpenTofu: %q", v.Line)
	}

	return v, nil
}

// Before reports whether the version is older than this minor version of 1.
func (v Version) Before(minor int) bool { return v.Major < 1 || v.Major == 1 && v.Minor < minor }
