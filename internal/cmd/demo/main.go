// Command demo shows the provider at work on a real Terraform: consent is seeded, read
// back, drifted, repaired, imported and withdrawn, a profile is corrected, a person's
// data handed out and deleted, a day exported, against the mock server in a process of
// its own. Each step checks what it says, and nothing is left behind: no file, no
// process, no trace in a person's Terraform settings.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// timeLimit ends a demo in which something hangs. It leaves room for the first
// build on a slow machine.
const timeLimit = 15 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Stdout)
	stop()
	os.Exit(code)
}

// run plays the demo on out and returns the exit status of the process.
func run(ctx context.Context, out *os.File) int {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()

	scr := newScreen(out, useColour(out, os.Getenv))
	err := play(ctx, scr)
	if err == nil {
		return 0
	}

	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		scr.failure("stopped before the end; everything that had been started is gone", "")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		scr.failure(fmt.Sprintf("Given up after %s: %v", timeLimit, err), "")
	default:
		scr.failure(err.Error(), terraformcli.TranscriptOf(err))
	}

	return 1
}

// play prepares the stage, runs the story on it and clears it again.
func play(ctx context.Context, scr *screen) (err error) {
	began := time.Now()
	st, err := stage.New(ctx, "analytics-demo-", scr.fact)
	if st != nil {
		defer func() { err = errors.Join(err, st.Clear()) }()
	}
	if err != nil {
		return err
	}

	d := &demo{screen: scr, stage: st}
	if err := d.prepare(ctx); err != nil {
		return err
	}
	if err := d.run(ctx); err != nil {
		return err
	}
	scr.closing(time.Since(began), count(d.everything))

	return nil
}
