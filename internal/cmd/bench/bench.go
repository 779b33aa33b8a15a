// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/markdown"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/peak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/terraformcli"
)

// bench is what measurements share: the provider, built from this repository, and a
// Terraform that finds it without a registry.
type bench struct {
	options

	root      string // a temporary folder for everything
	provider  string
	bareLoop  string // the program; empty until it is built
	terraform terraformcli.CLI
	version   string
	note      func(format string, args ...any)
}

// newBench builds the provider into a folder. It has no symbols, like the released one:
// Terraform reads all of it each time it starts it.
func newBench(ctx context.Context, o options, root string) (*bench, error) {
	path, err := terraformcli.Find()
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, root: root, provider: filepath.Join(root, "provider"+terraformcli.ExeSuffix())}
	settings := filepath.Join(root, "terraform.rc")
	if err := os.WriteFile(settings, terraformcli.MirrorConfig(b.mirror()), 0o600); err != nil {
		return nil, err
	}

	b.terraform = terraformcli.CLI{Path: path, Dir: root, Env: terraformcli.Isolated(os.Environ(), settings), Limit: timeLimit}
	version, err := b.terraform.Version(ctx)
	if err != nil {
		return nil, err
	}
	b.version = version.Line

	err = terraformcli.Build(ctx, b.provider, terraformcli.ModulePath, "-ldflags", "-s -w -X main.version="+terraformcli.ProviderVersion)
	if err != nil {
		return nil, err
	}

	return b, terraformcli.Mirror(b.mirror(), terraformcli.Source, b.provider)
}

func (b *bench) mirror() string { return filepath.Join(b.root, "mirror") }

// initialize writes a configuration into a folder of its own and runs init there.
func (b *bench) initialize(ctx context.Context, files map[string][]byte, env []string) (terraformcli.CLI, error) {
	dir, err := os.MkdirTemp(b.root, "configuration-")
	if err != nil {
		return terraformcli.CLI{}, err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return terraformcli.CLI{}, err
		}
	}

	tf := b.terraform.In(dir, env...)
	_, err = b.measured(ctx, tf, "successfully initialized", "init")

	return tf, err
}

// cost is what a command took.
type cost struct {
	wall   time.Duration
	memory float64       // the highest peak of a provider in bytes, or not a number
	cpu    time.Duration // of Terraform and its providers
}

// take keeps the shorter times and the higher peak.
func (c *cost) take(other cost) {
	if c.wall == 0 {
		*c = other
		return
	}
	c.wall, c.cpu, c.memory = min(c.wall, other.wall), min(c.cpu, other.cpu), max(c.memory, other.memory)
}

// measured runs a command that has to succeed and to print words, and returns its cost.
func (b *bench) measured(ctx context.Context, tf terraformcli.CLI, words string, args ...string) (cost, error) {
	memory := peak.Start(ctx, func(program, _ string) bool {
		return strings.HasPrefix(program, b.root) && strings.HasPrefix(filepath.Base(program), "terraform-provider-")
	})
	began := time.Now()
	res, err := tf.Run(ctx, args...)
	took := cost{wall: time.Since(began), memory: memory.Stop(), cpu: res.CPU}

	if err == nil && (res.Code != 0 || !strings.Contains(res.Stdout, words)) {
		err = fmt.Errorf("terraform %s ended with status %d, or without %q:\n%s", args[0], res.Code, words, res.Output)
	}

	return took, err
}

// service is the mock server in a process of its own, as the real service would be.
type service struct {
	environment map[string]string // that configures the provider for it
	log         string            // the file of its requests
	counted     int               // how many bytes of that requests has counted
	stop        func() error
}

// serve starts a mock server with flags of its own, and waits until it listens.
func (b *bench) serve(ctx context.Context, flags ...string) (*service, error) {
	folder, err := os.MkdirTemp(b.root, "service-")
	if err != nil {
		return nil, err
	}
	s := &service{environment: map[string]string{}, log: filepath.Join(folder, "requests")}

	// An interrupted Terraform still needs the server to save its state, so that the
	// server outlives ctx once it listens.
	running, interrupt := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, interrupt)()
	cmd := terraformcli.GroupCommand(running, b.provider, append([]string{"mockserver", "-log", s.log}, flags...)...)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		interrupt()
		return nil, fmt.Errorf("the mock server could not be started: %w", err)
	}

	s.stop = func() error {
		interrupt()
		// A process that ends well after an interrupt leaves the error of the context.
		if err := cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("the mock server did not end well: %w\n%s", err, &printed)
		}
		return nil
	}

	// It prints its address last.
	for lines := bufio.NewScanner(output); lines.Scan(); {
		variable, exported := strings.CutPrefix(lines.Text(), "export ")
		if !exported {
			continue
		}
		name, value, _ := strings.Cut(variable, "=")
		s.environment[name] = strings.Trim(value, "'")
		if name == "ANALYTICS_BASE_URL" {
			return s, nil
		}
	}

	return nil, errors.Join(errors.New("the mock server did not say where it listens"), s.stop())
}

// variables returns the environment as a list.
func (s *service) variables() (list []string) {
	for name, value := range s.environment {
		list = append(list, name+"="+value)
	}
	return list
}

// requests counts the requests since it was last called, by operation.
func (s *service) requests() (map[string]int, error) {
	log, err := os.ReadFile(s.log)
	if err != nil {
		return nil, err
	}

	counts := map[string]int{}
	for line := range bytes.Lines(log[s.counted:]) {
		words := bytes.Fields(line)
		if len(words) < 2 {
			return nil, fmt.Errorf("the log of requests has the line %q", line)
		}
		counts[string(words[1])]++
	}
	s.counted = len(log)

	return counts, nil
}

// grid is a table of texts.
type grid struct {
	title  string
	head   []string
	rows   [][]string
	remark string
}

// String returns the grid as it is printed, which is Markdown too.
func (g grid) String() string {
	return g.title + "\n\n" + markdown.Table(g.head, g.rows) + "\n" + g.remark + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// bytesIn returns a size in a unit such as 1e6 for MB, or nothing where it is not known.
func bytesIn(unit string, scale, size float64) string {
	if math.IsNaN(size) {
		return ""
	}
	return fmt.Sprintf("%.0f %s", size/scale, unit)
}
