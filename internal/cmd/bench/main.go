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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/peak"
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

// report says why there is no result. What Terraform says of an interrupt is of no
// interest to whoever has interrupted it.
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

// measurement is something that is measured, in a file of its own.
type measurement struct {
	name string
	run  func(context.Context, *bench) (fmt.Stringer, error)
}

var measurements = []measurement{
	{"profiles", profiles},
	{"exports", exports},
	{"reading", reading},
	{"consents", consents},
	{"seeding", seeding},
}

// bench is what measurements share.
type bench struct {
	options

	stage *stage.Stage
	note  func(format string, args ...any)
}

// watchMemory looks at the memory of the provider.
func (b *bench) watchMemory(ctx context.Context) *peak.Watch {
	return peak.Start(ctx, func(program, _ string) bool { return b.stage.IsProvider(program) })
}

// options are the command line.
type options struct {
	many    int
	records int
	only    string
	sizes   []int
	singles int
}

func (o options) wants(m measurement) bool { return o.only == "" || o.only == m.name }

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.only, "only", "", "measure this alone: profiles, exports, reading, consents or seeding")
	flags.IntVar(&o.many, "n", 1000, "how many profiles are compared with one")
	flags.IntVar(&o.records, "records", 1_000_000, "how many events the exported day has")
	flags.IntVar(&o.singles, "singles", 5000, "how many people have a resource each at most; 5000 take half an hour, nearly all of it Terraform's own")
	sizes := flags.String("people", "1000,5000,20000", "how many people are seeded, with commas between")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, errors.New("-people has numbers from 1, with commas between")
		}
		o.sizes = append(o.sizes, n)
	}
	known := o.only == "" || slices.ContainsFunc(measurements, o.wants)
	if flags.NArg() > 0 || !known || o.many < 1 || o.many > 100_000 || o.records < 1 {
		return o, errors.New("-only has the name of a measurement, -n and -records a number from 1")
	}
	return o, nil
}

// run measures everything and prints one table for each.
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

	st, err := stage.New(ctx, "analytics-bench-", note)
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
	b := &bench{options: o, stage: st, note: note}
	for _, m := range measurements {
		if !o.wants(m) {
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
