// Command soak runs the tests at the sizes of real use, and random schedules for as long
// as it is told to. It keeps what it has found in a file after every step, so that a run
// that was interrupted goes on where it was, and prints one table at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/command"
)

func main() { command.Main("soak", run) }

// options are the command line.
type options struct {
	settings

	file    string
	restart bool
	again   bool
	only    *regexp.Regexp
}

// settings are what a run that goes on takes from its file.
type settings struct {
	Seed      uint64        `json:"seed"`
	Duration  time.Duration `json:"duration_ns"`
	Race      bool          `json:"race"`
	Inputs    int           `json:"fuzz_inputs"`
	Rows      int           `json:"rows"`
	Gibibytes int           `json:"gibibytes"`
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	only := ""
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&o.Duration, "for", time.Hour, "how long to run: everything once, and then random schedules until the time is over")
	flags.Uint64Var(&o.Seed, "seed", 0, "of the first random schedule; 0 chooses one")
	flags.BoolVar(&o.Race, "race", false, "run the tests with the race detector")
	flags.IntVar(&o.Inputs, "inputs", 200_000, "how many inputs each parser is fuzzed with; 0 leaves it out")
	flags.IntVar(&o.Rows, "rows", 1_000_000, "how many rows the large batch has; 0 leaves it out")
	flags.IntVar(&o.Gibibytes, "gib", 10, "how large the exported day is, in GiB; 0 leaves it out")
	flags.StringVar(&o.file, "file", ".bin/soak/soak.json", "where the results are kept")
	flags.BoolVar(&o.restart, "restart", false, "begin anew, whatever the file holds")
	flags.BoolVar(&o.again, "again", false, "run the steps that failed once more, after their cause was mended, and keep what the others found")
	flags.StringVar(&only, "only", "", "run the steps alone whose name this regular expression matches")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		return o, fmt.Errorf("-only is no regular expression: %w", err)
	}

	return o, o.validate(flags.NArg())
}

func (o options) validate(rest int) error {
	if rest > 0 {
		return errors.New("there are flags only")
	}
	if o.Duration <= 0 || o.Inputs < 0 || o.Rows < 0 || o.Gibibytes < 0 {
		return errors.New("-for is longer than 0, and the sizes are not negative")
	}
	return nil
}

// run goes on with the run of the file, or begins a new one, and prints the table.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}

	if o.Seed == 0 {
		o.Seed = rand.Uint64() >> 1 //nolint:gosec // a seed needs no secrecy
	}

	r, err := load(o)
	if err != nil {
		return err
	}

	s := &soaking{results: r, only: o.only, out: stdout}
	began := s.begin()
	err = s.carryOut(ctx, began)
	if ctx.Err() != nil {
		_, _ = fmt.Fprintf(stdout, "\n%s\nStopped before the end; the same command goes on.\n", r)
		return errors.Join(errors.New("stopped before the end"), s.keep())
	}
	if err != nil {
		return err
	}

	_, _ = fmt.Fprintf(stdout, "\n%s\n", r)
	if n := r.total().broken(); n > 0 {
		return fmt.Errorf("%d promises were broken; %s says where", n, r.file)
	}

	return nil
}
