// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
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

// RunInterrupted starts a command, waits until it has printed words and until ready is closed, interrupts it, and
// returns what it printed.
func (c *CLI) RunInterrupted(stop Interrupt, words string, ready <-chan struct{}, args ...string) Result {
	c.tb.Helper()
	p := c.start(args)
	p.await(words)

	select {
	case <-ready:
	case <-p.ctx.Done():
		c.tb.Error("the command never came so far")
	}

	began := time.Now()
	p.signal(stop)
	if stop.Twice {
		p.await("shutting down")
		p.signal(stop)
	}
	r := p.wait()
	if took := time.Since(began); took > endsWithin {
		c.tb.Errorf("Terraform took %s to end", took)
	}

	return r
}

// process is a command under way. It has a process group of its own, which a signal can reach
// without the test.
type process struct {
	tb             testing.TB
	ctx            context.Context //nolint:containedctx // limits the command, and ends with it
	cancel         context.CancelFunc
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer

	mu     sync.Mutex
	output bytes.Buffer
	more   chan struct{} // has an element once output has grown
}

// start starts a command. Where it does not end in time, it is interrupted, so that it still ends its provider.
func (c *CLI) start(args []string) *process {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), commandLimit)
	p := &process{tb: c.tb, ctx: ctx, cancel: cancel, cmd: c.Command(ctx, args...), more: make(chan struct{}, 1)}
	ownGroup(p.cmd)
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.WaitDelay = endsWithin
	p.cmd.Stdout, p.cmd.Stderr = io.MultiWriter(&p.stdout, p), io.MultiWriter(&p.stderr, p)
	if err := p.cmd.Start(); err != nil {
		c.tb.Fatal(err)
	}

	return p
}

// wait waits for the end of the command.
func (p *process) wait() Result {
	p.tb.Helper()
	defer p.cancel()
	err := p.cmd.Wait()
	if p.ctx.Err() != nil {
		_ = signalGroup(p.cmd.Process, syscall.SIGKILL)
		p.tb.Fatalf("%v did not come to its end: %v\n%s", p.cmd.Args, err, p.printed())
	}

	return Result{Output: p.printed(), Stdout: p.stdout.String(), Stderr: p.stderr.String(), Code: p.cmd.ProcessState.ExitCode()}
}

func (p *process) signal(i Interrupt) {
	p.tb.Helper()
	var err error
	if i.ToGroup {
		err = signalGroup(p.cmd.Process, i.Signal)
	} else {
		err = p.cmd.Process.Signal(i.Signal)
	}
	if err != nil {
		p.tb.Error(err)
	}
}

// Write collects the output.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	select {
	case p.more <- struct{}{}:
	default:
	}
	return p.output.Write(text)
}

func (p *process) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// await waits until the command has printed words, or fails the test where that takes too long.
func (p *process) await(words string) {
	p.tb.Helper()

	for !strings.Contains(p.printed(), words) {
		select {
		case <-p.more:
		case <-p.ctx.Done():
			p.tb.Error("the command never came so far")
			return
		}
	}
}
