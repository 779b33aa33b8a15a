package acctest

import (
	"context"
	"syscall"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// Interrupt is a signal that ends a run.
type Interrupt struct {
	Signal syscall.Signal
	// ToGroup sends it to all processes of the run, as a terminal does, and not to
	// Terraform alone.
	ToGroup bool
}

// Interrupts returns the ways in which people and CI systems end a run.
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
