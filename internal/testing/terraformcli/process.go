// SPDX-License-Identifier: MPL-2.0

package terraformcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopLimit is how long an interrupted command may take before it is killed.
const stopLimit = 10 * time.Second

// Process is a command of the CLI under way.
type Process struct {
	cmd            *exec.Cmd
	output         watched
	stdout, stderr bytes.Buffer
}

// GroupCommand returns a command that runs in a process group of its own, where Ctrl-C
// in a terminal does not reach it. When ctx ends, it is interrupted once, since a
// second interrupt makes Terraform give up its state, and killed ten seconds later.
func GroupCommand(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	ownGroup(cmd)
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = stopLimit
	return cmd
}

// Printed returns a channel that is closed once the output contains words.
func (p *Process) Printed(words string) <-chan struct{} { return p.output.watch(words) }

// Output returns what the command has printed so far.
func (p *Process) Output() string { return p.output.String() }

// Signal sends a signal to the command alone.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// SignalGroup sends a signal to the command and to all processes that it has started,
// as a terminal does.
func (p *Process) SignalGroup(s syscall.Signal) error { return signalGroup(p.cmd.Process, s) }

// Wait waits for the end of the command. ctx is the one that it was started with; where
// that has ended, what the command has left running is killed and the error of Wait has
// what was printed.
func (p *Process) Wait(ctx context.Context) (Result, error) {
	err := p.cmd.Wait()

	if ctx.Err() != nil {
		_ = signalGroup(p.cmd.Process, syscall.SIGKILL)
		return p.result(), fmt.Errorf("%s did not come to its end: %w:\n%s", p.name(), context.Cause(ctx), p.Output())
	}

	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return Result{}, fmt.Errorf("%s could not be run: %w", p.name(), err)
	}

	return p.result(), nil
}

// name returns the program and its command, such as "terraform plan".
func (p *Process) name() string {
	name := filepath.Base(p.cmd.Path)
	if len(p.cmd.Args) > 1 {
		name += " " + p.cmd.Args[1]
	}
	return name
}

func (p *Process) result() Result {
	return Result{
		Output: p.output.String(),
		Stdout: p.stdout.String(),
		Stderr: p.stderr.String(),
		Code:   p.cmd.ProcessState.ExitCode(),
		CPU:    p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime(),
	}
}

// Result is what a command printed, and its exit status.
type Result struct {
	// Output is standard output and standard error in the order in which they came.
	Output string
	Stdout string
	Stderr string
	Code   int
	// CPU is the processor time of the command, and of the processes that it has waited for
	// where the system counts those, as providers.
	CPU time.Duration
}

// Words returns the output as one line without the frames of diagnostics, so that a
// sentence is found however it was wrapped.
func (r Result) Words() string {
	words := strings.FieldsFunc(r.Output, func(c rune) bool { return strings.ContainsRune(" \t\r\n│╷╵", c) })
	return strings.Join(words, " ")
}

// watched collects what is written to it, and closes a channel when awaited words
// are in it. It is safe for concurrent use.
type watched struct {
	mu      sync.Mutex
	text    bytes.Buffer
	awaited map[string]chan struct{}
}

func (w *watched) watch(words string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()

	seen := make(chan struct{})
	if strings.Contains(w.text.String(), words) {
		close(seen)
		return seen
	}

	if w.awaited == nil {
		w.awaited = map[string]chan struct{}{}
	}
	w.awaited[words] = seen

	return seen
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	n, err := w.text.Write(p)
	for words, seen := range w.awaited {
		if strings.Contains(w.text.String(), words) {
			close(seen)
			delete(w.awaited, words)
		}
	}

	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
