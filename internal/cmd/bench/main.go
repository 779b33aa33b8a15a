// Command bench prints what many objects cost, next to one: the real provider
// under a real Terraform, against the mock server in a process of its own that
// takes real time to fulfil what it queues. It judges nothing and fails only where
// something did not work; nothing is left behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// timeLimit ends a run in which something hangs.
const timeLimit = time.Hour

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	interrupted := ctx.Err() != nil
	stop()
	if err != nil {
		report(os.Stderr, err, interrupted)
		os.Exit(1)
	}
}

// report says why there is no result. What Terraform says of an interrupt is of no
// interest to whoever has interrupted it.
func report(stderr io.Writer, err error, interrupted bool) {
	if interrupted {
		_, _ = fmt.Fprintln(stderr, "bench: stopped before the end")
		return
	}
	_, _ = fmt.Fprintln(stderr, "bench:", err)
	if transcript := stage.TranscriptOf(err); transcript != "" {
		_, _ = fmt.Fprintf(stderr, "\nTerraform printed:\n%s", transcript)
	}
}

// measurements are what is measured, each in a file of its own.
var measurements = []func(context.Context, *bench) (table, error){
	profiles,
}

// bench is what measurements share.
type bench struct {
	stage *stage.Stage
	many  int
	note  func(format string, args ...any)
}

func parse(args []string, stderr io.Writer) (many int, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&many, "n", 1000, "how many objects are compared with one")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() > 0 || many < 1 || many > 100_000 {
		return 0, errors.New("there is one flag, -n, with a number from 1 to 100000")
	}
	return many, nil
}

// run measures everything and prints one table for each.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	many, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	note := func(format string, args ...any) { _, _ = fmt.Fprintf(stdout, "  "+format+"\n", args...) }

	st, err := stage.New(ctx, "analytics-bench-", note)
	if st != nil {
		defer func() { err = errors.Join(err, st.Clear()) }()
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "%s and the analytics provider, against a mock of the service\n\n", st.Terraform.Version)
	if err := st.Build(ctx); err != nil {
		return err
	}
	b := &bench{stage: st, many: many, note: note}
	for _, measure := range measurements {
		measured, err := measure(ctx, b)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(stdout, "\n%s", measured)
	}
	return nil
}
