// SPDX-License-Identifier: MPL-2.0

// Package clitest runs the provider as users do, through the CLI of Terraform or OpenTofu, for
// tests of what terraform-plugin-testing cannot express: warnings, -invoke, interrupts, logs,
// saved plans, generated configuration and the states of other providers.
package clitest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// Source is how configurations name the provider.
const Source = "terraform-analytics/analytics"

// Hosts are the registries whose address Terraform and OpenTofu put before Source.
var Hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// commandLimit is the longest that a command may take: one that takes longer hangs, on a busy machine too.
const commandLimit = 8 * time.Minute

// CLI runs the provider as users do: as a binary of its own, started by Terraform or OpenTofu, in a
// folder of its own and with an environment that holds nothing of the person who runs the tests.
type CLI struct {
	tb  testing.TB
	env []string // of several entries with one name, the last one counts

	// Dir is the folder with the configuration.
	Dir string
}

// New prepares a folder with a configuration for commands with this environment. It skips the test without TF_ACC.
func New(tb testing.TB, configuration string, environment map[string]string) *CLI {
	tb.Helper()
	acctest.PreCheck(tb)
	c := &CLI{tb: tb, Dir: tb.TempDir(), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + tb.TempDir(), "TMPDIR=" + tb.TempDir(),
		"TF_CLI_ARGS=-no-color", "TF_INPUT=0", "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
		"TF_DISABLE_PLUGIN_TLS=1",     // its keys are a third of what a short command costs; the demo has it
		`ANALYTICS_WIRE={"lag":"0s"}`, // the mock server's list never lags
	}}
	for name, value := range environment {
		c.Setenv(name, value)
	}
	c.UseProvider(Provider(tb))
	c.Configure(configuration)

	return c
}

// Provider returns the path of the provider's program, which make builds once for all packages.
func Provider(tb testing.TB) string {
	tb.Helper()
	program := os.Getenv("TF_ACC_PROVIDER_BINARY")
	if _, err := os.Stat(program); err != nil {
		tb.Fatalf("TF_ACC_PROVIDER_BINARY names no program, as make testacc makes it: %v", err)
	}
	return program
}

// UseProvider makes the commands that follow start a program as the provider.
func (c *CLI) UseProvider(program string) {
	c.tb.Helper()
	const config = "provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n  direct {}\n}\n"
	folder := filepath.Dir(program)
	c.Write("terraform.rc", fmt.Sprintf(config, Hosts[0]+"/"+Source, folder, Hosts[1]+"/"+Source, folder))
	c.Setenv("TF_CLI_CONFIG_FILE", filepath.Join(c.Dir, "terraform.rc"))
}

// Configure replaces the configuration.
func (c *CLI) Configure(configuration string) {
	c.tb.Helper()
	c.Write("main.tf", "terraform {\n  required_providers {\n    analytics = {\n      source = \""+Source+"\"\n    }\n  }\n}\n"+configuration)
}

// Setenv changes the environment of the commands that follow.
func (c *CLI) Setenv(name, value string) { c.env = append(c.env, name+"="+value) }

// Write replaces a file in Dir.
func (c *CLI) Write(name, content string) {
	c.tb.Helper()
	if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(content), 0o600); err != nil {
		c.tb.Fatal(err)
	}
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

	var all strings.Builder
	for _, entry := range archive.File {
		text, err := fs.ReadFile(archive, entry.Name)
		if err != nil {
			c.tb.Fatal(err)
		}
		all.WriteString(string(text))
	}

	return all.String()
}

// Command returns a command that the test starts and ends itself.
func (c *CLI) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, acctest.CLI.Path, args...)
	cmd.Dir, cmd.Env = c.Dir, c.env
	return cmd
}

// Result is what a command printed, and its exit status.
type Result struct {
	Output string
	Code   int
}

// Run runs one command to its end.
func (c *CLI) Run(args ...string) Result {
	c.tb.Helper()
	return c.start(args).wait()
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

// Stored is an object in a state file.
type Stored struct {
	Key        any            `json:"index_key"` // of for_each; nil without
	Attributes map[string]any `json:"attributes"`
}

// Stored returns the objects in the state file.
func (c *CLI) Stored() (all []Stored) {
	c.tb.Helper()
	var state struct {
		Resources []struct{ Instances []Stored }
	}
	if err := json.Unmarshal([]byte(c.ReadFile("terraform.tfstate")), &state); err != nil {
		c.tb.Fatal(err)
	}
	for _, r := range state.Resources {
		all = append(all, r.Instances...)
	}

	return all
}

// WantWords fails the test where a command's output lacks any of the words, however the CLI wraps and frames them.
func WantWords(tb testing.TB, r Result, words ...string) {
	tb.Helper()
	shown := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(r.Output)), " ")
	for _, word := range words {
		if !strings.Contains(shown, word) {
			tb.Errorf("%q is not shown:\n%s", word, r.Output)
		}
	}
}

// Interrupt is a signal that ends a run.
type Interrupt struct {
	Signal  syscall.Signal
	ToGroup bool // to all processes of the run, as a terminal does, and not to Terraform alone
	Twice   bool // once more when Terraform says that it is about to end
}

// Interrupts returns the ways in which people and CI systems end a run: one of them at random, or all
// of them where a soak is on.
func Interrupts() map[string]Interrupt {
	ways := map[string]Interrupt{
		"SIGINT to Terraform":  {Signal: syscall.SIGINT},
		"SIGINT to the group":  {Signal: syscall.SIGINT, ToGroup: true},
		"SIGTERM to Terraform": {Signal: syscall.SIGTERM},
		"SIGTERM to the group": {Signal: syscall.SIGTERM, ToGroup: true},
	}
	for name, way := range ways { // in random order
		if !soak.On() {
			return map[string]Interrupt{name: way}
		}
	}

	return ways
}

// endsWithin is what the end of an interrupted run may take in a test. The two seconds that are promised are held in
// virtual time; here, the machine may be busy with other tests. A request that the interrupt did not end would last
// for request_timeout, which is longer.
const endsWithin = 25 * time.Second

// RunInterrupted starts a command, waits until it has printed words and until ready is closed, interrupts it, and
// returns what it printed.
func (c *CLI) RunInterrupted(stop Interrupt, words string, ready <-chan struct{}, args ...string) Result {
	c.tb.Helper()
	p := c.start(args)
	p.await(words)

	select {
	case <-ready:
	case <-time.After(commandLimit):
		c.tb.Error("the command never came so far")
	}

	began := time.Now()
	err := send(p.cmd.Process, stop)
	if stop.Twice {
		p.await("shutting down")
		err = errors.Join(err, send(p.cmd.Process, stop))
	}
	r := p.wait()
	if took := time.Since(began); err != nil || took > endsWithin {
		c.tb.Errorf("Terraform took %s to end: %v", took, err)
	}

	return r
}

// process is a command under way. It has a process group of its own, which a signal can reach without the test.
type process struct {
	tb      testing.TB
	cmd     *exec.Cmd
	output  io.Reader
	printed bytes.Buffer // what was read of the output
}

// start starts a command. If it does not end in time, it is killed with all that it has started.
func (c *CLI) start(args []string) *process {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), commandLimit)
	c.tb.Cleanup(cancel)
	p := &process{tb: c.tb, cmd: c.Command(ctx, args...)}
	ownGroup(p.cmd)
	p.cmd.Cancel = func() error { return send(p.cmd.Process, Interrupt{Signal: syscall.SIGKILL, ToGroup: true}) }

	output, err := p.cmd.StdoutPipe()
	p.output, p.cmd.Stderr = output, p.cmd.Stdout
	if err := errors.Join(err, p.cmd.Start()); err != nil {
		c.tb.Fatal(err)
	}

	return p
}

// await waits until the command has printed words, or fails the test where it ends before.
func (p *process) await(words string) {
	p.tb.Helper()

	some := make([]byte, 1<<12)
	for !strings.Contains(p.printed.String(), words) {
		n, err := p.output.Read(some)
		_, _ = p.printed.Write(some[:n])
		if err != nil {
			p.tb.Error("the command never came so far")
			return
		}
	}
}

// wait waits for the end of the command.
func (p *process) wait() Result {
	p.tb.Helper()
	_, _ = p.printed.ReadFrom(p.output)
	_ = p.cmd.Wait() // the code says it
	r := Result{Output: p.printed.String(), Code: p.cmd.ProcessState.ExitCode()}
	if r.Code < 0 {
		p.tb.Fatalf("%v did not come to its end:\n%s", p.cmd.Args, r.Output)
	}

	return r
}
