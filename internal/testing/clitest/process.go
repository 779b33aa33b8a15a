// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

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
	for name := range ways { // in random order
		if len(ways) > 1 && !soak.On() {
			delete(ways, name)
		}
	}

	return ways
}

// endsWithin is what the end of an interrupted run may take in a test: the two
// seconds that are promised, and room for a machine that is busy with other tests.
const endsWithin = 10 * time.Second

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

// process is a command under way. It has a process group of its own, which a signal can reach
// without the test.
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
