package acctest

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// Interrupt is a signal, and whether Terraform alone gets it or the whole group of
// processes, as from a terminal.
type Interrupt struct {
	Signal  syscall.Signal
	ToGroup bool
}

// Interrupts are the ways in which people and CI systems end a run.
func Interrupts() map[string]Interrupt {
	return map[string]Interrupt{
		"SIGINT to Terraform":  {syscall.SIGINT, false},
		"SIGINT to the group":  {syscall.SIGINT, true},
		"SIGTERM to Terraform": {syscall.SIGTERM, false},
		"SIGTERM to the group": {syscall.SIGTERM, true},
	}
}

// endsWithin is what the end of an interrupted run may take in a test: the two
// seconds that are promised, and room for a machine that is busy with other tests.
const endsWithin = 10 * time.Second

// RunInterrupted starts a command, waits until it has printed words (none where they
// are empty) and until ready is closed, interrupts it, and returns what it printed.
// The test fails where the command does not end.
func (c *CLI) RunInterrupted(stop Interrupt, words string, ready <-chan struct{}, args ...string) Result {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), time.Minute)
	defer cancel()
	cmd := c.Command(ctx, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output := &watched{words: words, seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		c.tb.Fatal(err)
	}
	for _, wait := range []<-chan struct{}{output.seen, ready} {
		select {
		case <-wait:
		case <-ctx.Done():
			c.tb.Errorf("the command never came so far:\n%s", output)
		}
	}
	return c.interrupt(ctx, cmd, stop, output)
}

func (c *CLI) interrupt(ctx context.Context, cmd *exec.Cmd, stop Interrupt, output *watched) Result {
	c.tb.Helper()
	target := cmd.Process.Pid
	if stop.ToGroup {
		target = -target
	}
	began := time.Now()
	if err := syscall.Kill(target, stop.Signal); err != nil {
		c.tb.Error(err)
	}
	_ = cmd.Wait() // what Terraform's exit code is then differs by version
	if took := time.Since(began); ctx.Err() != nil || took > endsWithin {
		c.tb.Errorf("Terraform took %s to end", took)
	}
	return Result{Output: output.String(), Code: cmd.ProcessState.ExitCode()}
}

// watched collects an output and says when words are in it.
type watched struct {
	words string
	seen  chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
	told bool
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.text.Write(p)
	if !w.told && strings.Contains(w.text.String(), w.words) {
		w.told = true
		close(w.seen)
	}
	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// Environment is that of a provider that uses a service's secret key.
func Environment(service *mocktest.Instance) map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey,
		"ANALYTICS_ORG_ID": Org, "ANALYTICS_PROJECT_ID": Project,
	}
}

// WantText fails the test where no text holds all the words.
func WantText(tb testing.TB, texts []string, words ...string) {
	tb.Helper()
	for _, text := range texts {
		missing := false
		for _, word := range words {
			missing = missing || !strings.Contains(text, word)
		}
		if !missing {
			return
		}
	}
	tb.Errorf("nothing says %q, only:\n%s", words, strings.Join(texts, "\n---\n"))
}
