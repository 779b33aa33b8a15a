// SPDX-License-Identifier: MPL-2.0

// Command bench prints what the provider costs, side by side with the alternatives in
// one run: the real provider under a real Terraform, against the mock server in a
// process of its own. It judges nothing and fails only where something did not work;
// nothing is left behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// timeLimit ends a run in which something hangs.
const timeLimit = time.Hour

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		err = errors.New("stopped before the end") // and not what Terraform says of it
	}
	stop()

	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measurement is one thing that is measured, in a file of its own.
type measurement struct {
	name string
	run  func(context.Context, *bench) (grid, error)
}

var measurements = []measurement{
	{"exports", exports},
	{"seeding", seeding},
}

// options are the command line.
type options struct {
	only      string
	records   int
	sizes     []int
	singles   int
	latencies []time.Duration
	before    string
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.only, "only", "", "measure this alone: exports or seeding")
	flags.StringVar(&o.before, "before", "", "a program of another version of the provider, which exports the day in turn with this one")
	flags.IntVar(&o.records, "records", 1_000_000, "how many events the exported day has")
	flags.IntVar(&o.singles, "singles", 500, "how many people have a resource each at most; 5000 take half an hour, nearly all of it Terraform's own")
	sizes := flags.String("people", "500,5000", "how many people are seeded, with commas between")
	latencies := flags.String("latencies", "0s,20ms", "how long the service takes for an answer while people are seeded, with commas between")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	for part := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > 1_000_000 {
			return o, errors.New("-people has numbers from 1 to 1000000, with commas between")
		}
		o.sizes = append(o.sizes, n)
	}
	for part := range strings.SplitSeq(*latencies, ",") {
		d, err := time.ParseDuration(part)
		if err != nil || d < 0 {
			return o, errors.New("-latencies has durations such as 20ms, with commas between")
		}
		o.latencies = append(o.latencies, d)
	}

	named := slices.ContainsFunc(measurements, func(m measurement) bool { return o.only == "" || o.only == m.name })
	if flags.NArg() > 0 || !named || o.records < 1 {
		return o, errors.New("there are flags only; -only has the name of a measurement, and -records a number from 1")
	}

	return o, nil
}

// run builds what is needed, makes all measurements that are wanted, and prints one table
// for each.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	root, err := os.MkdirTemp("", "analytics-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	b, err := newBench(ctx, o, root)
	if err != nil {
		return err
	}

	b.note = func(format string, args ...any) { _, _ = fmt.Fprintf(stdout, "  "+format+"\n", args...) }
	_, _ = fmt.Fprintf(stdout, "%s and the analytics provider, against a mock of the service\n\n", b.version)

	for _, m := range measurements {
		if o.only != "" && o.only != m.name {
			continue
		}
		measured, err := m.run(ctx, b)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(stdout, "\n%s", measured)
	}

	return nil
}
