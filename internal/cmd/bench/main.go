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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
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

// report prints why there is no result. After an interrupt that is not what Terraform
// says of it.
func report(stderr io.Writer, err error, interrupted bool) {
	if interrupted {
		_, _ = fmt.Fprintln(stderr, "bench: stopped before the end")
		return
	}

	_, _ = fmt.Fprintln(stderr, "bench:", err)
	if transcript := terraformcli.TranscriptOf(err); transcript != "" {
		_, _ = fmt.Fprintf(stderr, "\nTerraform printed:\n%s", transcript)
	}
}

// measurement is one thing that is measured, in a file of its own.
type measurement struct {
	name string
	run  func(context.Context, *bench) (fmt.Stringer, error)
}

var measurements = []measurement{
	{"exports", exports},
	{"generic", generic},
	{"seeding", seeding},
}

// options are the command line.
type options struct {
	records   int
	only      string
	sizes     []int
	singles   int
	latencies []time.Duration

	// The page that gets the figures; empty for none.
	page string

	// The programs of generic providers; empty for those that are not measured.
	restful, restapi string
}

// wants reports whether a measurement is made. That of generic providers needs one.
func (o options) wants(m measurement) bool {
	if m.name == "generic" && o.restful+o.restapi == "" {
		return false
	}
	return o.only == "" || o.only == m.name
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.only, "only", "", "measure this alone: exports, generic or seeding")
	flags.IntVar(&o.records, "records", 1_000_000, "how many events the exported day has")
	flags.IntVar(&o.singles, "singles", 500, "how many people have a resource each at most; 5000 take half an hour, nearly all of it Terraform's own")
	flags.StringVar(&o.page, "page", "", "a Markdown file whose sections are replaced by the figures")
	flags.StringVar(&o.restful, "restful", "", "the program of magodo/restful, to measure it beside analytics_consent")
	flags.StringVar(&o.restapi, "restapi", "", "the program of Mastercard/restapi, to measure it beside analytics_consent")
	sizes := flags.String("people", "500,5000", "how many people are seeded, with commas between")
	latencies := flags.String("latencies", "0s,20ms", "how long the service takes for an answer while people are seeded, with commas between")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	var err error
	if o.sizes, err = parseSizes("people", *sizes); err != nil {
		return o, err
	}
	if o.latencies, err = parseLatencies(*latencies); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, errors.New("there are flags only")
	}

	return o, o.validate()
}

func (o options) validate() error {
	if !slices.ContainsFunc(measurements, o.wants) {
		return errors.New("-only has the name of a measurement, and generic needs -restful or -restapi")
	}
	if o.records < 1 {
		return errors.New("-records has a number from 1")
	}
	return nil
}

func parseSizes(name, text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, errors.New("-" + name + " has numbers from 1, with commas between")
		}
		sizes = append(sizes, n)
	}

	return sizes, nil
}

func parseLatencies(text string) ([]time.Duration, error) {
	var latencies []time.Duration
	for part := range strings.SplitSeq(text, ",") {
		d, err := time.ParseDuration(part)
		if err != nil || d < 0 {
			return nil, errors.New("-latencies has durations such as 20ms, with commas between")
		}
		latencies = append(latencies, d)
	}

	return latencies, nil
}

// run builds what is needed and measures.
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
	note := func(format string, args ...any) { _, _ = fmt.Fprintf(stdout, "  "+format+"\n", args...) }

	st, err := stage.New(ctx, "analytics-bench-")
	if st != nil {
		defer func() { err = errors.Join(err, st.Clear()) }()
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "%s and the analytics provider, against a mock of the service\n\n", st.Version.Line)

	if err := st.Build(ctx); err != nil {
		return err
	}

	return (&bench{options: o, stage: st, note: note}).measure(ctx, stdout, args)
}

// measure runs all measurements that are wanted, and prints one table for each. args are the
// command line, which the page repeats.
func (b *bench) measure(ctx context.Context, stdout io.Writer, args []string) error {
	for _, m := range measurements {
		if !b.wants(m) {
			continue
		}
		measured, err := m.run(ctx, b)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(stdout, "\n%s", measured)

		if b.page == "" {
			continue
		}
		if err := newPage(b.page, b.stage.Version.Line, args, time.Now().UTC()).put(m.name, measured.String()); err != nil {
			return err
		}
	}

	return nil
}
