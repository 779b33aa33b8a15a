// SPDX-License-Identifier: MPL-2.0

// Package clitest runs the provider as users do, through the CLI of Terraform or OpenTofu, for
// tests of what terraform-plugin-testing cannot express: warnings, -invoke, interrupts, logs,
// saved plans, generated configuration and the states of other providers.
package clitest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/terraformcli"
)

// Result is what one command printed, and how it ended.
type Result = terraformcli.Result

// CLI runs the provider as users do: as a binary of its own, started by the Terraform
// or OpenTofu on PATH (or of TF_ACC_TERRAFORM_PATH), in a folder of its own and with an
// environment that holds nothing of the person who runs the tests.
type CLI struct {
	tb  testing.TB
	cli terraformcli.CLI

	// Dir is the folder with the configuration.
	Dir string
}

// New prepares a folder with a configuration, and skips the test where TF_ACC is not set. environment is added to the few
// variables that every command gets.
func New(tb testing.TB, configuration string, environment map[string]string) *CLI {
	tb.Helper()
	acctest.PreCheck(tb)
	path, err := terraformcli.Find()
	if err != nil {
		tb.Fatal(err)
	}
	provider, err := acctest.ProviderProgram()
	if err != nil {
		tb.Fatal(err)
	}

	c := &CLI{tb: tb, Dir: tb.TempDir()}
	settings := c.write("terraform.rc", string(terraformcli.OverridesConfig(filepath.Dir(provider))))
	c.cli = terraformcli.CLI{Path: path, Dir: c.Dir, Env: terraformcli.Settings(settings)}
	c.Setenv("PATH", os.Getenv("PATH"))
	c.Setenv("HOME", tb.TempDir())
	c.Setenv("TMPDIR", tb.TempDir())
	c.Setenv("TF_DISABLE_PLUGIN_TLS", "1")     // its keys are a third of what a short command costs; the demo has it
	c.Setenv("ANALYTICS_WIRE", `{"lag":"0s"}`) // the mock server's list never lags
	for name, value := range environment {
		c.Setenv(name, value)
	}

	c.Configure(configuration)

	return c
}

// Configure replaces the configuration.
func (c *CLI) Configure(configuration string) {
	c.tb.Helper()
	c.write("main.tf", "terraform {\n  required_providers {\n    analytics = {\n      source = \""+terraformcli.Source+"\"\n    }\n  }\n}\n"+configuration)
}

// Setenv changes the environment of the commands that follow.
func (c *CLI) Setenv(name, value string) { c.cli = c.cli.In(c.Dir, name+"="+value) }

func (c *CLI) write(name, content string) string {
	c.tb.Helper()
	path := filepath.Join(c.Dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.tb.Fatal(err)
	}
	return path
}

// ReadFile returns the content of a file in Dir, such as terraform.tfstate. A saved plan is
// an archive: the contents of its files are joined.
func (c *CLI) ReadFile(name string) string {
	c.tb.Helper()
	content, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		c.tb.Fatal(err)
	}

	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return string(content)
	}

	var all bytes.Buffer
	for _, entry := range archive.File {
		file, err := entry.Open()
		if err != nil {
			c.tb.Fatal(err)
		}
		_, err = io.Copy(&all, file)
		if err := errors.Join(err, file.Close()); err != nil {
			c.tb.Fatal(err)
		}
	}

	return all.String()
}

// Run runs one command to its end.
func (c *CLI) Run(args ...string) Result {
	c.tb.Helper()
	r, err := c.cli.Run(c.tb.Context(), args...)
	if err != nil {
		c.tb.Fatal(err)
	}
	return r
}

// MustRun fails the test where the command fails.
func (c *CLI) MustRun(args ...string) Result {
	c.tb.Helper()
	r := c.Run(args...)
	if r.Code != 0 {
		c.tb.Fatalf("%v ended with %d:\n%s", args, r.Code, r.Output)
	}
	return r
}

// Command returns a command that the test starts and ends itself.
func (c *CLI) Command(ctx context.Context, args ...string) *exec.Cmd {
	return c.cli.Command(ctx, args...)
}

// Needs skips the test where the CLI lacks a feature.
func (c *CLI) Needs(f acctest.Feature) {
	c.tb.Helper()
	acctest.PreCheck(c.tb, f)
}

// Version returns the version of Terraform or OpenTofu.
func (c *CLI) Version() terraformcli.Version {
	c.tb.Helper()
	version, err := acctest.Version()
	if err != nil {
		c.tb.Fatal(err)
	}
	return version
}

// Invoke runs one action by itself, as `apply -invoke` does, and approves it. The name
// of a variable or -json may follow in args.
func (c *CLI) Invoke(address string, args ...string) Result {
	c.tb.Helper()
	return c.Run(append([]string{"apply", "-auto-approve", "-invoke=" + address}, args...)...)
}

// WriteQuery replaces the list blocks that query runs.
func (c *CLI) WriteQuery(lists string) {
	c.tb.Helper()
	c.write("main.tfquery.hcl", lists)
}

// Query replaces the list blocks and runs them.
func (c *CLI) Query(lists string, args ...string) Result {
	c.tb.Helper()
	c.WriteQuery(lists)
	return c.Run(append([]string{"query"}, args...)...)
}

// Interrupt is a signal that ends a run.
type Interrupt struct {
	Signal syscall.Signal
	// ToGroup sends it to all processes of the run, as a terminal does, and not to
	// Terraform alone.
	ToGroup bool
	// Twice sends it once more when Terraform says that it is about to end.
	Twice bool
}

// GroupInterrupt is the Ctrl+C of a terminal.
var GroupInterrupt = Interrupt{Signal: syscall.SIGINT, ToGroup: true}

// Interrupts returns the ways in which people and CI systems end a run: one of them, which
// depends on the name of the test, or all of them where a soak is on.
func Interrupts(tb testing.TB) map[string]Interrupt {
	tb.Helper()
	all := map[string]Interrupt{
		"SIGINT to Terraform":  {Signal: syscall.SIGINT},
		"SIGINT to the group":  GroupInterrupt,
		"SIGTERM to Terraform": {Signal: syscall.SIGTERM},
		"SIGTERM to the group": {Signal: syscall.SIGTERM, ToGroup: true},
	}
	if soak.On() {
		return all
	}

	ways := slices.Sorted(maps.Keys(all))
	way := ways[crc32.ChecksumIEEE([]byte(tb.Name()))%uint32(len(ways))]

	return map[string]Interrupt{way: all[way]}
}

// endsWithin is what the end of an interrupted run may take in a test: the two
// seconds that are promised, and room for a machine that is busy with other tests.
const endsWithin = 10 * time.Second

// RunInterrupted starts a command, waits until it has printed words and until ready is
// closed, interrupts it, and returns what it printed. Empty words are not waited for.
// The test fails where the command does not end.
func (c *CLI) RunInterrupted(stop Interrupt, words string, ready <-chan struct{}, args ...string) Result {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), time.Minute)
	defer cancel()

	p, err := c.cli.Start(ctx, args...)
	if err != nil {
		c.tb.Fatal(err)
	}
	if !closed(ctx, p.Printed(words)) || !closed(ctx, ready) {
		c.tb.Errorf("the command never came so far:\n%s", p.Output())
	}

	began := time.Now()
	if err := stop.send(p); err != nil {
		c.tb.Error(err)
	}
	if stop.Twice && closed(ctx, p.Printed("shutting down")) {
		if err := stop.send(p); err != nil {
			c.tb.Error(err)
		}
	}
	r, err := p.Wait(ctx)
	if took := time.Since(began); err != nil || took > endsWithin {
		c.tb.Errorf("Terraform took %s to end (%v)", took, err)
	}

	return r // whose exit status differs by version of Terraform
}

// closed waits until a channel is closed. It returns false where ctx ends first.
func closed(ctx context.Context, c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}

func (i Interrupt) send(p *terraformcli.Process) error {
	if i.ToGroup {
		return p.SignalGroup(i.Signal)
	}
	return p.Signal(i.Signal)
}

// WantWords fails the test where a command's output lacks any of the words.
func WantWords(tb testing.TB, r Result, words ...string) {
	tb.Helper()
	for _, word := range words {
		if !strings.Contains(r.Words(), word) {
			tb.Errorf("%q is not shown:\n%s", word, r.Output)
		}
	}
}
